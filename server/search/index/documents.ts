import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { engine } from '../../database/columns.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { deleteDocuments, putDocuments, putDocumentsFrom, storedText } from '../../database/full-text.ts'
import { command, insertOf, integer, orNull, statement, text } from '../../database/statement.ts'
import { searchCursors, searchDocuments } from '../../database/tables/search.ts'

/** A ticket as the index stores it, without words if it is deleted. Customers have documents too, by their own ids. */
export interface TicketDocument {
  ticketId: string
  words: string[] | undefined
  /** It had no document when it was read. Only one unit at a time adds documents of an organization. */
  isNew?: boolean
  /** The document of its customer, who had none when the ticket was read. */
  customer?: TicketDocument
}

/** More than the documents of any unit. */
const BLOCK = 1_024
const SEQUENCE = sql.raw(`'search_documents_number_seq'`)
/**
 * On PostgreSQL several servers add documents at the same time, so each unit takes a block of numbers for itself: this many
 * above the block's first number, or below its negative.
 */
const nextBlock = sql`(nextval(${SEQUENCE}) * ${sql.raw(String(BLOCK))})`

function edgeOf(of: 'max' | 'min'): SQL<number> {
  return sql`(select coalesce(${sql.raw(of)}(${searchDocuments.number}), 0) from ${searchDocuments})`
}

/** At start: another version numbers documents without blocks. */
export async function skipUsedBlocks(database: Database): Promise<void> {
  if (engine === 'sqlite') return
  const used = sql`greatest(${edgeOf('max')}, -${edgeOf('min')}) / ${sql.raw(String(BLOCK))} + 1`
  await database.write(undefined, (tx) =>
    tx
      .select({ block: sql`setval(${SEQUENCE}, used.blocks)` })
      .from(sql`(select ${used} as blocks) used, search_documents_number_seq taken`)
      .where(sql`used.blocks > taken.last_value`),
  )
}

/**
 * Replaces tickets in the index as the newest ones, the last of them on top. `eventNumber`: the organization is indexed up to
 * there.
 */
export async function replaceDocuments(
  tx: Transaction,
  orgId: string,
  documents: TicketDocument[],
  eventNumber?: number,
): Promise<void> {
  const [edge] =
    engine === 'postgresql'
      ? []
      : await (eventNumber === undefined ? readHighest(tx, {}) : moveCursor(tx, { orgId, eventNumber }))
  const deleted = await deleteNumbers(
    tx,
    orgId,
    documents.filter(({ words }) => !words),
  )
  const replaced = await numbersOf(
    tx,
    orgId,
    documents.filter(({ words, isNew }) => words && !isNew),
  )
  await deleteDocuments(tx, [...deleted, ...replaced.values()])
  if (engine === 'sqlite') await insertFrom(tx, orgId, (edge?.highest ?? 0) + 1, documents)
  else if (eventNumber !== undefined || documents.some(({ words }) => words))
    await putNewest(tx, { orgId, documents: asRows(documents), eventNumber: eventNumber ?? null })
}

const lowest = (engine === 'sqlite' ? edgeOf('min') : sql`-${nextBlock}`).mapWith(Number)
const highest = edgeOf('max').mapWith(Number)
const one = sql`(select 1) as one`
const readHighest = statement('search_highest', {}, (tx) => tx.select({ highest }).from(one))
const readLowest = statement('search_lowest', {}, (tx) => tx.select({ lowest }).from(one))
const moveCursor = statement('search_move_cursor', { orgId: text, eventNumber: integer }, (tx, p) =>
  tx
    .update(searchCursors)
    .set({ eventNumber: p.eventNumber })
    .where(eq(searchCursors.orgId, p.orgId))
    .returning({ highest }),
)

/** What a statement of PostgreSQL's inserts, in order of the numbers. */
function asRows(documents: TicketDocument[]): string {
  const rows = documents.flatMap(({ ticketId, words }) =>
    words ? [{ ticket_id: ticketId, words: storedText(words) }] : [],
  )
  return JSON.stringify(rows.map((row, place) => ({ place, ...row })))
}

