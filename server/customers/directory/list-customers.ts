import { and, desc, eq, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../database/database.ts'
import { type IndexQuery, matchingNumbers } from '../../database/full-text.ts'
import { matches } from '../../database/matches.ts'
import { customers } from '../../database/tables/customers.ts'
import { searchDocuments } from '../../database/tables/search.ts'
import { PLACES } from '../../database/tables/tickets.ts'
import type { Deps } from '../../deps.ts'
import { isId } from '../../ids.ts'
import { customersWord, NOWHERE_WORD, wordsOf } from '../../search/index-words.ts'
import { outermostDocuments } from '../../search/queries.ts'
import { isLongEnough } from '../../search/query-language.ts'
import { otherEmails } from '../customer-emails.ts'
import { invalidCursor } from './read-customer.ts'

/** In a page, by default and at most. */
export const MAX_CUSTOMERS = 50
const MAX_WORDS = 16
/**
 * How many of the newest documents are searched first, and how many times as many are next. Before its first match, SQLite
 * reads every match of a word in the range: a page of a word that all customers have is among the newest.
 */
const FIRST_NUMBERS = 4_096
const GROWTH = 8
/** Tickets of one customer that are counted for a row. */
export const MAX_COUNTED = 1_000

export interface ListedCustomer {
  id: string
  name: string
  emails: string[]
  company: string
  isNameTyped: boolean
  unverifiedEmail: string | null
  /** At most `MAX_COUNTED`. */
  tickets: number
  lastMessageAt: number | null
}

interface ListInput {
  /** Words, addresses, or beginnings of them. All must be in the customer's name, addresses, company or phone number. */
  q?: string | undefined
  cursor?: string | undefined
  limit?: number | undefined
}

/**
 * A page of customers, the newest first; of those that a search finds, the last changed first. `nextCursor` is absent on
 * the last page. Throws 400 for another cursor.
 */
export async function listCustomers(
  deps: Deps,
  orgId: string,
  input: ListInput,
): Promise<{ customers: ListedCustomer[]; nextCursor?: string }> {
  const { read } = deps.database
  const { ids, ...page } = await findCustomers(deps, orgId, input)
  if (ids.length === 0) return { customers: [], ...page }
  const rows = await read
    .select(rowColumns)
    .from(customers)
    .where(and(inArray(customers.id, ids), sql`(${customers.orgId} || '') = ${orgId}`))
  const emails = await otherEmails(read, orgId, ids)
  const shown = rows.map(({ email, ...row }) => ({
    ...row,
    emails: email === null ? [] : [email, ...(emails.get(row.id) ?? [])],
  }))
  return { customers: shown.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id)), ...page }
}

/** The ids of the same page. */
export async function findCustomers(
  deps: Deps,
  orgId: string,
  { q = '', cursor, limit = MAX_CUSTOMERS }: ListInput,
): Promise<{ ids: string[]; nextCursor?: string }> {
  const { ids, next } =
    q.trim() === ''
      ? await newest(deps, orgId, { cursor, limit })
      : await search(deps, orgId, q, { cursor, limit })
  return { ids, ...(next !== undefined && { nextCursor: next }) }
}

/** Whether a search finds this customer. */
export async function isFound(
  { database: { read, background } }: Deps,
  orgId: string,
  { id, q }: { id: string; q: string },
): Promise<boolean> {
  const [document] = await read
    .select({ number: searchDocuments.number })
    .from(searchDocuments)
    .where(matches(searchDocuments, { orgId, ticketId: id }))
  if (!document) return false
  const place = { downTo: document.number, below: document.number + 1, limit: 1 }
  const { numbers } = await matchingNumbers(background, indexQueryOf(orgId, q), place)
  return numbers.length > 0
}

interface Page {
  cursor: string | undefined
  limit: number
}

