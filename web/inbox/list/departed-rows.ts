import { QueryObserver } from '@tanstack/solid-query'
import { type Accessor, createEffect, mapArray, onCleanup, untrack } from 'solid-js'
import { isNotFound } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { isPending, type TicketChange } from '../../ticket/changes/optimistic.ts'
import { firstUnread, newestMessage } from '../../ticket/thread/thread-rows.ts'
import { comingTime } from '../../ticket/thread/times.ts'
import { STATUSES } from '../../ticket/ticket-names.ts'
import { knownTicket, type TicketDetail, ticketQuery } from '../../ticket/ticket-query.ts'
import type { Row } from '../inbox-data.ts'
import type { MatchFields } from './merge-updates.ts'
import type { DepartedUpdate, TicketList } from './ticket-list.ts'

/** Passing over a row quickly doesn't load its ticket. */
const DWELL_MS = 150
/** As long as its toast offers Undo, a row that left the list stays. */
const COLLAPSE_AFTER_MS = 6_000
const CHECK_EVERY_MS = 500

/** Why a row no longer matches the list. Undefined while it matches, and while the reason is unknown. */
export function departureReason(
  lastMatch: MatchFields | undefined,
  now: Row | undefined,
  agents: ReadonlyMap<string, string>,
): string | undefined {
  if (!lastMatch || !now) return undefined
  if (now.isSpam !== lastMatch.isSpam) return now.isSpam ? 'Marked as spam' : 'Marked as not spam'
  if (now.snoozedUntil !== lastMatch.snoozedUntil) {
    return now.snoozedUntil ? `Snoozed until ${comingTime(new Date(now.snoozedUntil))}` : 'Back in the inbox'
  }
  if (now.status !== lastMatch.status) return `Moved to ${STATUSES[now.status].name}`
  if (now.assignedTo !== lastMatch.assignedTo) {
    return now.assignedTo ? `Assigned to ${agents.get(now.assignedTo) ?? 'another agent'}` : 'Unassigned'
  }
  if (lastMatch.hasFailedSend && !now.hasFailedSend) return 'Retrying'
  if (now.tags.join() !== lastMatch.tags.join()) return 'Tags changed'
  return undefined
}

/** The change that brings a row back into the list. Undefined when there is none. */
export function restoringChange(
  lastMatch: MatchFields | undefined,
  now: Row | undefined,
): TicketChange | undefined {
  if (!lastMatch || !now) return undefined
  const change: TicketChange = {}
  if (now.isSpam !== lastMatch.isSpam) change.isSpam = lastMatch.isSpam
  if (now.snoozedUntil !== lastMatch.snoozedUntil) change.snoozedUntil = lastMatch.snoozedUntil ?? null
  if (now.status !== lastMatch.status) change.status = lastMatch.status
  if (now.assignedTo !== lastMatch.assignedTo) change.assignedTo = lastMatch.assignedTo ?? null
  if (now.tags.join() !== lastMatch.tags.join()) change.tags = [...lastMatch.tags]
  return Object.keys(change).length > 0 ? change : undefined
}

/** Keeps visible rows that left the list up to date from their tickets: the list's own pages no longer include them. */
export function useDepartedRows(list: TicketList, visibleIds: Accessor<readonly string[]>): void {
  const observed = mapArray(visibleIds, (id) => observeDeparted(list, id))
  createEffect(observed)
}

/** Calls `collapse` with the rows that left the list long enough ago and may be removed. */
export function useCollapse(
  list: TicketList,
  mayCollapse: (id: string) => boolean,
  collapse: (ids: ReadonlySet<string>) => void,
): void {
  const departedAt = new Map<string, number>()
  createEffect(() => {
    const ids = list.departedIds()
    const current = new Set(ids)
    for (const id of departedAt.keys()) if (!current.has(id)) departedAt.delete(id)
    for (const id of ids) if (!departedAt.has(id)) departedAt.set(id, performance.now())
    if (ids.length === 0) return
    const timer = setInterval(() => {
      const due = performance.now() - COLLAPSE_AFTER_MS
      const old = ids.filter((id) => (departedAt.get(id) ?? due) < due && mayCollapse(id))
      if (old.length > 0) collapse(new Set(old))
    }, CHECK_EVERY_MS)
    onCleanup(() => clearInterval(timer))
  })
}

function observeDeparted(list: TicketList, id: string): void {
  const isExplained = untrack(
    () => departureReason(list.lastMatch(id), list.row(id), new Map()) !== undefined,
  )
  const wait = isExplained && !knownTicket(id) ? DWELL_MS : 0
  let stop = () => {}
  const timer = setTimeout(() => {
    const observer = new QueryObserver(queries, { ...ticketQuery(id), staleTime: Number.POSITIVE_INFINITY })
    // Cached data may be older than the row.
    const { dataUpdatedAt: cachedAt } = observer.getCurrentResult()
    stop = observer.subscribe(({ data, dataUpdatedAt, error }) => {
      if (isNotFound(error)) list.updateDeparted(id, 'deleted')
      else if (data && dataUpdatedAt > cachedAt) list.updateDeparted(id, updateOf(data), isPending(id))
    })
    if (!isExplained) void observer.refetch()
  }, wait)
  onCleanup(() => {
    clearTimeout(timer)
    stop()
  })
}

function updateOf({ ticket, timeline, drafts, readUpTo }: TicketDetail): DepartedUpdate {
  const { status, assignedTo, tags, isSpam, snoozedUntil } = ticket
  const hasFailedSend = timeline.some(
    (entry) => entry.kind === 'message' && (entry.sending === 'failed' || entry.sending === 'bounced'),
  )
  const isUnread =
    newestMessage(timeline)?.role === 'customer' && firstUnread(timeline, readUpTo) !== undefined
  const hasDraft = drafts.length > 0
  return { status, assignedTo, tags, isSpam, snoozedUntil, hasFailedSend, hasDraft, isUnread }
}
