import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { pushUndo } from '../../ticket/changes/undo.ts'
import { toastError } from '../../ui/toaster.tsx'
import type { SavedView } from './views.ts'

type NewView = Parameters<typeof api.console.views.post>[0]
export type ViewFields = Pick<SavedView, 'name' | 'query' | 'isShared'>

/** Makes a view of a search. Throws what the server refused, for the dialog. */
export async function saveView(view: NewView): Promise<SavedView> {
  const saved = await ask(api.console.views.post(view))
  await refresh()
  return saved
}

export async function changeView({ id }: SavedView, change: Partial<ViewFields>): Promise<void> {
  await ask(api.console.views({ id }).patch(change))
  await refresh()
}

/** Gone at once, with a way back. */
export async function deleteView({ id, name, query, isShared }: SavedView): Promise<void> {
  try {
    await ask(api.console.views({ id }).delete())
    await refresh()
    pushUndo({
      label: `Deleted the view “${name}”`,
      undo: () => bringBack({ name, query, isShared }),
    })
  } catch (error) {
    toastError(`The view “${name}” was not deleted. ${errorMessage(error)}`)
  }
}

async function bringBack(view: ViewFields): Promise<void> {
  try {
    await saveView(view)
  } catch (error) {
    toastError(`The view “${view.name}” is not back. ${errorMessage(error)}`)
  }
}

async function refresh(): Promise<void> {
  const { views, counts } = queryKeys
  await Promise.all([views, counts].map((queryKey) => queries.invalidateQueries({ queryKey })))
}
