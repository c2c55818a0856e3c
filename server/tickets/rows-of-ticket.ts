import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { integer, type ParamsOf, text } from '../database/statement.ts'
import { inSlice, readInSlices } from '../responses/row-slices.ts'

// Parameters and conditions of statements about the messages, notes, and other parts of one ticket.

export const ofTicket = { orgId: text, ticketId: text }
/** After the part with this time and id. */
export const placeInTicket = { ...ofTicket, at: integer, afterId: text }
export type OfTicket = ParamsOf<typeof ofTicket>
export type PlaceInTicket = ParamsOf<typeof placeInTicket>

interface PartColumns {
  id: PgColumn
  orgId: PgColumn
  ticketId: PgColumn
  createdAt: PgColumn
}

export function isOfTicket(
  { orgId, ticketId }: PartColumns,
  p: Record<keyof OfTicket, SQL>,
): SQL | undefined {
  return and(eq(orgId, p.orgId), eq(ticketId, p.ticketId))
}

/**
 * The condition and the order of a query for the next slice of the parts of a ticket, oldest first. `bytes` is about what
 * a part takes.
 */
export function nextParts(columns: PartColumns, p: Record<keyof PlaceInTicket, SQL>, bytes: SQL) {
  const { createdAt, id } = columns
  const where = and(isOfTicket(columns, p), sql`(${createdAt}, ${id}) > (${p.at}, ${p.afterId})`)
  return { where, order: inSlice([createdAt, id], { where, bytes }) }
}

/** All parts of one kind, oldest first, in slices. */
export function partsInSlices<Row extends { id: string; createdAt: number }>(
  of: OfTicket,
  partsAfter: (place: PlaceInTicket) => Promise<Row[]>,
): AsyncGenerator<Row[], void, void> {
  return readInSlices(
    { ...of, at: -1, afterId: '' },
    ({ id, createdAt }: Row) => ({ ...of, at: createdAt, afterId: id }),
    partsAfter,
  )
}
