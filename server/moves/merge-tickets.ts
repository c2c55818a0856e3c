import { and, isNull } from 'drizzle-orm'
import { emailsOf } from '../customers/customer-emails.ts'
import { customerOf } from '../customers/customers.ts'
import type { AlsoSave, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import type { MovedValues } from '../database/tables/moves.ts'
import { notifications } from '../database/tables/notifications.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { PLACES, type TicketStatus } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { readDestination } from '../messages/sends/plan-sends.ts'
import { changeAuthors } from '../tickets/change-customer.ts'
import { requireTicket } from '../tickets/queries.ts'
import { endSnooze } from '../tickets/snooze/snooze.ts'
import { MAX_TAGS } from '../tickets/update-ticket.ts'
import { joinDrafts, joinFollowers, joinMarks, joinSeen } from './join-tickets.ts'
import { lockPair } from './lock-pair.ts'
import { type Pair, requireMergeable } from './mergeable.ts'
import { requireFewMoves } from './move-limit.ts'
import { insertMovedRows, insertMoves, listRows, type Move, moveRows, newMove } from './moved-rows.ts'
import { type MovedTicket, mergedColumns, mergedTicket, saveMoved, withTimes } from './moved-tickets.ts'

/** From the one that needs an agent most. */
const BY_URGENCY: TicketStatus[] = ['open', 'pending', 'resolved']

interface Merge {
  /** The ticket that goes. */
  from: string
  /** The ticket that gets its messages. */
  into: string
}

/**
 * Moves everything of one ticket into another one, whose customer, assignee and subject stay. From then on the other
 * ticket's address, handle and conversation lead there. Throws 404, 400 for a ticket and itself, 409 for two that can't be
 * merged, and 429 after 60 merges in a minute.
 */
export async function mergeTickets(
  deps: Deps,
  orgId: string,
  merge: Merge,
  alsoSave?: AlsoSave<Move>,
): Promise<Move> {
  return deps.database.write(orgId, async (tx) => {
    const pair = await requirePair(tx, orgId, merge)
    await requireMergeable(deps, tx, pair)
    await requireFewMoves(deps, tx, orgId)
    const move = newMove(deps, orgId, { kind: 'merge', fromId: pair.from.id, intoId: pair.into.id })
    await insertMoves(tx, [move])
    const counted = { from: await withTimes(tx, pair.from), into: await withTimes(tx, pair.into) }
    await moveAll(deps, tx, move, pair)
    const done = await changeBoth(tx, move, pair, counted)
    await alsoSave?.(tx, move)
    await saveMoved(deps, tx, orgId, done)
    return move
  })
}

/** Locks the rows of two tickets, and reads their customers. Throws 404. */
async function requirePair(tx: Transaction, orgId: string, merge: Merge): Promise<Pair> {
  const { from, into } = await lockPair(merge, (id) => requireTicket(tx, orgId, id))
  const fromCustomer = await customerOf(tx, orgId, from.customerId)
  const intoCustomer = await customerOf(tx, orgId, into.customerId)
  return { from, into, fromCustomer, intoCustomer }
}

async function moveAll(deps: Deps, tx: Transaction, { orgId, id: moveId }: Move, pair: Pair): Promise<void> {
  const { from, into } = pair
  const way = { orgId, moveId, from: from.id, into: into.id }
  const values = new Map<string, MovedValues>()
  for (const { id, ...author } of await renameAuthors(tx, pair)) values.set(id, { author })
  for (const id of await addressReplies(deps, tx, pair)) values.set(id, { hadNoRecipients: true })
  await listRows(tx, { orgId, moveId, ticketId: from.id }, values)
  await joinMarks(tx, { ...way, isWoken: endsSnooze(pair) })
  await joinDrafts(deps, tx, way)
  await joinFollowers(tx, way)
  await moveRows(deps, tx, way)
  await joinSeen(tx, way)
  // No one can open the ticket anymore, so what is about no message would stay unseen.
  await tx
    .update(notifications)
    .set({ seenAt: deps.clock.now() })
    .where(and(matches(notifications, { orgId, ticketId: from.id }), isNull(notifications.seenAt)))
}

/** Another customer becomes a participant. */
async function renameAuthors(tx: Transaction, { from, fromCustomer, intoCustomer }: Pair) {
  if (fromCustomer.id === intoCustomer.id) return []
  const { orgId, id: ticketId } = from
  const emails = await emailsOf(tx, orgId, intoCustomer)
  return changeAuthors(tx, { orgId, ticketId, before: fromCustomer, after: intoCustomer, emails })
}

/**
 * Replies that wait go to those they were written to, whomever the other ticket would suggest. Returns the ids of those
 * that named no one.
 */
async function addressReplies(
  deps: Deps,
  tx: Transaction,
  { from, fromCustomer, into, intoCustomer }: Pair,
): Promise<string[]> {
  const { orgId, id: ticketId } = from
  const waiting = await tx
    .select({ id: scheduledMessages.id, recipients: scheduledMessages.recipients })
    .from(scheduledMessages)
    .where(matches(scheduledMessages, { orgId, ticketId }))
  const unaddressed = waiting.filter(({ recipients }) => recipients === null)
  if (unaddressed.length === 0) return []
  const { recipients: byEmail } = await readDestination(deps, tx, into, intoCustomer)
  const { recipients: suggested } = await readDestination(deps, tx, from, fromCustomer)
  if (!byEmail && !suggested) return []
  const { name, email } = fromCustomer
  const recipients = suggested
    ? { to: suggested.to, cc: suggested.cc }
    : { to: email === null ? [] : [{ name, address: email }], cc: [] }
  if (recipients.to.length === 0) return []
  for (const { id } of unaddressed) {
    await tx.update(scheduledMessages).set({ recipients }).where(matches(scheduledMessages, { orgId, id }))
  }
  return unaddressed.map(({ id }) => id)
}

/** So that no question is forgotten: that of the one which needs an agent more. */
export function mergedStatus({ from, into }: Pick<Pair, 'from' | 'into'>): TicketStatus {
  return BY_URGENCY.find((one) => one === from.status || one === into.status) ?? into.status
}

/** Someone waits in the one that goes, and would wait out of sight: as if the customer had just written. */
export function endsSnooze({ from, into }: Pick<Pair, 'from' | 'into'>): boolean {
  return into.place === PLACES.snoozed && from.place === PLACES.inbox && from.status !== 'resolved'
}

/** Resolves the one that goes, and gives the other one its tags and the more urgent status of both. */
async function changeBoth(
  tx: Transaction,
  { orgId, id: moveId, createdAt: now }: Move,
  pair: Pair,
  counted: Pick<Pair, 'from' | 'into'>,
): Promise<MovedTicket[]> {
  const { from, into } = pair
  const gone = mergedTicket(from, into.id)
  const status = mergedStatus(pair)
  const tags = [...new Set([...into.tags, ...from.tags])].slice(0, Math.max(MAX_TAGS, into.tags.length))
  const isWoken = endsSnooze(pair)
  if (isWoken) await endSnooze(tx, { orgId, ticketId: into.id, now })
  const awake = { ...into, ...(isWoken && { place: PLACES.inbox, snoozedUntil: null }), status, tags }
  const survivor = await withTimes(tx, awake, from.lastMessageAt)
  const done = [
    { before: from, after: gone, line: { field: 'mergedInto', from: into.id, to: moveId } },
    { before: into, after: survivor, line: { field: 'merged', from: from.id, to: moveId } },
  ] satisfies MovedTicket[]
  const changed = done.map(({ before, after }) => {
    const { lastMessageAt: countedAt } = before === from ? counted.from : counted.into
    const ticket = { before: mergedColumns(before), after: mergedColumns(after), countedAt }
    return { orgId, moveId, kind: 'ticket', rowId: before.id, values: { ticket } }
  })
  await insertMovedRows(tx, changed)
  return done
}
