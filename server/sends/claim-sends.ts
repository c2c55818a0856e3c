import { and, eq, inArray, lte, sql } from 'drizzle-orm'
import type { ClockJump } from '../clock-jump.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { integerParameter, statement, textParameter } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { sends } from '../database/tables/sends.ts'
import { tickets } from '../database/tables/tickets.ts'
import { PARKED, type Send } from './queries.ts'
import { MAX_DELAY_MS } from './send-schedule.ts'

/** Written literally, because SQLite uses a partial index only for a query that contains its condition. */
const isUnfinished = sql`state in ('waiting', 'sending')`
const isWaiting = sql`state = 'waiting'`

/** When the first waiting send is due. These queries run after every commit, so no parameter is bare. */
export const findFirstDue = statement<Record<string, never>, { dueAt: number }[], Reader>(
  'sends_first_due',
  (read) =>
    read
      .select({ dueAt: sends.dueAt })
      .from(sends)
      .where(and(isUnfinished, isWaiting))
      .orderBy(sql`${sends.dueAt}, ${sends.id} limit 1`),
)

/** When the next one is due after `now`. */
export const findNextDue = statement<{ now: number }, { dueAt: number }[], Reader>(
  'sends_next_due',
  (read, p) =>
    read
      .select({ dueAt: sends.dueAt })
      .from(sends)
      .where(and(isUnfinished, isWaiting, sql`${sends.dueAt} > ${integerParameter(p.now)}`))
      .orderBy(sql`${sends.dueAt}, ${sends.id} limit 1`),
)

/** The next mailbox or bot, in the order of ids, that has unfinished sends. */
export const findNextLane = statement<{ after: string }, { laneId: string }[], Reader>(
  'sends_next_lane',
  (read, p) =>
    read
      .select({ laneId: sends.laneId })
      .from(sends)
      .where(and(isUnfinished, sql`${sends.laneId} > ${textParameter(p.after)}`))
      .orderBy(sql`${sends.laneId} limit 1`),
)

/** The sends of a lane that can be sent now. A send waits for earlier ones of its conversation. */
export const findClaimable = statement<
  { laneId: string; now: number; limit: number },
  { id: string }[],
  Reader
>('sends_claimable', (read, p) =>
  read
    .select({ id: sends.id })
    .from(sends)
    .where(
      and(
        eq(sends.laneId, textParameter(p.laneId)),
        isUnfinished,
        isWaiting,
        sql`${sends.dueAt} <= ${integerParameter(p.now)}`,
        sql`not exists (select 1 from sends earlier where earlier.conversation = ${sends.conversation}
          and earlier.id < ${sends.id} and earlier.state in ('waiting', 'sending'))`,
      ),
    )
    .orderBy(sql`${sends.dueAt}, ${sends.id} limit ${integerParameter(p.limit)}`),
)

/** Marks a send as being sent. Returns nothing if it is no longer waiting, or was put off since it was found. */
export async function claimSend(tx: Transaction, id: string, now: number): Promise<Send | undefined> {
  const [claimed] = await claim(tx, { id, now })
  if (claimed && claimed.messageId !== null) {
    const sending = { sending: 'sending' as const, sendError: null }
    await tx.update(messages).set(sending).where(eq(messages.id, claimed.messageId))
  }
  return claimed
}

const claim = statement<{ id: string; now: number }, Send[]>('sends_claim', (tx, p) =>
  tx
    .update(sends)
    .set({ state: 'sending' })
    .where(and(eq(sends.id, p.id), isWaiting, lte(sends.dueAt, p.now)))
    .returning(),
)

/** Due sends of a lane, for a fault that affects all of them. */
export const findDueOfLane = statement<{ laneId: string; now: number; limit: number }, Send[]>(
  'sends_due_of_lane',
  (tx, p) =>
    tx
      .select()
      .from(sends)
      .where(
        and(
          eq(sends.laneId, textParameter(p.laneId)),
          isUnfinished,
          isWaiting,
          sql`${sends.dueAt} <= ${integerParameter(p.now)}`,
        ),
      )
      .orderBy(sql`${sends.dueAt}, ${sends.id} limit ${integerParameter(p.limit)}`),
)

