import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { integerParameter, textParameter } from '../database/statement.ts'
import type { Place } from '../responses/row-slices.ts'

// Conditions for prepared statements about the messages, notes, and other parts of one ticket.

export type OfTicket = { orgId: string; ticketId: string }
export type SliceOfTicket = OfTicket & Place & { limit: number }

interface PartColumns {
  id: PgColumn
  orgId: PgColumn
  ticketId: PgColumn
  createdAt: PgColumn
}

/** Needs the parameters `orgId` and `ticketId`. */
export function isOfTicket({ orgId, ticketId }: Pick<PartColumns, 'orgId' | 'ticketId'>): SQL | undefined {
  return and(
    eq(orgId, textParameter(sql.placeholder('orgId'))),
    eq(ticketId, textParameter(sql.placeholder('ticketId'))),
  )
}

/** The rows of a ticket after a place. Needs `at` and `afterId` too. */
export function isAfter(columns: PartColumns): SQL | undefined {
  return and(isOfTicket(columns), sql`(${columns.createdAt}, ${columns.id}) > (${placeParameters()})`)
}

/** The parameters `at` and `afterId`. */
export function placeParameters(): SQL {
  return sql`${integerParameter(sql.placeholder('at'))}, ${textParameter(sql.placeholder('afterId'))}`
}

/** Oldest first. SQLite would plan a query with a bare parameter for its limit again each time. */
export function inOrder({ createdAt, id }: PartColumns, limit: Placeholder): SQL {
  return sql`${createdAt}, ${id} limit ${integerParameter(limit)}`
}
