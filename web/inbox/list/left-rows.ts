import { QueryObserver } from '@tanstack/solid-query'
import { type Accessor, createEffect, mapArray, onCleanup, untrack } from 'solid-js'
import { isNotFound } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { isPending } from '../../ticket/changes/optimistic.ts'
import { firstUnread, newestMessage } from '../../ticket/thread/thread-rows.ts'
import { knownTicket, type TicketDetail, ticketQuery } from '../../ticket/ticket-query.ts'
import type { Row } from '../inbox-data.ts'
import { whyLeft } from './departed-rows.ts'
import type { TicketList } from './ticket-list.ts'

/** What a row that has left the list says of its ticket. */
export type Learned = Pick<
  Row,
  'status' | 'assignedTo' | 'tags' | 'isSpam' | 'hasFailedSend' | 'hasDraft' | 'isUnread'
>

/** Whoever runs down the list reads none of what they pass. */
const REST_MS = 150

/** Keeps the rows in sight that have left the list at what is true of their tickets: its pages do not tell it any more. */
export function useLeftRows(list: TicketList, inSight: Accessor<readonly string[]>): void {
  const followed = mapArray(inSight, (id) => follow(list, id))
  createEffect(followed)
}

function follow(list: TicketList, id: string): void {
  const isExplained = untrack(() => whyLeft(list.before(id), list.row(id), new Map()) !== undefined)
  const wait = isExplained && !knownTicket(id) ? REST_MS : 0
  let stop = () => {}
  const timer = setTimeout(() => {
    const observer = new QueryObserver(queries, { ...ticketQuery(id), staleTime: Number.POSITIVE_INFINITY })
    // What was known before may be older than what the row says.
    const { dataUpdatedAt: knownAt } = observer.getCurrentResult()
    stop = observer.subscribe(({ data, dataUpdatedAt, error }) => {
      if (isNotFound(error)) list.learn(id, 'deleted')
      else if (data && dataUpdatedAt > knownAt) list.learn(id, learnedOf(data), isPending(id))
    })
    if (!isExplained) void observer.refetch()
  }, wait)
  onCleanup(() => {
    clearTimeout(timer)
    stop()
  })
}

function learnedOf({ ticket, timeline, drafts, readUpTo }: TicketDetail): Learned {
  const { status, assignedTo, tags, isSpam } = ticket
  const hasFailedSend = timeline.some(
    (entry) => entry.kind === 'message' && (entry.sending === 'failed' || entry.sending === 'bounced'),
  )
  const isUnread =
    newestMessage(timeline)?.role === 'customer' && firstUnread(timeline, readUpTo) !== undefined
  return { status, assignedTo, tags, isSpam, hasFailedSend, hasDraft: drafts.length > 0, isUnread }
}