/** Lanes whose sends were parked. */
export const findParkedLanes = statement<Record<string, never>, { laneId: string }[], Reader>(
  'sends_parked_lanes',
  (read) =>
    read
      .selectDistinct({ laneId: sends.laneId })
      .from(sends)
      .where(and(isUnfinished, isWaiting, sql`${sends.dueAt} = ${PARKED}`)),
)

/** Makes the parked sends of a lane due. */
export async function unparkLane(tx: Transaction, laneId: string, now: number): Promise<void> {
  const isTheirs = and(eq(sends.laneId, laneId), isUnfinished, isWaiting, eq(sends.dueAt, PARKED))
  const ids = tx.select({ id: sends.messageId }).from(sends).where(isTheirs)
  // `/v1` shows the error of a message.
  const ticketIds = tx.select({ id: sends.ticketId }).from(sends).where(isTheirs)
  await tx
    .update(tickets)
    .set({ version: sql`${tickets.version} + 1` })
    .where(inArray(tickets.id, ticketIds))
  await tx.update(messages).set({ sendError: null }).where(inArray(messages.id, ids))
  await tx.update(sends).set({ dueAt: now, error: '' }).where(isTheirs)
}

/** Makes sends due that wait after failed attempts, because the cause of the failures was changed. */
export async function retryLane(tx: Transaction, laneId: string, now: number): Promise<void> {
  const isRetry = sql`attempts > 0 and due_at > ${now} and due_at < ${PARKED}`
  await tx
    .update(sends)
    .set({ dueAt: now })
    .where(and(eq(sends.laneId, laneId), isUnfinished, isWaiting, isRetry))
}

/**
 * Makes sends due that are marked as being sent, but aren't in `current`: a crash interrupted them, or the outcome of
 * their commit is unknown after a storage error.
 */
export async function recoverSends(tx: Transaction, current: ReadonlySet<string>): Promise<void> {
  const found = await tx
    .select({ id: sends.id, messageId: sends.messageId })
    .from(sends)
    .where(and(isUnfinished, sql`state = 'sending'`))
  for (const { id, messageId } of found) {
    if (current.has(id)) continue
    await tx.update(sends).set({ state: 'waiting' }).where(eq(sends.id, id))
    if (messageId !== null) {
      await tx.update(messages).set({ sending: 'queued' }).where(eq(messages.id, messageId))
    }
  }
}

/**
 * Shifts due times with the clock, so that a retry keeps its delay: it isn't sent too early or too late, and waking
 * from sleep doesn't send everything at once. Sends that were due before the jump stay due.
 */
export async function shiftSends(
  tx: Transaction,
  { by, checkedAt, checkedAtShifted }: ClockJump,
): Promise<void> {
  const isParked = sql`due_at = ${PARKED}`
  if (by > 0) {
    const isRetry = sql`attempts > 0 and due_at > ${checkedAt} and not (${isParked})`
    await tx
      .update(sends)
      .set({ dueAt: sql`due_at + ${by}` })
      .where(and(isUnfinished, isRetry))
  } else {
    const shifted = sql`case when due_at > ${checkedAt} then due_at + ${by} else ${checkedAtShifted} end`
    await tx
      .update(sends)
      .set({ dueAt: shifted })
      .where(and(isUnfinished, sql`due_at > ${checkedAtShifted} and not (${isParked})`))
  }
}

/** A due time later than any delay allows was written by a wrong clock: a first attempt is due now, a retry soon. */
export async function clampSends(tx: Transaction, now: number): Promise<void> {
  const isParked = sql`due_at = ${PARKED}`
  await tx
    .update(sends)
    .set({ dueAt: now })
    .where(and(isUnfinished, sql`attempts = 0 and due_at > ${now} and not (${isParked})`))
  await tx
    .update(sends)
    .set({ dueAt: now + MAX_DELAY_MS })
    .where(and(isUnfinished, sql`due_at > ${now + MAX_DELAY_MS} and not (${isParked})`))
}
