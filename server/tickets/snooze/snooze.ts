import { and, eq, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { insertOf, statement } from '../../database/statement.ts'
import { type FieldChange, readMarks } from '../../database/tables/threads.ts'
import type { Actions } from '../../database/tables/tickets.ts'
import { snoozes } from '../../database/tables/timers.ts'
import type { Deps } from '../../deps.ts'
import { invalid } from '../../errors.ts'
import type { Ticket } from '../queries.ts'
import { ofTicket } from '../rows-of-ticket.ts'
import { deleteTimers, setTimers } from './timers.ts'

export type Snooze = typeof snoozes.$inferSelect

const MAX_SNOOZE_MS = 366 * 24 * 60 * 60_000

/** Throws 400 for a time that is past or more than a year away. */
export function requireSnoozable(actions: SnoozeAction, now: number, pointer = '/snoozedUntil'): void {
  if (typeof actions.snoozedUntil !== 'string' || isSnoozing(actions, now)) return
  const detail = 'Choose a time in the future, at most a year away.'
  const isTooFar = Date.parse(actions.snoozedUntil) > now
  throw invalid([{ pointer, code: isTooFar ? 'too_far_ahead' : 'invalid_format', detail }])
}

/** Whether actions snooze a ticket, until a time that is not past. */
export function isSnoozing({ snoozedUntil }: SnoozeAction, now: number): boolean {
  const until = Date.parse(snoozedUntil ?? '')
  return until > now && until <= now + MAX_SNOOZE_MS
}

type SnoozeAction = Pick<Actions, 'snoozedUntil'>

interface SnoozeChange {
  /** As it is after the change. */
  ticket: Ticket
  /** As it was before, if it is undefined. */
  why: string | undefined
  isWoken: boolean
  now: number
}

/**
 * Keeps who snoozed a ticket and why, and sets or deletes its timer. A ticket that wakes is unread for every agent. Returns
 * what the thread says of it besides the time.
 */
export async function saveSnooze(
  deps: Deps,
  tx: Transaction,
  { ticket, why, isWoken, now }: SnoozeChange,
): Promise<FieldChange[]> {
  const { orgId, id: ticketId, snoozedUntil } = ticket
  const [known] = await findSnooze(tx, { orgId, ticketId })
  if (snoozedUntil === null) {
    await endSnooze(tx, { orgId, ticketId, now: isWoken ? now : null })
    return known?.why ? [{ field: 'why', from: known.why, to: '' }] : []
  }
  const { id: agentId = null, name: agentName } = deps.actor
  const reason = why?.trim() ?? known?.why ?? ''
  await setTimers(tx, [{ orgId, ticketId, kind: 'wake', ref: '', dueAt: snoozedUntil, data: {} }])
  await saveSnoozes(tx, [
    { orgId, ticketId, agentId, agentName, why: reason, until: snoozedUntil, wokenAt: null },
  ])
  return reason ? [{ field: 'why', from: '', to: reason }] : []
}

/** `now` is when the ticket comes back, unread for every agent; null if an agent wakes it. */
export async function endSnooze(
  tx: Transaction,
  { orgId, ticketId, now }: { orgId: string; ticketId: string; now: number | null },
): Promise<void> {
  await deleteTimers(tx, { orgId, ticketId, kind: 'wake' })
  await tx.update(snoozes).set({ wokenAt: now }).where(matches(snoozes, { orgId, ticketId }))
  if (now !== null) await tx.delete(readMarks).where(matches(readMarks, { orgId, ticketId }))
}

/** Sets the timer of a ticket whose snooze a merge had ended or hidden. */
export async function snoozeAgain(
  tx: Transaction,
  { orgId, ticketId, until }: { orgId: string; ticketId: string; until: number },
): Promise<void> {
  await setTimers(tx, [{ orgId, ticketId, kind: 'wake', ref: '', dueAt: until, data: {} }])
  await tx.update(snoozes).set({ wokenAt: null }).where(matches(snoozes, { orgId, ticketId }))
}

/** What is shown of a snooze. */
export interface SnoozeNote {
  by: string
  why: string
  until: number
  /** The ticket is back. */
  isOver: boolean
}

/** Of a ticket that is snoozed, or back without a newer message or a solution since. `newestAt` is its newest message. */
export function snoozeNoteOf(
  { snoozedUntil, status }: Pick<Ticket, 'snoozedUntil' | 'status'>,
  snooze: Snooze | null | undefined,
  newestAt: number,
): SnoozeNote | undefined {
  if (!snooze) return undefined
  const isOver = snooze.wokenAt !== null && snooze.wokenAt >= newestAt && status !== 'resolved'
  if (snoozedUntil === null && !isOver) return undefined
  return { by: snooze.agentName, why: snooze.why, until: snooze.until, isOver: snoozedUntil === null }
}

/** The last snooze of a ticket. */
export const findSnooze = statement('snoozes_find', ofTicket, (read: Reader | Transaction, p) =>
  read
    .select()
    .from(snoozes)
    .where(and(eq(snoozes.orgId, p.orgId), eq(snoozes.ticketId, p.ticketId))),
)

const saveSnoozes = insertOf(snoozes, {
  onConflict: {
    target: [snoozes.ticketId],
    set: {
      agentId: sql`excluded.agent_id`,
      agentName: sql`excluded.agent_name`,
      why: sql`excluded.why`,
      until: sql`excluded.until`,
      wokenAt: sql`excluded.woken_at`,
    },
  },
})
