import { and, asc, eq, inArray, lte, sql } from 'drizzle-orm'
import type { Send } from '../../channels/channel.ts'
import { engine } from '../../database/columns.ts'
import type { Reader, Transaction } from '../../database/database.ts'
import { integer, statement, text } from '../../database/statement.ts'
import { messages } from '../../database/tables/messages.ts'
import { sends } from '../../database/tables/sends.ts'
import { tickets } from '../../database/tables/tickets.ts'
import { type ClockJump, shiftOfDueTimes } from '../../jobs/clock-jump.ts'
import { isHeld } from '../../jobs/held.ts'
import { UNTIL_RESUMED } from './queries.ts'
import { MAX_DELAY_MS } from './send-schedule.ts'

/** Written literally, because SQLite uses a partial index only for a query that contains its condition. */
const isUnfinished = sql`state in ('waiting', 'sending')`
const isWaiting = sql`state = 'waiting'`

/** When the first waiting send is due. These queries run after every commit, so no parameter is bare. */
export const findFirstDue = statement('sends_first_due', { limit: integer, held: text }, (read: Reader, p) =>
  read
    .select({ dueAt: sends.dueAt })
    .from(sends)
    .where(and(isUnfinished, isWaiting, isHeld(sends.laneId, p.held)))
    .orderBy(sql`${sends.dueAt}, ${sends.id} limit ${p.limit}`),
)

/** When the next one is due after `now`. */
export const findNextDue = statement('sends_next_due', { now: integer, held: text }, (read: Reader, p) =>
  read
    .select({ dueAt: sends.dueAt })
    .from(sends)
    .where(and(isUnfinished, isWaiting, sql`${sends.dueAt} > ${p.now}`, isHeld(sends.laneId, p.held)))
    .orderBy(sql`${sends.dueAt}, ${sends.id} limit 1`),
)

/** A mailbox or bot that has sends. */
export type Account = Pick<Send, 'laneId' | 'orgId' | 'channel'>
const accountColumns = { laneId: sends.laneId, orgId: sends.orgId, channel: sends.channel }

/** The next mailbox or bot, in the order of ids, that has unfinished sends. */
export const findNextAccount = statement(
  'sends_next_account',
  { after: text, held: text },
  (read: Reader, p) =>
    read
      .select(accountColumns)
      .from(sends)
      .where(and(isUnfinished, sql`${sends.laneId} > ${p.after}`, isHeld(sends.laneId, p.held)))
      .orderBy(sql`${sends.laneId} limit 1`),
)

/** The sends of an account that can be sent now. A send waits for earlier ones of its conversation. */
export const findClaimable = statement(
  'sends_claimable',
  { laneId: text, now: integer, limit: integer },
  (read: Reader | Transaction, p) =>
    read
      .select({ id: sends.id })
      .from(sends)
      .where(
        and(
          eq(sends.laneId, p.laneId),
          isUnfinished,
          isWaiting,
          sql`${sends.dueAt} <= ${p.now}`,
          sql`not exists (select 1 from sends earlier where earlier.conversation = ${sends.conversation}
          and earlier.id < ${sends.id} and earlier.state in ('waiting', 'sending'))`,
        ),
      )
      .orderBy(sql`${sends.dueAt}, ${sends.id} limit ${p.limit}`),
)

/** Marks sends of an account as being sent, at most `limit`. */
export async function claimSends(
  tx: Transaction,
  wanted: { laneId: string; now: number; limit: number },
): Promise<Send[]> {
  const claimed: Send[] = []
  for (const { id } of await findClaimable(tx, wanted)) {
    const [send] = await claim(tx, { id, now: wanted.now })
    if (!send) continue
    claimed.push(send)
    if (send.messageId === null) continue
    const sending = { sending: 'sending' as const, sendError: null }
    await tx.update(messages).set(sending).where(eq(messages.id, send.messageId))
  }
  return claimed
}

const claim = statement('sends_claim', { id: text, now: integer }, (tx, p) =>
  tx
    .update(sends)
    .set({ state: 'sending' })
    .where(and(eq(sends.id, p.id), isWaiting, lte(sends.dueAt, p.now)))
    .returning(),
)

