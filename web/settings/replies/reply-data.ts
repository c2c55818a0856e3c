import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { type SavedReply, savedRepliesQuery } from '../../api/workspace.ts'
import { toast, toastError } from '../../ui/toaster.tsx'

/** Makes a new one, or changes the one with the id. */
export async function saveReply(id: string | undefined, values: Pick<SavedReply, 'name' | 'text'>) {
  const replies = api.console['saved-replies']
  const saved = id === undefined ? await ask(replies.post(values)) : await ask(replies({ id }).patch(values))
  void queries.invalidateQueries({ queryKey: queryKeys.savedReplies })
  return saved
}

/** Deletes one at once, with an Undo that writes it down again. */
export async function deleteReply({ id, name, text }: SavedReply): Promise<void> {
  showWithout(id)
  try {
    await ask(api.console['saved-replies']({ id }).delete())
    toast(`“${name}” is deleted.`, { text: 'Undo', run: () => void bringBack({ name, text }) })
  } catch (error) {
    toastError(errorMessage(error))
  }
  void queries.invalidateQueries({ queryKey: queryKeys.savedReplies })
}

async function bringBack(values: Pick<SavedReply, 'name' | 'text'>): Promise<void> {
  try {
    await saveReply(undefined, values)
  } catch (error) {
    toastError(`“${values.name}” could not be brought back. ${errorMessage(error)}`)
  }
}

function showWithout(id: string): void {
  queries.setQueryData(
    savedRepliesQuery.queryKey,
    (known) => known && { ...known, data: known.data.filter((reply) => reply.id !== id) },
  )
}
