import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { integer, type ParamsOf, text } from '../database/statement.ts'
import { inSlice, readInSlices } from '../responses/row-slices.ts'

// Parameters and conditions of statements about the messages, notes, and other parts of one ticket.

export const ofTicket = { orgId: text, ticketId: text }
/** After the part with this time and id. */
export const placeInTicket = { ...ofTicket, at: integer, afterId: text }
export type OfTicket = ParamsOf<typeof ofTicket>
type PlaceInTicket = ParamsOf<typeof placeInTicket>

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

/** Slices of a page: about a megabyte. */
const MAX_SLICES = 8

/** The next parts of one kind, oldest first. `next` is the place where the next page begins; undefined on the last one. */
export async function pageOfParts<Row extends { id: string; createdAt: number }>(
  of: OfTicket,
  { after, limit }: { after: { at: number; id: string } | undefined; limit: number },
  partsAfter: (place: PlaceInTicket) => Promise<Row[]>,
): Promise<{ rows: Row[]; next: { at: number; id: string } | undefined }> {
  const rows: Row[] = []
  const placeOf = (row: Row | undefined) => row && { at: row.createdAt, id: row.id }
  let place = after ?? { at: -1, id: '' }
  for (let slices = 0; slices < MAX_SLICES; slices += 1) {
    const more = await partsAfter({ ...of, at: place.at, afterId: place.id })
    const last = placeOf(more.at(-1))
    if (!last) return { rows, next: undefined }
    rows.push(...more)
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: placeOf(rows[limit - 1]) }
    place = last
  }
  return { rows, next: place }
}
