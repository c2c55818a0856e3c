import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../database/database.ts'
import { statement, textParameter } from '../../database/statement.ts'
import { customers } from '../../database/tables/customers.ts'
import { messages } from '../../database/tables/messages.ts'
import { notes } from '../../database/tables/threads.ts'
import { tickets } from '../../database/tables/tickets.ts'
import { customerWord, organizationWord, wordsOf } from '../index-words.ts'

// A thread of any length makes a document of bounded size: how it began and what was said last is kept.

const MOST_CHARACTERS = 60_000
const MOST_OF_FIRST = 16_000
const MOST_OF_ONE = 8_000
const MOST_MESSAGES = 100
const MOST_NOTES = 50

interface Place {
  orgId: string
  ticketId: string
}

/** The words a ticket is found by; undefined when there is no such ticket any more. */
export async function documentWords(read: Reader, place: Place): Promise<string[] | undefined> {
  const [ticket] = await ticketAndCustomer(read, place)
  if (!ticket) return undefined
  const [first] = await firstMessage(read, place)
  const said = await newestMessages(read, place)
  const noted = await newestNotes(read, place)
  const newest = [...said, ...noted].sort((one, other) => other.createdAt - one.createdAt)
  const texts = [ticket.subject, ticket.name, ticket.email ?? '', first?.text ?? '']
  let left = MOST_CHARACTERS
  for (const { id, text } of newest) {
    if (id === first?.id) continue
    left -= text.length
    if (left < 0) break
    texts.push(text)
  }
  const customerWords = [ticket.name, ticket.email ?? ''].flatMap(wordsOf).map(customerWord)
  return [organizationWord(place.orgId), ...customerWords, ...texts.flatMap(wordsOf)]
}

const ticketAndCustomer = statement<
  { orgId: string; ticketId: string },
  { subject: string; name: string; email: string | null }[],
  Reader
>('search_ticket', (read, p) =>
  read
    .select({ subject: tickets.subject, name: customers.name, email: customers.email })
    .from(tickets)
    .innerJoin(customers, eq(customers.id, tickets.customerId))
    .where(and(eq(tickets.orgId, textParameter(p.orgId)), eq(tickets.id, textParameter(p.ticketId)))),
)

interface Text {
  id: string
  text: string
  createdAt: number
}

const firstMessage = statement<{ orgId: string; ticketId: string }, Text[], Reader>(
  'search_first_message',
  (read, p) =>
    read
      .select({
        id: messages.id,
        text: beginning(messages.text, MOST_OF_FIRST),
        createdAt: messages.createdAt,
      })
      .from(messages)
      .where(
        and(eq(messages.orgId, textParameter(p.orgId)), eq(messages.ticketId, textParameter(p.ticketId))),
      )
      .orderBy(asc(messages.createdAt), asc(messages.id))
      .limit(1),
)

const newestMessages = statement<{ orgId: string; ticketId: string }, Text[], Reader>(
  'search_newest_messages',
  (read, p) =>
    read
      .select({ id: messages.id, text: beginning(messages.text, MOST_OF_ONE), createdAt: messages.createdAt })
      .from(messages)
      .where(
        and(eq(messages.orgId, textParameter(p.orgId)), eq(messages.ticketId, textParameter(p.ticketId))),
      )
      .orderBy(desc(messages.createdAt), desc(messages.id))
      .limit(MOST_MESSAGES),
)

const newestNotes = statement<{ orgId: string; ticketId: string }, Text[], Reader>(
  'search_newest_notes',
  (read, p) =>
    read
      .select({ id: notes.id, text: beginning(notes.text, MOST_OF_ONE), createdAt: notes.createdAt })
      .from(notes)
      .where(and(eq(notes.orgId, textParameter(p.orgId)), eq(notes.ticketId, textParameter(p.ticketId))))
      .orderBy(desc(notes.createdAt), desc(notes.id))
      .limit(MOST_NOTES),
)

function beginning(column: typeof messages.text | typeof notes.text, length: number): SQL<string> {
  return sql<string>`substr(${column}, 1, ${sql.raw(String(length))})`
}
