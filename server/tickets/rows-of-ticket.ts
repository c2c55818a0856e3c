import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { integer, type ParamsOf, text } from '../database/statement.ts'

// Parameters and conditions of statements about the messages, notes, and other parts of one ticket.

export const ofTicket = { orgId: text, ticketId: text }
/** The parts after a place, oldest first. */
export const sliceOfTicket = { ...ofTicket, at: integer, afterId: text, limit: integer }
export type OfTicket = ParamsOf<typeof ofTicket>

type Slice = Record<keyof typeof sliceOfTicket, SQL>

interface PartColumns {
  id: PgColumn
  orgId: PgColumn
  ticketId: PgColumn
  createdAt: PgColumn
}

export function isOfTicket(
  { orgId, ticketId }: Pick<PartColumns, 'orgId' | 'ticketId'>,
  p: Pick<Slice, 'orgId' | 'ticketId'>,
): SQL | undefined {
  return and(eq(orgId, p.orgId), eq(ticketId, p.ticketId))
}

/** The rows of a ticket after a place. */
export function isAfter(columns: PartColumns, p: Omit<Slice, 'limit'>): SQL | undefined {
  return and(isOfTicket(columns, p), sql`(${columns.createdAt}, ${columns.id}) > (${p.at}, ${p.afterId})`)
}

/** Oldest first. The limit is part of it, because Drizzle would bind it bare (statement.ts). */
export function inOrder({ createdAt, id }: PartColumns, p: Pick<Slice, 'limit'>): SQL {
  return sql`${createdAt}, ${id} limit ${p.limit}`
}
