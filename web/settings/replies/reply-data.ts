import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { type SavedReply, savedRepliesQuery } from '../../api/workspace.ts'
import { toast, toastError } from '../../ui/toaster.tsx'

/** Creates a saved reply, or changes the one with the id. */
export async function saveReply(id: string | undefined, values: Pick<SavedReply, 'name' | 'text'>) {
  const replies = api.console['saved-replies']
  const saved = id === undefined ? await ask(replies.post(values)) : await ask(replies({ id }).patch(values))
  void queries.invalidateQueries({ queryKey: queryKeys.savedReplies })
  return saved
}

/** Deletes a saved reply at once, with an Undo that creates it again. */
export async function deleteReply({ id, name, text }: SavedReply): Promise<void> {
  hideReply(id)
  try {
    await ask(api.console['saved-replies']({ id }).delete())
    toast(`Deleted “${name}”.`, { text: 'Undo', run: () => void restore({ name, text }) })
  } catch (error) {
    toastError(errorMessage(error))
  }
  void queries.invalidateQueries({ queryKey: queryKeys.savedReplies })
}

async function restore(values: Pick<SavedReply, 'name' | 'text'>): Promise<void> {
  try {
    await saveReply(undefined, values)
  } catch (error) {
    toastError(`Couldn't restore “${values.name}”. ${errorMessage(error)}`)
  }
}

function hideReply(id: string): void {
  queries.setQueryData(
    savedRepliesQuery.queryKey,
    (known) => known && { ...known, data: known.data.filter((reply) => reply.id !== id) },
  )
}
