import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Reader } from '../database/database.ts'
import { integer, type ParamsOf, statement, text } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { MAX_SLICE_BYTES, MAX_SLICE_ROWS, type Place, readInSlices, START } from '../responses/row-slices.ts'
import { findMessages, messageColumns, type ShownMessage } from './queries.ts'

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

function isOfTicket(
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

/** At most 64 kB each: together they are read in a few milliseconds. */
const FEW = 16

/** Sizes that are looked up at once. */
const MAX_SIZES = 500

/** Bytes of a message besides its long columns, and of each of its attachments. */
const ROW_BYTES = 300

/** About the bytes of a stored message. The database knows the lengths without reading the text. */
export const messageBytes =
  sql<number>`octet_length(${messages.text}) + coalesce(octet_length(${messages.email}), 0)
  + coalesce(octet_length(${messages.telegram}), 0)
  + ${sql.raw(String(ROW_BYTES))} * (1 + ${messages.attachmentCount})`.mapWith(Number)

/** Whether a ticket has so few and short messages that they can be read and sent at once. */
export async function areMessagesFew(read: Reader, given: OfTicket): Promise<boolean> {
  const [found] = await measureMessages(read, { ...given, limit: MAX_SLICE_ROWS + 1 })
  return !found || (found.rows <= MAX_SLICE_ROWS && found.bytes <= MAX_SLICE_BYTES)
}

/**
 * All messages of a ticket, oldest first, if they are so few and short that they can be sent at once. Most tickets have so
 * few messages that reading them is cheaper than asking for their sizes first.
 */
export async function readFewMessages(read: Reader, given: OfTicket): Promise<ShownMessage[] | undefined> {
  const first = await findMessagesAfter(read, { ...given, ...START, limit: FEW + 1 })
  const bytes = first.reduce((sum, { text }) => sum + text.length, 0)
  if (bytes > MAX_SLICE_BYTES) return undefined
  if (first.length <= FEW) return first
  return (await areMessagesFew(read, given)) ? findMessages(read, given) : undefined
}

/** The messages of a ticket as `/v1` shows them, oldest first, in slices. */
export function messageSlices(read: Reader, given: OfTicket): AsyncGenerator<ShownMessage[], void, void> {
  return readInSlices({
    sizesAfter: (place) => messageSizesAfter(read, given, place),
    rowsAfter: (place, limit) => findMessagesAfter(read, { ...given, ...place, limit }),
  })
}

export function messageSizesAfter(read: Reader, given: OfTicket, place: Place): Promise<{ size: number }[]> {
  return findMessageSizes(read, { ...given, ...place, limit: MAX_SIZES })
}

const measureMessages = statement('messages_measure', { ...ofTicket, limit: integer }, (read: Reader, p) => {
  const some = read
    .select({ bytes: messageBytes.as('bytes') })
    .from(messages)
    .where(sql`${isOfTicket(messages, p)} limit ${p.limit}`)
    .as('some')
  return read
    .select({
      rows: sql<number>`count(*)`.mapWith(Number),
      bytes: sql<number>`coalesce(sum(${some.bytes}), 0)`.mapWith(Number),
    })
    .from(some)
})

const findMessageSizes = statement('messages_sizes', sliceOfTicket, (read: Reader, p) =>
  read
    .select({ size: messageBytes })
    .from(messages)
    .where(isAfter(messages, p))
    .orderBy(inOrder(messages, p)),
)

const findMessagesAfter = statement('messages_slice', sliceOfTicket, (read: Reader, p) =>
  read.select(messageColumns).from(messages).where(isAfter(messages, p)).orderBy(inOrder(messages, p)),
)
