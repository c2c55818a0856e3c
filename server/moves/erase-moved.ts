import { and, eq, inArray, isNull, or } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { messages } from '../database/tables/messages.ts'
import { movedRows, moves } from '../database/tables/moves.ts'
import { activities } from '../database/tables/threads.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { closeSuggestions } from '../suggestions/close-suggestions.ts'
import { moveCounters } from '../tickets/counters.ts'
import { survivorOf } from '../tickets/merged.ts'
import { lockTicket, type Ticket } from '../tickets/queries.ts'
import { saveChanged } from '../tickets/update-ticket.ts'
import { moveRows } from './moved-rows.ts'
import { withTimes } from './moved-tickets.ts'

// A ticket is erased with all that was written in it, also after merges and splits.

/** These tickets, whose rows are locked, and all that were merged into them. Locks those, too. */
export async function withMerged(tx: Transaction, orgId: string, erased: Ticket[]): Promise<Ticket[]> {
  const all = new Map(erased.map((ticket) => [ticket.id, ticket]))
  for (let ids = [...all.keys()]; ids.length > 0; ) {
    const merged = await tx
      .select({ id: tickets.id })
      .from(tickets)
      .where(and(eq(tickets.orgId, orgId), inArray(tickets.mergedInto, ids)))
    ids = merged.map(({ id }) => id).filter((id) => !all.has(id))
    for (const id of ids.sort()) for (const ticket of await lockTicket(tx, { orgId, id })) all.set(id, ticket)
  }
  return [...all.values()]
}

/**
 * What erased tickets had when they were merged into one that stays moves back, so that it is erased with them. Returns the
 * ids of those that stay.
 */
export async function takeBack(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  erased: Ticket[],
): Promise<string[]> {
  const survivors: string[] = []
  const ids = new Set(erased.map(({ id }) => id))
  for (const { id, mergedInto } of erased) {
    if (mergedInto === null || ids.has(mergedInto)) continue
    const survivorId = await survivorOf(tx, orgId, id)
    const [before] = await lockTicket(tx, { orgId, id: survivorId })
    const merges = await tx
      .select({ moveId: moves.id })
      .from(moves)
      .where(and(matches(moves, { orgId, fromId: id, kind: 'merge' }), isNull(moves.undoneAt)))
    for (const { moveId } of merges) await moveRows(deps, tx, { orgId, moveId, from: survivorId, into: id })
    if (!before) continue
    survivors.push(survivorId)
    const now = deps.clock.now()
    const left = await withTimes(tx, before)
    const after = { ...left, version: before.version + 1, updatedAt: now }
    await saveChanged(tx, { before, after })
    const changes = { messages: {} }
    recordEvents(deps, tx, orgId, [
      { type: 'ticket.updated', ticketId: survivorId, createdAt: now, changes },
      ...(await closeSuggestions(deps, tx, before)),
    ])
    moveCounters(tx, orgId, [{ before, after }])
  }
  return survivors
}

/** The other tickets that messages of these have been in, where the log has their events. */
export async function formerTickets(tx: Transaction, orgId: string, ticketIds: string[]): Promise<string[]> {
  const found = await tx
    .selectDistinct({ id: moves.fromId })
    .from(movedRows)
    .innerJoin(moves, eq(moves.id, movedRows.moveId))
    .innerJoin(messages, eq(messages.id, movedRows.rowId))
    .where(and(eq(messages.orgId, orgId), inArray(messages.ticketId, ticketIds)))
  return found.map(({ id }) => id).filter((id) => !ticketIds.includes(id))
}

/**
 * Deletes the moves from or into tickets or customers, and the lines about them in other tickets: what moved can't move
 * back anymore.
 */
export async function eraseMoves(tx: Transaction, orgId: string, ids: string[]): Promise<void> {
  const isTheirs = and(eq(moves.orgId, orgId), or(inArray(moves.fromId, ids), inArray(moves.intoId, ids)))
  const erased = await tx.select().from(moves).where(isTheirs)
  if (erased.length === 0) return
  const moveIds = erased.map(({ id }) => id)
  const others = erased.flatMap(({ fromId, intoId }) => [fromId, intoId]).filter((id) => !ids.includes(id))
  if (others.length > 0) await eraseLines(tx, { orgId, ticketIds: others, moveIds })
  await tx.delete(movedRows).where(and(eq(movedRows.orgId, orgId), inArray(movedRows.moveId, moveIds)))
  await tx.delete(moves).where(and(eq(moves.orgId, orgId), inArray(moves.id, moveIds)))
}

async function eraseLines(
  tx: Transaction,
  { orgId, ticketIds, moveIds }: { orgId: string; ticketIds: string[]; moveIds: string[] },
): Promise<void> {
  const lines = await tx
    .select({ id: activities.id, changes: activities.changes })
    .from(activities)
    .where(and(eq(activities.orgId, orgId), inArray(activities.ticketId, ticketIds)))
  const isAbout = ({ changes }: (typeof lines)[number]) =>
    changes.some(({ to }) => typeof to === 'string' && moveIds.includes(to))
  const found = lines.filter(isAbout).map(({ id }) => id)
  if (found.length > 0) await tx.delete(activities).where(inArray(activities.id, found))
}