/** Adds documents and moves the cursor in one statement of PostgreSQL's, for which no unit waits. */
const putNewest = command(
  'search_put_newest',
  { orgId: text, documents: text, eventNumber: orNull(integer) },
  (tx, p) => {
    const given = tx.$with('given', {}).as(
      sql`select block.edge + place as number, ticket_id, words from (select ${nextBlock} as edge) block,
        json_to_recordset(cast(${p.documents} as json)) as given(place bigint, ticket_id text, words text)`,
    )
    const moved = tx.$with('moved', {}).as(
      sql`update search_cursors set event_number = ${p.eventNumber}
        where org_id = ${p.orgId} and ${p.eventNumber} is not null`,
    )
    const numbered = tx.$with('numbered', {}).as(
      sql`insert into search_documents (number, org_id, ticket_id) select number, ${p.orgId}, ticket_id from given
        on conflict (ticket_id) do update set number = excluded.number`,
    )
    return putDocumentsFrom(tx.with(given, moved, numbered), sql`given order by number`)
  },
)

/** Adds tickets below all others, the last of them lowest. Those already in the index keep their place. */
export async function addOlderDocuments(
  tx: Transaction,
  orgId: string,
  documents: TicketDocument[],
): Promise<void> {
  const known = await numbersOf(tx, orgId, documents)
  const missing = documents.filter(({ ticketId, words }) => words && !known.has(ticketId))
  if (missing.length === 0) return
  const [edge] = await readLowest(tx, {})
  const lowest = edge?.lowest ?? 0
  await insertFrom(tx, orgId, lowest - missing.length, missing.toReversed())
}

/** Replaces the words of tickets that are in the index. They keep their place. */
export async function updateDocuments(
  tx: Transaction,
  orgId: string,
  documents: TicketDocument[],
): Promise<void> {
  const known = await numbersOf(tx, orgId, documents)
  await deleteDocuments(tx, [...known.values()])
  const numbered = documents.flatMap(({ ticketId, words }) => {
    const number = known.get(ticketId)
    return words && number !== undefined ? [{ number, words }] : []
  })
  await putDocuments(
    tx,
    numbered.sort((one, other) => one.number - other.number),
  )
}

// On PostgreSQL a ticket may be deleted while it is being indexed. Both units lock its row and get its number with the
// same statement, so the second waits for the first. Otherwise a document could remain that no row refers to.

/** Deletes the rows of tickets. Returns their numbers. */
async function deleteNumbers(tx: Transaction, orgId: string, deleted: TicketDocument[]): Promise<number[]> {
  if (deleted.length === 0) return []
  const rows = await tx
    .delete(searchDocuments)
    .where(isOneOfTickets(orgId, deleted))
    .returning({ number: searchDocuments.number })
  return rows.map(({ number }) => number)
}

async function numbersOf(
  tx: Transaction,
  orgId: string,
  documents: TicketDocument[],
): Promise<Map<string, number>> {
  if (documents.length === 0) return new Map()
  const rows = await tx
    .update(searchDocuments)
    .set({ number: sql`${searchDocuments.number}` })
    .where(isOneOfTickets(orgId, documents))
    .returning({ ticketId: searchDocuments.ticketId, number: searchDocuments.number })
  return new Map(rows.map(({ ticketId, number }) => [ticketId, number]))
}

function isOneOfTickets(orgId: string, documents: TicketDocument[]) {
  const ids = documents.map(({ ticketId }) => ticketId)
  return and(eq(searchDocuments.orgId, orgId), inArray(searchDocuments.ticketId, ids))
}

async function insertFrom(
  tx: Transaction,
  orgId: string,
  first: number,
  documents: TicketDocument[],
): Promise<void> {
  const numbered = documents
    .flatMap(({ ticketId, words }) => (words ? [{ ticketId, words }] : []))
    .map((document, position) => ({ ...document, number: first + position }))
  await saveNumbers(
    tx,
    numbered.map(({ ticketId, number }) => ({ orgId, ticketId, number })),
  )
  await putDocuments(tx, numbered)
}

const saveNumbers = insertOf(searchDocuments, {
  onConflict: {
    target: [searchDocuments.ticketId],
    set: { number: sql`excluded.number` },
  },
})
