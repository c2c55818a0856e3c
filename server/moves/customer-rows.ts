import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Channels } from '../channels/channel.ts'
import { emailsOf, replaceEmails } from '../customers/customer-emails.ts'
import type { CustomerRow } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { customerIdentities, customers } from '../database/tables/customers.ts'
import { type MergedCustomer, movedRows } from '../database/tables/moves.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { recordActivities } from '../tickets/activities.ts'
import { touchTags } from '../tickets/queries.ts'

/** Rows found by one statement. */
const ROWS_AT_ONCE = 500

/** What belongs to a customer. Each kind has the key that `movedRows` lists its rows by. */
interface Owned {
  kind: string
  table: PgTable & Record<'orgId' | 'customerId', PgColumn>
  key: SQL<string>
}

function ownedRows(channels: Channels): Owned[] {
  return [
    {
      kind: 'identity',
      table: customerIdentities,
      key: sql<string>`${customerIdentities.channel} || ' ' || ${customerIdentities.externalId}`,
    },
    ...channels.all.flatMap(({ rowsOfCustomers = [] }) =>
      rowsOfCustomers.map(({ name, table, key }) => ({ kind: name, table, key })),
    ),
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
  for (const { kind, table, key } of ownedRows(channels)) {
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
  for (const { kind, table, key } of ownedRows(channels)) {
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

/** Gives tickets of a customer to another one: all, or those of `ids`. Returns the ids of what went. */
export async function giveTickets(
  tx: Transaction,
  { orgId, from, into, now, ids }: Way & { now: number; ids?: string[] },
) {
  const gone = await tx
    .update(tickets)
    .set({ customerId: into, version: sql`${tickets.version} + 1`, updatedAt: now })
    .where(
      and(
        eq(tickets.orgId, orgId),
        // An expression, so that the index of the ids is used for some tickets, and that of the customer for all.
        ids ? sql`(${tickets.customerId} || '') = ${from}` : eq(tickets.customerId, from),
        ids && inArray(tickets.id, ids),
      ),
    )
    .returning()
  for (const ticket of gone) await touchTags(tx, ticket)
  return gone.map(({ id }) => id)
}

/** Says in the threads of tickets, and in the log, that they have another customer. */
export async function recordCustomer(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { ticketIds, from, to, now }: { ticketIds: string[]; from: string; to: string; now: number },
): Promise<void> {
  const ids = ticketIds.toSorted()
  const changes = [{ field: 'customer' as const, from, to }]
  await recordActivities(deps, tx, orgId, { done: ids.map((ticketId) => ({ ticketId, changes })), now })
  recordEvents(
    deps,
    tx,
    orgId,
    ids.map((ticketId) => ({ type: 'ticket.updated', ticketId, createdAt: now, changes: { customer: {} } })),
  )
}

export async function mergedCustomer(
  tx: Transaction,
  orgId: string,
  customer: CustomerRow,
): Promise<MergedCustomer> {
  const { company, phone, note, unverifiedEmail, isNameTyped } = customer
  return { company, phone, note, unverifiedEmail, isNameTyped, emails: await emailsOf(tx, orgId, customer) }
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
