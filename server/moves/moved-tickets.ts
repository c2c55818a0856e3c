import { max, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { messages } from '../database/tables/messages.ts'
import type { MergedColumns } from '../database/tables/moves.ts'
import type { FieldChange } from '../database/tables/threads.ts'
import { PLACES } from '../database/tables/tickets.ts'
import { isoTimeOrNull } from '../dates.ts'
import type { Deps } from '../deps.ts'
import { type NewEvent, recordEvents } from '../events/events.ts'
import { closeSuggestions } from '../suggestions/close-suggestions.ts'
import { recordActivities } from '../tickets/activities.ts'
import { moveCounters } from '../tickets/counters.ts'
import type { Ticket } from '../tickets/queries.ts'
import { findSnooze } from '../tickets/snooze/snooze.ts'
import { type Changed, saveChanged, updatedEvent } from '../tickets/update-ticket.ts'
import { readWaitingOrder, waitingOrderOf } from '../tickets/waiting.ts'

/** A ticket before and after messages came or went, and the line about it in its thread. */
export interface MovedTicket extends Changed {
  line: FieldChange
}

/** Stores tickets that messages came to or went from, whose rows are locked. It comes last in a unit. */
export async function saveMoved(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  moved: MovedTicket[],
): Promise<void> {
  const now = deps.clock.now()
  const done = moved.map(({ before, after, line }) => ({
    before,
    after: { ...after, version: before.version + 1, updatedAt: now },
    line,
  }))
  for (const changed of done) await saveChanged(tx, changed)
  const lines = done.flatMap(({ before, after, line }) =>
    [[line], snoozeChange(before, after)].map((changes) => ({ ticketId: after.id, changes })),
  )
  await recordActivities(deps, tx, orgId, { done: lines.filter(({ changes }) => changes.length > 0), now })
  const events = done.map((changed): NewEvent => {
    const event = updatedEvent(changed, now)
    return { ...event, changes: { ...event.changes, messages: {} } }
  })
  // What was suggested answers a ticket that isn't the same anymore.
  for (const { before } of moved) events.push(...(await closeSuggestions(deps, tx, before)))
  recordEvents(deps, tx, orgId, events)
  moveCounters(tx, orgId, done)
}

/** Of a ticket that stays, what its thread says of a snooze that ended or came back. */
function snoozeChange({ snoozedUntil, mergedInto }: Ticket, after: Ticket): FieldChange[] {
  if (snoozedUntil === after.snoozedUntil || mergedInto !== after.mergedInto) return []
  const [from, to] = [isoTimeOrNull(snoozedUntil) ?? '', isoTimeOrNull(after.snoozedUntil) ?? '']
  return [{ field: 'snoozedUntil', from, to }]
}

/** The ticket with the times of the messages that it has now, on top since its snooze ended, or since a time. */
export async function withTimes(tx: Transaction, ticket: Ticket, onTopSince = 0): Promise<Ticket> {
  const { orgId, id: ticketId, createdAt } = ticket
  const [newest] = await tx
    .select({ at: max(messages.createdAt) })
    .from(messages)
    .where(
      sql`${matches(messages, { orgId, ticketId })} and not (${messages.role} = 'agent' and ${messages.isAutomatic})`,
    )
  const [snooze] = await findSnooze(tx, { orgId, ticketId })
  const lastMessageAt = Math.max(newest?.at ?? createdAt, snooze?.wokenAt ?? 0, onTopSince)
  const after = { ...ticket, lastMessageAt }
  const isWaitedOn = ticket.status !== 'resolved'
  const waitingOrder = isWaitedOn
    ? await readWaitingOrder(tx, after)
    : waitingOrderOf(undefined, lastMessageAt)
  return { ...after, waitingOrder }
}

/** A ticket as it is once it has nothing left and leads to another one. */
export function mergedTicket(ticket: Ticket, mergedInto: string): Ticket {
  return {
    ...ticket,
    status: 'resolved',
    place: PLACES.merged,
    mergedInto,
    snoozedUntil: null,
    waitingOrder: waitingOrderOf(undefined, ticket.lastMessageAt),
  }
}

export function mergedColumns(ticket: Ticket): MergedColumns {
  const { status, place, tags, lastMessageAt, waitingOrder, snoozedUntil } = ticket
  return { status, place, tags, lastMessageAt, waitingOrder, snoozedUntil }
}