async function newest(
  { database: { read } }: Deps,
  orgId: string,
  { cursor, limit }: Page,
): Promise<{ ids: string[]; next: string | undefined }> {
  if (cursor !== undefined && !isId('usr', cursor)) throw invalidCursor()
  const rows = await read
    .select({ id: customers.id })
    .from(customers)
    .where(
      and(
        eq(customers.orgId, orgId),
        isNull(customers.mergedInto),
        cursor === undefined ? undefined : lt(customers.id, cursor),
      ),
    )
    .orderBy(desc(customers.id))
    .limit(limit + 1)
  const ids = rows.slice(0, limit).map(({ id }) => id)
  return { ids, next: rows.length > limit ? ids.at(-1) : undefined }
}

/** Along the full-text index, by the numbers of the documents. */
async function search(
  { database: { read, background } }: Deps,
  orgId: string,
  q: string,
  { cursor, limit }: Page,
): Promise<{ ids: string[]; next: string | undefined }> {
  const start = cursor === undefined ? undefined : Number(cursor)
  if (start !== undefined && !Number.isSafeInteger(start)) throw invalidCursor()
  const query = indexQueryOf(orgId, q)
  const [lowest, highest] = await outermostDocuments(read)
  if (lowest === undefined || highest === undefined) return { ids: [], next: undefined }
  const rows: Found[] = []
  let below: number | undefined = Math.min(start ?? highest + 1, highest + 1)
  for (let size = FIRST_NUMBERS; below !== undefined && rows.length <= limit; size *= GROWTH) {
    const downTo: number = Math.max(lowest, below - size)
    const found = await matchingNumbers(background, query, { downTo, below, limit: limit + 1 })
    rows.push(...(await customersOf(read, orgId, found.numbers)))
    below = found.below ?? (downTo > lowest ? downTo : undefined)
  }
  const shown = rows.slice(0, limit)
  const next = rows.length > limit ? shown.at(-1)?.number : undefined
  return { ids: shown.map(({ id }) => id), next: next?.toString() }
}

/** With the number of their document. */
interface Found {
  id: string
  number: number
}

/** Typed words don't have to be adjacent. The parts of an address do. Each may be the beginning of a longer word. */
function indexQueryOf(orgId: string, q: string): IndexQuery {
  const phrases = q
    .split(/\s+/)
    .map(wordsOf)
    .filter((words) => words.length > 0)
  const asked = phrases.slice(0, MAX_WORDS).map((words) => ({ words, isOpenEnded: isLongEnough(words) }))
  const nothing = { words: [NOWHERE_WORD], isOpenEnded: false }
  return {
    required: [
      { words: [customersWord(orgId)], isOpenEnded: false },
      ...(asked.length === 0 ? [nothing] : asked),
    ],
    excluded: [],
  }
}

async function customersOf(read: Reader, orgId: string, numbers: number[]): Promise<Found[]> {
  if (numbers.length === 0) return []
  const rows = await read
    .select({ id: customers.id, number: searchDocuments.number })
    .from(searchDocuments)
    .innerJoin(customers, eq(customers.id, searchDocuments.ticketId))
    .where(
      and(
        inArray(searchDocuments.number, numbers),
        // Expressions, so that no index but that of the numbers is used.
        sql`(${customers.orgId} || '') = ${orgId}`,
        sql`(${customers.mergedInto} || '') is null`,
      ),
    )
  return rows.sort((one, other) => other.number - one.number)
}

/** Along the index of a customer's tickets. */
const ticketCount: SQL<number> = sql`(select count(*) from (
  select 1 from tickets own where own.customer_id = ${customers.id} and own.place <> ${sql.raw(String(PLACES.merged))} limit ${sql.raw(String(MAX_COUNTED))}) counted)`
const lastMessageAt: SQL<number | null> =
  sql`(select max(own.last_message_at) from tickets own where own.customer_id = ${customers.id})`

const rowColumns = {
  id: customers.id,
  name: customers.name,
  email: customers.email,
  company: customers.company,
  isNameTyped: customers.isNameTyped,
  unverifiedEmail: customers.unverifiedEmail,
  tickets: sql<number>`${ticketCount}`.mapWith(Number),
  lastMessageAt: sql<number | null>`${lastMessageAt}`.mapWith((at) => (at === null ? null : Number(at))),
}
