import { and, asc, desc, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { statement, statementForEach, text } from '../../database/statement.ts'
import { attachments } from '../../database/tables/attachments.ts'
import { telegramChats, telegramConversations } from '../../database/tables/bots.ts'
import { customers } from '../../database/tables/customers.ts'
import { type MessageEmail, type MessageFormat, messages } from '../../database/tables/messages.ts'
import { notes } from '../../database/tables/threads.ts'
import { tickets } from '../../database/tables/tickets.ts'
import type { Deps } from '../../deps.ts'
import { plainTextOf } from '../../formatting/plain-text.ts'
import { yieldToEventLoop } from '../../loop.ts'
import { companyWord, customerWord, organizationWord, wordsOf } from '../index-words.ts'
import { otherEmailsAsText, wordsOfCustomer } from './customer-documents.ts'
import type { TicketDocument } from './documents.ts'

// A document has a limited size however long the thread is: the first message and the newest ones are kept.

const MAX_CHARACTERS = 60_000
const MAX_OF_FIRST = 16_000
const MAX_OF_ONE = 8_000
const MAX_MESSAGES = 100
const MAX_NOTES = 50
/**
 * The cost of indexing a document depends on its distinct words. No language has this many in a document of this size.
 */
const MAX_DIFFERENT_WORDS = 8_000
/** Names and addresses of those on the mails, and names of files: each once, the newest first. */
const MAX_PEOPLE = 100
const MAX_FILES = 100
/** Tickets that were merged into one, whose subjects it is found by. */
const MAX_MERGED = 100

/** How much is indexed in one unit, which other requests wait for. */
export interface UnitSize {
  tickets: number
  /** No further ticket is read after this many words. A single long thread has more. */
  words: number
}

/** Some five milliseconds. */
export const SMALL_UNIT: UnitSize = { tickets: 40, words: 4_000 }
/** Some ten milliseconds. Each unit costs a commit and the merging of a segment, so fewer of them take less time. */
export const LARGE_UNIT: UnitSize = { tickets: 80, words: 8_000 }

/**
 * Tickets read at once where a query takes a round trip. On SQLite it is one: what doesn't fit into the unit would be read
 * in vain.
 */
const AT_ONCE = { sqlite: 1, postgresql: 8 }

/** Tickets read before other requests run. */
const TICKETS_PER_YIELD = 10

/** Reads as many of the tickets, in their order, as fit into one unit; at least one. */
export async function readDocuments(
  { database: { engine, read } }: Deps,
  { orgId, ids, size }: { orgId: string; ids: string[]; size: UnitSize },
): Promise<TicketDocument[]> {
  const documents: TicketDocument[] = []
  const atOnce = AT_ONCE[engine]
  const wanted = ids.slice(0, size.tickets)
  let total = 0
  for (let start = 0; start < wanted.length; start += atOnce) {
    const some = wanted.slice(start, start + atOnce)
    const found = await documentsOf(
      read,
      some.map((ticketId) => ({ orgId, ticketId })),
    )
    for (const document of found) {
      documents.push(document)
      total += document.words?.length ?? 0
      if (total >= size.words) return documents
    }
    if (documents.length % TICKETS_PER_YIELD === 0) await yieldToEventLoop()
  }
  return documents
}

interface TicketId {
  orgId: string
  ticketId: string
}

async function documentsOf(read: Reader, ids: TicketId[]): Promise<TicketDocument[]> {
  const [found, messagesOf] = await Promise.all([ticketAndCustomer(read, ids), newestMessages(read, ids)])
  return Promise.all(ids.map((id, place) => documentOf(read, id, found[place]?.[0], messagesOf[place] ?? [])))
}

async function documentOf(
  read: Reader,
  id: TicketId,
  ticket: TicketAndCustomer | undefined,
  newest: Text[],
): Promise<TicketDocument> {
  if (!ticket) return { ticketId: id.ticketId, words: undefined }
  const words = await documentWords(read, id, ticket, newest)
  const document = { ticketId: id.ticketId, words, isNew: !ticket.isIndexed }
  if (ticket.isCustomerIndexed) return document
  const customer = { ticketId: ticket.customerId, words: wordsOfCustomer(id.orgId, ticket), isNew: true }
  return { ...document, customer }
}

/**
 * The words a ticket is found by for who may not read notes. Undefined if it has no notes: then the index has no others.
 * `isRequired` returns them for every ticket that exists.
 */
export async function wordsWithoutNotes(
  read: Reader,
  id: TicketId,
  { isRequired }: { isRequired: boolean },
): Promise<string[] | undefined> {
  const [[ticket] = []] = await ticketAndCustomer(read, [id])
  if (!ticket || !(ticket.hasNotes || isRequired)) return undefined
  const [messageRows = []] = await newestMessages(read, [id])
  return documentWords(read, id, { ...ticket, hasNotes: false }, messageRows, fileNamesOutsideNotes)
}

/** The words a ticket is found by. */
async function documentWords(
  read: Reader,
  id: TicketId,
  ticket: TicketAndCustomer,
  messageRows: Text[],
  namesOfFiles: typeof fileNames = fileNames,
): Promise<string[]> {
  const first = oldestIn(messageRows) ?? (await firstMessage(read, id))[0]
  const newest = [...messageRows, ...(ticket.hasNotes ? await newestNotes(read, id) : [])].sort(
    (one, other) => other.createdAt - one.createdAt,
  )
  const people = first ? peopleIn([...newest, first]) : []
  const files = newest.some(hasFiles) || first?.attachmentCount ? await namesOfFiles(read, id) : []
  const names = [...people, ...new Set(files.map(({ name }) => name))]
  const { name, email, otherEmails, username, company } = ticket
  const customer = [name, email ?? '', otherEmails ?? '', username ?? '']
  const merged = ticket.hasMerged ? await mergedSubjects(read, id) : []
  const texts = [ticket.subject, ...merged, ...customer, company, first ? plainTextOf(first) : '', ...names]
  let left = MAX_CHARACTERS
  for (const message of newest) {
    if (message.id === first?.id) continue
    const text = plainTextOf(message)
    left -= text.length
    if (left < 0) break
    texts.push(text)
  }
  const customerWords = [...customer.flatMap(wordsOf).map(customerWord), ...wordsOf(company).map(companyWord)]
  return withoutExcess([organizationWord(id.orgId), ...customerWords, ...texts.flatMap(wordsOf)])
}

/** Of the tickets that were merged into this one, also by way of another. Their messages are in this one. */
async function mergedSubjects(read: Reader, { orgId, ticketId }: TicketId): Promise<string[]> {
  const ids = [ticketId]
  const subjects: string[] = []
  for (const id of ids) {
    const merged = await mergedInto(read, { orgId, ticketId: id })
    ids.push(...merged.map((ticket) => ticket.id))
    subjects.push(...merged.map(({ subject }) => subject))
    if (subjects.length >= MAX_MERGED) break
  }
  return subjects
}

/** The first message of the ticket, if it is among the newest and whole: then it needs no query of its own. */
function oldestIn<Row extends { text: string }>(newest: Row[]): Row | undefined {
  const oldest = newest.at(-1)
  return newest.length < MAX_MESSAGES && oldest && oldest.text.length < MAX_OF_ONE ? oldest : undefined
}

/** Leaves out further words once there are many distinct ones, as in pasted random data. */
function withoutExcess(words: string[]): string[] {
  if (words.length <= MAX_DIFFERENT_WORDS) return words
  const known = new Set<string>()
  return words.filter((word) => {
    if (known.size < MAX_DIFFERENT_WORDS) known.add(word)
    return known.has(word)
  })
}

/** Of a customer on Telegram. Not joined: for most tickets, it isn't looked for. */
const username = sql<string | null>`case ${tickets.channel} when 'telegram' then
  (select ${telegramChats.username} from ${telegramConversations}
    join ${telegramChats} on ${telegramChats.botId} = ${telegramConversations.botId}
      and ${telegramChats.chatId} = ${telegramConversations.chatId}
    where ${telegramConversations.ticketId} = ${tickets.id}) end`

type TicketAndCustomer = Awaited<ReturnType<typeof ticketAndCustomer>>[number][number]

const ticketAndCustomer = statementForEach('search_ticket', { orgId: text, ticketId: text }, (read, p) =>
  read
    .select({
      subject: tickets.subject,
      name: customers.name,
      email: customers.email,
      otherEmails: otherEmailsAsText,
      company: customers.company,
      customerId: customers.id,
      isIndexed: sql<unknown>`exists (select 1 from search_documents own
        where own.org_id = ${p.orgId} and own.ticket_id = ${p.ticketId})`,
      isCustomerIndexed: sql<unknown>`exists (select 1 from search_documents own
        where own.org_id = ${p.orgId} and own.ticket_id = ${customers.id})`,
      phone: customers.phone,
      unverifiedEmail: customers.unverifiedEmail,
      username,
      hasNotes: sql<unknown>`exists (select 1 from notes own where own.org_id = ${p.orgId} and own.ticket_id = ${p.ticketId})`,
      hasMerged: sql<unknown>`exists (select 1 from tickets merged
        where merged.org_id = ${p.orgId} and merged.merged_into = ${p.ticketId})`,
    })
    .from(tickets)
    .innerJoin(customers, eq(customers.id, tickets.customerId))
    .where(matches(tickets, { orgId: p.orgId, id: p.ticketId })),
)

const mergedInto = statement('search_merged', { orgId: text, ticketId: text }, (read: Reader, p) =>
  read
    .select({ id: tickets.id, subject: tickets.subject })
    .from(tickets)
    .where(matches(tickets, { orgId: p.orgId, mergedInto: p.ticketId }))
    .orderBy(upTo(MAX_MERGED, asc(tickets.id))),
)

interface Text {
  id: string
  text: string
  format: MessageFormat
  attachmentCount: number
  email?: MessageEmail | null
  createdAt: number
}

function textColumns(maxCharacters: number) {
  return {
    id: messages.id,
    text: beginning(messages.text, maxCharacters),
    format: messages.format,
    attachmentCount: messages.attachmentCount,
    email: messages.email,
    createdAt: messages.createdAt,
  }
}

function hasFiles({ attachmentCount }: Text): boolean {
  return attachmentCount > 0
}

/** Names and addresses of those who wrote and got the mails. */
function peopleIn(messages: Text[]): string[] {
  const people = new Set<string>()
  for (const { email } of messages) {
    if (!email) continue
    for (const { name, address } of [email.from, ...email.to, ...email.cc, ...(email.bcc ?? [])]) {
      if (people.size >= MAX_PEOPLE) return [...people]
      people.add(`${name} ${address}`)
    }
  }
  return [...people]
}

const firstMessage = statement('search_first_message', { orgId: text, ticketId: text }, (read: Reader, p) =>
  read
    .select(textColumns(MAX_OF_FIRST))
    .from(messages)
    .where(matches(messages, p))
    .orderBy(upTo(1, asc(messages.createdAt), asc(messages.id))),
)

const newestMessages = statementForEach(
  'search_newest_messages',
  { orgId: text, ticketId: text },
  (read, p) =>
    read
      .select(textColumns(MAX_OF_ONE))
      .from(messages)
      .where(matches(messages, p))
      .orderBy(upTo(MAX_MESSAGES, desc(messages.createdAt), desc(messages.id))),
)

const newestNotes = statement('search_newest_notes', { orgId: text, ticketId: text }, (read: Reader, p) =>
  read
    .select({
      id: notes.id,
      text: beginning(notes.text, MAX_OF_ONE),
      format: notes.format,
      attachmentCount: notes.attachmentCount,
      createdAt: notes.createdAt,
    })
    .from(notes)
    .where(matches(notes, p))
    .orderBy(upTo(MAX_NOTES, desc(notes.createdAt), desc(notes.id))),
)

const fileNames = statement('search_file_names', { orgId: text, ticketId: text }, (read: Reader, p) =>
  read
    .select({ name: attachments.name })
    .from(attachments)
    .where(and(matches(attachments, p), isNotNull(attachments.ownerId)))
    .orderBy(upTo(MAX_FILES, desc(attachments.createdAt), asc(attachments.position))),
)

const fileNamesOutsideNotes = statement(
  'search_file_names_outside_notes',
  { orgId: text, ticketId: text },
  (read: Reader, p) =>
    read
      .select({ name: attachments.name })
      .from(attachments)
      .where(and(matches(attachments, p), sql`substr(${attachments.ownerId}, 1, 4) <> 'not_'`))
      .orderBy(upTo(MAX_FILES, desc(attachments.createdAt), asc(attachments.position))),
)

function beginning(column: typeof messages.text | typeof notes.text, length: number): SQL<string> {
  return sql<string>`substr(${column}, 1, ${sql.raw(String(length))})`
}

/** The limit is part of the order, because Drizzle would bind it bare. */
function upTo(limit: number, ...order: SQL[]): SQL {
  return sql`${sql.join(order, sql`, `)} limit ${sql.raw(String(limit))}`
}
