import { and, eq, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { customers } from '../database/tables/customers.ts'
import { type MessageRole, messages } from '../database/tables/messages.ts'
import { notes, readMarks } from '../database/tables/threads.ts'
import { tickets } from '../database/tables/tickets.ts'
import {
  hasDraft,
  hasFailedSend,
  hasHeldReply,
  isOneOf,
  newestMessageId,
  ownReadMark,
  textOf,
  unindexedOrganization,
} from '../search/conditions.ts'
import { type TicketWithCustomer, ticketWithCustomer } from '../tickets/queries.ts'
import { MOST_ROWS } from './schemas.ts'

/** What one agent sees of a ticket in the list. */
export interface FoundRow extends TicketWithCustomer {
  newest: { text: string; role: MessageRole; createdAt: number } | undefined
  isUnread: boolean
  hasDraft: boolean
  hasFailedSend: boolean
  /** A reply of mine waits for a decision, or one of somebody who is disabled. */
  hasHeldReply: boolean
}

/** Much of a message is quoted mail or one long line: a preview needs only its beginning. */
const PREVIEWED = 800
/** How much of a thread is looked through for an excerpt, the newest first. */
const EXCERPTED_MESSAGES = 10
const EXCERPTED_TEXT = 4_000

/** The rows of some tickets in the order given; one that has gone meanwhile is left out. */
export async function readRows(
  read: Reader,
  { orgId, me, ids }: { orgId: string; me: string; ids: string[] },
): Promise<FoundRow[]> {
  if (ids.length === 0) return []
  const places = Array.from({ length: MOST_ROWS }, (_, place) => [`id${place}`, ids[place] ?? ''])
  const rows = await rowsById(read, { orgId, me, ...Object.fromEntries(places) })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [foundRow(row)] : []
  })
}

/** Texts of a ticket that agents read, newest first. */
export async function textsOf(
  read: Reader,
  { orgId, ticketId }: { orgId: string; ticketId: string },
): Promise<string[]> {
  const [said, noted] = [
    await newestTexts(read, { orgId, ticketId }),
    await newestNotes(read, { orgId, ticketId }),
  ]
  return [...said, ...noted].sort((one, other) => other.createdAt - one.createdAt).map(({ text }) => text)
}

function foundRow({
  text,
  role,
  saidAt,
  saidId,
  readAt,
  readId,
  hasDraft,
  hasFailedSend,
  hasHeldReply,
  ...ticket
}: StoredRow): FoundRow {
  const isRead =
    readAt !== null && (readAt > (saidAt ?? 0) || (readAt === saidAt && (readId ?? '') >= (saidId ?? '')))
  return {
    ...ticket,
    newest:
      text === null || role === null ? undefined : { text, role, createdAt: saidAt ?? ticket.createdAt },
    isUnread: role === 'customer' && !isRead,
    hasDraft: Boolean(hasDraft),
    hasFailedSend: Boolean(hasFailedSend),
    hasHeldReply: Boolean(hasHeldReply),
  }
}

interface StoredRow extends TicketWithCustomer {
  text: string | null
  role: MessageRole | null
  saidAt: number | null
  saidId: string | null
  readAt: number | null
  readId: string | null
  /** 0 or 1 on SQLite. */
  hasDraft: unknown
  hasFailedSend: unknown
  hasHeldReply: unknown
}

const rowsById = statement<Record<string, string>, StoredRow[], Reader>('inbox_rows', (read) =>
  read
    .select({
      ...ticketWithCustomer,
      text: sql<string | null>`substr(${messages.text}, 1, ${sql.raw(String(PREVIEWED))})`,
      role: messages.role,
      saidAt: messages.createdAt,
      saidId: messages.id,
      readAt: readMarks.messageAt,
      readId: readMarks.messageId,
      hasDraft: sql<unknown>`${hasDraft}`,
      hasFailedSend: sql<unknown>`${hasFailedSend}`,
      hasHeldReply: sql<unknown>`${hasHeldReply}`,
    })
    .from(tickets)
    .innerJoin(customers, eq(customers.id, tickets.customerId))
    .leftJoin(messages, eq(messages.id, newestMessageId))
    .leftJoin(readMarks, ownReadMark)
    .where(
      and(
        isOneOf(
          tickets.id,
          Array.from({ length: MOST_ROWS }, (_, place) => textOf(`id${place}`)),
        ),
        unindexedOrganization,
      ),
    ),
)

interface Text {
  text: string
  createdAt: number
}

const newestTexts = statement<{ orgId: string; ticketId: string }, Text[], Reader>(
  'inbox_newest_messages',
  (read) =>
    read
      .select({
        text: sql<string>`substr(text, 1, ${sql.raw(String(EXCERPTED_TEXT))})`,
        createdAt: messages.createdAt,
      })
      .from(messages)
      .where(and(eq(messages.orgId, textOf('orgId')), eq(messages.ticketId, textOf('ticketId'))))
      .orderBy(sql`created_at desc, id desc`)
      .limit(EXCERPTED_MESSAGES),
)

const newestNotes = statement<{ orgId: string; ticketId: string }, Text[], Reader>(
  'inbox_newest_notes',
  (read) =>
    read
      .select({
        text: sql<string>`substr(text, 1, ${sql.raw(String(EXCERPTED_TEXT))})`,
        createdAt: notes.createdAt,
      })
      .from(notes)
      .where(and(eq(notes.orgId, textOf('orgId')), eq(notes.ticketId, textOf('ticketId'))))
      .orderBy(sql`created_at desc, id desc`)
      .limit(EXCERPTED_MESSAGES),
)
