import { queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from './api.ts'
import { queries } from './queries.ts'
import { queryKeys } from './query-keys.ts'

const { notifications } = api.console.me

/** What the agent is notified of and how, and the browsers that show it. */
export type OwnNotifications = Answer<typeof notifications.get>
/** Of a saved view: how the agent is notified of tickets that are new in it. */
export type Bell = Pick<OwnNotifications['bells'][number], 'push' | 'email'>
type Change = Parameters<typeof notifications.patch>[0]

export const ownNotificationsQuery = queryOptions({
  queryKey: queryKeys.ownNotifications,
  queryFn: () => ask(notifications.get()),
})

export function readOwnNotificationsAgain(): Promise<void> {
  return queries.invalidateQueries({ queryKey: queryKeys.ownNotifications })
}

export async function changeOwnNotifications(change: Change): Promise<void> {
  await ask(notifications.patch(change)).finally(readOwnNotificationsAgain)
}

/** Changes the bell of a saved view, and returns what it is then. */
export function changeBell(viewId: string, change: Partial<Bell>): Promise<Bell> {
  return ask(api.console.views({ id: viewId }).bell.put(change)).finally(readOwnNotificationsAgain)
}
