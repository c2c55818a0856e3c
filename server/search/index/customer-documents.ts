import { and, asc, eq, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { engine } from '../../database/columns.ts'
import type { Reader, Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { statement, text } from '../../database/statement.ts'
import { customers, NO_TICKETS } from '../../database/tables/customers.ts'
import type { Deps } from '../../deps.ts'
import { customersWord, wordsOf } from '../index-words.ts'
import { replaceDocuments, type TicketDocument } from './documents.ts'

/** New customers that are indexed in one unit. Each has some ten words. */
const CUSTOMERS_AT_ONCE = 200

/** Indexes the next new customers. Returns whether there were any. */
export async function indexNewCustomers(deps: Deps, orgId: string): Promise<boolean> {
  const { read } = deps.database
  const isNew = and(
    eq(customers.orgId, orgId),
    isNotNull(customers.reindexAfter),
    eq(customers.reindexAfter, NO_TICKETS),
  )
  const rows = await read
    .select({ id: customers.id })
    .from(customers)
    .where(isNew)
    .orderBy(asc(customers.id))
    .limit(CUSTOMERS_AT_ONCE)
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return false
  const documents: TicketDocument[] = []
  for (const id of ids) documents.push(await documentOfCustomer(read, { orgId, id }))
  await deps.database.write(undefined, async (tx) => {
    // One that has changed since it was read is indexed again by its change.
    const indexed = await tx
      .update(customers)
      .set({ reindexAfter: null })
      .where(and(isNew, inArray(customers.id, ids)))
      .returning({ id: customers.id })
    const unchanged = new Set(indexed.map(({ id }) => id))
    await replaceDocuments(
      tx,
      orgId,
      documents.filter(({ ticketId }) => unchanged.has(ticketId)),
    )
  })
  return true
}

/** The documents of those customers of tickets who have none yet. */
export async function missingCustomers(
  tx: Transaction,
  orgId: string,
  documents: TicketDocument[],
): Promise<TicketDocument[]> {
  const byId = new Map(documents.flatMap(({ customer }) => (customer ? [[customer.ticketId, customer]] : [])))
  if (byId.size === 0) return []
  const existing = tx
    .select({ id: customers.id })
    .from(customers)
    .where(
      and(eq(customers.orgId, orgId), inArray(customers.id, [...byId.keys()]), isNull(customers.mergedInto)),
    )
  // On PostgreSQL one may be deleted meanwhile, with the document that it has by then.
  const kept = await (engine === 'sqlite' ? existing : existing.for('key share'))
  return kept.flatMap(({ id }) => byId.get(id) ?? [])
}

/** What the list of customers finds one by. Without words if it was deleted or merged into another. */
export async function documentOfCustomer(
  read: Reader,
  { orgId, id }: { orgId: string; id: string },
): Promise<TicketDocument> {
  const [customer] = await customerToIndex(read, { orgId, id })
  if (!customer || customer.mergedInto !== null) return { ticketId: id, words: undefined }
  return { ticketId: id, words: wordsOfCustomer(orgId, customer) }
}

type Described = Record<'name' | 'company' | 'phone', string> &
  Record<'email' | 'unverifiedEmail' | 'otherEmails', string | null>

export function wordsOfCustomer(orgId: string, customer: Described): string[] {
  const { name, email, unverifiedEmail, otherEmails, company, phone } = customer
  const texts = [name, email, unverifiedEmail, otherEmails, company, phone]
  return [customersWord(orgId), ...texts.flatMap((each) => wordsOf(each ?? ''))]
}

/** The addresses of a customer beside their first as one text: a query of their own would cost each document more. */
export const otherEmailsAsText: SQL<string | null> =
  sql`(select string_agg(other.email, ' ') from customer_emails other where other.customer_id = ${customers.id})`

const customerToIndex = statement('search_customer', { orgId: text, id: text }, (read: Reader, p) =>
  read
    .select({
      name: customers.name,
      email: customers.email,
      unverifiedEmail: customers.unverifiedEmail,
      otherEmails: otherEmailsAsText,
      company: customers.company,
      phone: customers.phone,
      mergedInto: customers.mergedInto,
    })
    .from(customers)
    .where(matches(customers, p)),
)