/** Due sends of an account, for a fault that affects all of them. */
export const findDueOf = statement(
  'sends_due_of_lane',
  { laneId: text, now: integer, limit: integer },
  (tx, p) =>
    tx
      .select()
      .from(sends)
      .where(and(eq(sends.laneId, p.laneId), isUnfinished, isWaiting, sql`${sends.dueAt} <= ${p.now}`))
      .orderBy(sql`${sends.dueAt}, ${sends.id} limit ${p.limit}`),
)

/** Those whose sends wait until they are connected again. */
export const findStoppedAccounts = statement('sends_stopped_accounts', {}, (read: Reader) =>
  read
    .selectDistinct(accountColumns)
    .from(sends)
    .where(and(isUnfinished, isWaiting, sql`${sends.dueAt} = ${UNTIL_RESUMED}`)),
)

/** Makes the sends of an account due that wait until it is connected again. */
export async function resumeSends(tx: Transaction, laneId: string, now: number): Promise<void> {
  const isTheirs = and(eq(sends.laneId, laneId), isUnfinished, isWaiting, eq(sends.dueAt, UNTIL_RESUMED))
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
  const isRetry = sql`attempts > 0 and due_at > ${now} and due_at < ${UNTIL_RESUMED}`
  await tx
    .update(sends)
    .set({ dueAt: now })
    .where(and(eq(sends.laneId, laneId), isUnfinished, isWaiting, isRetry))
}

/** Sends whose due time only a wrong clock can have written. Needs `isUnfinished`. */
function isImpossible(now: number) {
  const isTooLate = sql`(attempts = 0 and due_at > ${now} or due_at > ${now + MAX_DELAY_MS})`
  return sql`${isTooLate} and due_at <> ${UNTIL_RESUMED}`
}

/** Mailboxes and bots with sends that a crash left as being sent, or that wait for an impossible time. At start. */
export function findDisturbed(
  read: Reader,
  { now, held }: { now: number; held: string },
): Promise<Account[]> {
  return read
    .selectDistinct(accountColumns)
    .from(sends)
    .where(
      and(isUnfinished, sql`(state = 'sending' or ${isImpossible(now)})`, isHeld(sends.laneId, sql`${held}`)),
    )
}

/** Makes sends due that are marked as being sent without an attempt, and mends impossible due times. */
export async function recoverSends(
  tx: Transaction,
  { laneId, now, isRunning }: { laneId: string; now: number; isRunning: (id: string) => boolean },
): Promise<void> {
  const isTheirs = and(eq(sends.laneId, laneId), isUnfinished)
  const found = await tx
    .select({ id: sends.id, messageId: sends.messageId })
    .from(sends)
    .where(and(isTheirs, sql`state = 'sending'`))
  for (const send of found) if (!isRunning(send.id)) await releaseSend(tx, send)
  const soonest = sql`case when attempts = 0 then ${now} else ${now + MAX_DELAY_MS} end`
  await tx
    .update(sends)
    .set({ dueAt: soonest })
    .where(and(isTheirs, isImpossible(now)))
}

/** Makes a send wait again whose attempt did not begin, or was cut off. */
export async function releaseSend(
  tx: Transaction,
  { id, messageId }: Pick<Send, 'id' | 'messageId'>,
): Promise<void> {
  await tx
    .update(sends)
    .set({ state: 'waiting' })
    .where(and(eq(sends.id, id), sql`state = 'sending'`))
  if (messageId !== null) {
    await tx.update(messages).set({ sending: 'queued' }).where(eq(messages.id, messageId))
  }
}

/** Shifts due times with the clock, of mailboxes and bots whose ids end with one of `held`. */
export async function shiftSends(
  tx: Transaction,
  jump: ClockJump,
  { now, held }: { now: number; held: string },
): Promise<void> {
  const { dueAt, where } = shiftOfDueTimes(jump, { now, isRetry: sql`attempts > 0` })
  const isTheirs = isHeld(sends.laneId, sql`${held}`)
  const isShifted = and(isUnfinished, sql`due_at <> ${UNTIL_RESUMED}`, where, isTheirs)
  if (engine === 'postgresql') {
    // In one order, in which two units never wait for each other.
    await tx.select({ id: sends.id }).from(sends).where(isShifted).orderBy(asc(sends.id)).for('update')
  }
  await tx.update(sends).set({ dueAt }).where(isShifted)
}
