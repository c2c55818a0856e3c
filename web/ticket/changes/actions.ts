import type { Answer, api } from '../../api/api.ts'

type Detail = Answer<ReturnType<typeof api.console.tickets>['get']>
/** What is done to a ticket when a reply is sent, or by a saved reply. */
export type Actions = NonNullable<Detail['waiting'][number]['actions']>

/** In whatever order their fields are. */
export function isSameActions(one: Actions = {}, other: Actions = {}): boolean {
  const listOf = ({ status, assignedTo, addTags = [], removeTags = [], snoozedUntil, why }: Actions) =>
    JSON.stringify([status ?? '', assignedTo, addTags, removeTags, snoozedUntil, why])
  return listOf(one) === listOf(other)
}

/** All that is done with a reply: its own actions, and what the chosen way to send adds. */
export function actionsWith(actions: Actions | undefined, chosen: Actions | undefined): Actions | undefined {
  return actions || chosen ? { ...actions, ...chosen } : undefined
}
