import { and, gt } from 'drizzle-orm'
import type { AlsoSave, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { messages } from '../database/tables/messages.ts'
import { type MovedValues, movedRows, moves } from '../database/tables/moves.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { PLACES } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { survivorOf } from '../tickets/merged.ts'
import { requireTicket, type Ticket } from '../tickets/queries.ts'
import { snoozeAgain } from '../tickets/snooze/snooze.ts'
import { joinDrafts, separateDraft, separateFollower, separateMark, separateSeen } from './join-tickets.ts'
import { lockPair } from './lock-pair.ts'
import { isEmpty, type Move, moveRows } from './moved-rows.ts'
import { type MovedTicket, mergedTicket, saveMoved, withTimes } from './moved-tickets.ts'
import { findMove } from './queries.ts'
import { unmergeCustomers } from './unmerge-customers.ts'

export const UNDO_DAYS = 30
const DAY_MS = 86_400_000

/** The tickets that a move moves back between: where its rows are now, and where they came from. */
interface Back {
  holder: Ticket
  home: Ticket
}

/**
 * Moves everything back that a merge or split has moved, from where it is now, also after later merges. What came since
 * stays. Throws 404, and 409 for a move that was undone or is older than 30 days.
 */
export async function undoMove(
  deps: Deps,
  orgId: string,
  id: string,
  alsoSave?: AlsoSave<Move>,
): Promise<Move> {
  return deps.database.write(orgId, async (tx) => {
    const move = await requireUndoable(deps, tx, orgId, id)
    const undone = { ...move, undoneAt: deps.clock.now() }
    await tx.update(moves).set({ undoneAt: undone.undoneAt }).where(matches(moves, { orgId, id }))
    if (move.kind === 'customer') {
      await alsoSave?.(tx, undone)
      await unmergeCustomers(deps, tx, move)
      return undone
    }
    const back = await lockTickets(tx, move)
    const done =
      move.kind === 'merge' ? await unmerge(deps, tx, move, back) : await unsplit(deps, tx, move, back)
    await alsoSave?.(tx, undone)
    await saveMoved(deps, tx, orgId, done)
    return undone
  })
}

async function requireUndoable(deps: Deps, tx: Transaction, orgId: string, id: string): Promise<Move> {
  const [move] = isId('mov', id) ? await findMove(tx, { orgId, id }) : []
  if (!move) throw notFound('merge or split')
  if (move.undoneAt !== null) throw new AppError(409, 'already_undone', 'This was undone before.')
  if (deps.clock.now() - move.createdAt <= UNDO_DAYS * DAY_MS) return move
  throw new AppError(409, 'undo_expired', `A merge or split can be undone for ${UNDO_DAYS} days.`)
}

/** A merged ticket gets its rows back itself. What was split goes to where the rest of its ticket is. */
async function lockTickets(tx: Transaction, { orgId, kind, fromId, intoId }: Move): Promise<Back> {
  const holderId = await survivorOf(tx, orgId, intoId)
  const homeId = kind === 'merge' ? fromId : await survivorOf(tx, orgId, fromId)
  const { from: home, into: holder } = await lockPair({ from: homeId, into: holderId }, (id) =>
    requireTicket(tx, orgId, id),
  )
  return { holder, home }
}

async function unmerge(
  deps: Deps,
  tx: Transaction,
  move: Move,
  { holder, home }: Back,
): Promise<MovedTicket[]> {
  const { orgId, id: moveId, intoId } = move
  await moveRows(deps, tx, { orgId, moveId, from: holder.id, into: home.id })
  const changed = await tx.select().from(movedRows).where(matches(movedRows, { orgId, moveId }))
  for (const { rowId, values } of changed) if (values) await restore(tx, move, rowId, values)
  const valuesOf = (id: string) => changed.find(({ rowId }) => rowId === id)?.values?.ticket
  const again = await stillSnoozed(deps, tx, { ...home, ...valuesOf(home.id)?.before, mergedInto: null })
  const isFirst = holder.id === intoId
  return [
    {
      before: home,
      after: await withKnownTimes(tx, again, { ...again, ...valuesOf(home.id) }),
      line: { field: 'moveUndone', from: holder.id, to: moveId },
    },
    {
      before: holder,
      after: isFirst
        ? await lessened(deps, tx, move, holder, valuesOf(holder.id))
        : await withTimes(tx, holder),
      line: { field: 'moveUndone', from: home.id, to: moveId },
    },
  ]
}

/** Sets its timer again. A ticket that would have woken meanwhile is awake. */
async function stillSnoozed(deps: Deps, tx: Transaction, ticket: Ticket): Promise<Ticket> {
  const { orgId, id: ticketId, snoozedUntil } = ticket
  if (snoozedUntil === null) return ticket
  if (snoozedUntil <= deps.clock.now()) return { ...ticket, snoozedUntil: null, place: PLACES.inbox }
  await snoozeAgain(tx, { orgId, ticketId, until: snoozedUntil })
  return ticket
}

/** One row that was changed as well. Drafts and marks are in the ticket that they were joined in. */
async function restore(
  tx: Transaction,
  { orgId, fromId, intoId }: Move,
  rowId: string,
  { author, hadNoRecipients, seen, draft, mark, follower }: MovedValues,
): Promise<void> {
  const isBack = { orgId, ticketId: fromId, id: rowId }
  if (author) await tx.update(messages).set(author).where(matches(messages, isBack))
  if (hadNoRecipients)
    await tx.update(scheduledMessages).set({ recipients: null }).where(matches(scheduledMessages, isBack))
  if (seen) await separateSeen(tx, seen, { orgId, id: rowId })
  if (draft) await separateDraft(tx, draft, intoId)
  if (follower) await separateFollower(tx, follower, intoId)
  if (mark) await separateMark(tx, mark, { orgId, agentId: rowId, ticketId: intoId })
}

/** Without the tags of the other ticket, and with its own status and snooze if no one has written since. */
async function lessened(
  deps: Deps,
  tx: Transaction,
  { orgId, createdAt }: Move,
  ticket: Ticket,
  values: MovedValues['ticket'],
): Promise<Ticket> {
  if (!values) return withTimes(tx, ticket)
  const { before, after, countedAt } = values
  const later = await tx
    .selectDistinct({ role: messages.role })
    .from(messages)
    .where(
      and(
        matches(messages, { orgId, ticketId: ticket.id, isAutomatic: false }),
        gt(messages.createdAt, createdAt),
      ),
    )
  const hasAsked = later.some(({ role }) => role === 'customer')
  const status = ticket.status === after.status && !hasAsked ? before.status : ticket.status
  const added = after.tags.filter((tag) => !before.tags.includes(tag))
  const tags = ticket.tags.filter((tag) => !added.includes(tag))
  const { snoozedUntil, place } = before
  const isStillWoken = ticket.snoozedUntil === null && after.snoozedUntil === null
  const isAsBefore = isStillWoken && ticket.place === after.place && ticket.status === after.status
  const isSnoozedAgain = snoozedUntil !== null && isAsBefore && later.length === 0
  const own = { ...ticket, ...(isSnoozedAgain && { snoozedUntil, place }), status, tags }
  const again = isSnoozedAgain ? await stillSnoozed(deps, tx, own) : own
  return withKnownTimes(tx, again, { ...before, countedAt })
}

/**
 * As before, if its messages and its status are: how long a customer waits, and when a snooze ended before the next one,
 * isn't in the messages alone.
 */
async function withKnownTimes(
  tx: Transaction,
  ticket: Ticket,
  known: Pick<Ticket, 'status' | 'lastMessageAt' | 'waitingOrder'> & { countedAt?: number | undefined },
): Promise<Ticket> {
  const counted = await withTimes(tx, ticket)
  const { countedAt = known.lastMessageAt } = known
  if (counted.lastMessageAt !== countedAt || counted.status !== known.status) return counted
  return { ...counted, lastMessageAt: known.lastMessageAt, waitingOrder: known.waitingOrder }
}

/** A ticket that has nothing left leads to the one that its messages came from. */
async function unsplit(
  deps: Deps,
  tx: Transaction,
  move: Move,
  { holder, home }: Back,
): Promise<MovedTicket[]> {
  const { orgId, id: moveId, intoId } = move
  const line = (from: string) => ({ field: 'moveUndone' as const, from, to: moveId })
  if (holder.id === home.id) return [{ before: home, after: home, line: line(intoId) }]
  await moveRows(deps, tx, { orgId, moveId, from: holder.id, into: home.id })
  const isEmptied = holder.id === intoId && (await isEmpty(tx, { orgId, ticketId: holder.id }))
  if (isEmptied) await joinDrafts(deps, tx, { orgId, moveId, from: holder.id, into: home.id })
  const left = isEmptied ? mergedTicket(holder, home.id) : await withTimes(tx, holder)
  return [
    { before: home, after: await withTimes(tx, home), line: line(holder.id) },
    { before: holder, after: left, line: line(home.id) },
  ]
}
