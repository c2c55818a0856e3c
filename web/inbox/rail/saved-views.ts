import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { type Bell, changeBell } from '../../api/own-notifications.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { pushUndo } from '../../ticket/changes/undo.ts'
import { toast, toastError } from '../../ui/toaster.tsx'
import type { SavedView } from './views.ts'

type NewView = Parameters<typeof api.console.views.post>[0]
export type ViewFields = Pick<SavedView, 'name' | 'query' | 'isShared'>

/** Saves a search as a view. Throws the server's error for the dialog to show. */
export async function saveView(view: NewView): Promise<SavedView> {
  const saved = await ask(api.console.views.post(view))
  await refresh()
  return saved
}

export async function changeView({ id }: SavedView, change: Partial<ViewFields>): Promise<void> {
  await ask(api.console.views({ id }).patch(change))
  await refresh()
}

/** Sets how the agent is notified of tickets that are new in a view. */
export async function ringFor({ id, name }: SavedView, change: Partial<Bell>): Promise<void> {
  try {
    const bell = await changeBell(id, change)
    const ways = [bell.push && 'push', bell.email && 'email'].filter((way) => way !== false)
    toast(`Notifications for “${name}”: ${ways.join(' and ') || 'off'}.`)
  } catch (error) {
    toastError(`Couldn't change the bell of “${name}”. ${errorMessage(error)}`)
  }
}

/** Deletes at once and offers Undo. */
export async function deleteView({ id, name, query, isShared }: SavedView): Promise<void> {
  try {
    await ask(api.console.views({ id }).delete())
    await refresh()
    pushUndo({
      label: `Deleted “${name}”`,
      undo: () => restore({ name, query, isShared }),
    })
  } catch (error) {
    toastError(`Couldn't delete “${name}”. ${errorMessage(error)}`)
  }
}

async function restore(view: ViewFields): Promise<void> {
  try {
    await saveView(view)
  } catch (error) {
    toastError(`Couldn't restore “${view.name}”. ${errorMessage(error)}`)
  }
}

async function refresh(): Promise<void> {
  const { views, counts } = queryKeys
  await Promise.all([views, counts].map((queryKey) => queries.invalidateQueries({ queryKey })))
}
