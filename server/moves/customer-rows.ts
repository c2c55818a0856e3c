import { and, eq, inArray, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Channels, RowsOfCustomers } from '../channels/channel.ts'
import { emailsOf, replaceEmails } from '../customers/customer-emails.ts'
import type { CustomerRow } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { customerIdentities, customers } from '../database/tables/customers.ts'
import { type MergedCustomer, movedRows } from '../database/tables/moves.ts'
import type { Deps } from '../deps.ts'

/** Rows found by one statement. */
const ROWS_AT_ONCE = 500

/** What belongs to a customer. `movedRows` lists the rows by their key, under the name of their kind. */
function ownedRows({ all }: Channels): RowsOfCustomers[] {
  const { channel, externalId } = customerIdentities
  return [
    { name: 'identity', table: customerIdentities, key: sql<string>`${channel} || ' ' || ${externalId}` },
    ...all.flatMap(({ rowsOfCustomers = [] }) => rowsOfCustomers),
  ]
}

interface Way {
  orgId: string
  from: string
  into: string
}

/** Gives all identities, visitors and chats of a customer to another one. Returns what went. */
export async function giveRows(
  { channels }: Pick<Deps, 'channels'>,
  tx: Transaction,
  { orgId, from, into }: Way,
): Promise<{ kind: string; rowId: string }[]> {
  const given: { kind: string; rowId: string }[] = []
  for (const { name: kind, table, key } of ownedRows(channels)) {
    const rows = await tx
      .update<PgTable>(table)
      .set({ customerId: into })
      .where(and(eq(table.orgId, orgId), eq(table.customerId, from)))
      .returning({ rowId: key })
    given.push(...rows.map(({ rowId }) => ({ kind, rowId })))
  }
  return given
}

/** Gives back those rows that a move lists and the other customer still has. */
export async function returnRows(
  { channels }: Pick<Deps, 'channels'>,
  tx: Transaction,
  { moveId, orgId, from, into }: Way & { moveId: string },
): Promise<void> {
  for (const { name: kind, table, key } of ownedRows(channels)) {
    for (const rowIds of await listedIn(tx, { orgId, moveId, kind })) {
      await tx
        .update<PgTable>(table)
        .set({ customerId: into })
        .where(and(eq(table.orgId, orgId), eq(table.customerId, from), inArray(key, rowIds)))
    }
  }
}

/** The keys of a kind of rows that a move lists, some at a time. */
export async function listedIn(
  tx: Transaction,
  of: { orgId: string; moveId: string; kind: string },
): Promise<string[][]> {
  const rows = await tx.select({ rowId: movedRows.rowId }).from(movedRows).where(matches(movedRows, of))
  const ids = rows.map(({ rowId }) => rowId)
  return Array.from({ length: Math.ceil(ids.length / ROWS_AT_ONCE) }, (_, part) =>
    ids.slice(part * ROWS_AT_ONCE, (part + 1) * ROWS_AT_ONCE),
  )
}

export async function mergedCustomer(
  tx: Transaction,
  orgId: string,
  customer: CustomerRow,
): Promise<MergedCustomer> {
  const { company, phone, note, metadata, unverifiedEmail, isNameTyped } = customer
  return {
    company,
    phone,
    note,
    metadata,
    unverifiedEmail,
    isNameTyped,
    emails: await emailsOf(tx, orgId, customer),
  }
}

/** Stores what a merge changes of a customer. All their tickets are soon found by it. */
export async function saveCustomer(
  tx: Transaction,
  { orgId, id, now }: { orgId: string; id: string; now: number },
  { emails, ...columns }: MergedCustomer & { mergedInto: string | null },
): Promise<void> {
  await replaceEmails(tx, orgId, { id, emails })
  await tx
    .update(customers)
    .set({ ...columns, version: sql`${customers.version} + 1`, updatedAt: now, reindexAfter: '' })
    .where(matches(customers, { orgId, id }))
}
