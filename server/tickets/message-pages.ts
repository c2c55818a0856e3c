import { and, asc, count, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { withAttachments } from '../attachments/queries.ts'
import type { Reader } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { cacheByShape, integer, statement } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { tickets } from '../database/tables/tickets.ts'
import { MAX_SLICE_BYTES } from '../responses/row-slices.ts'
import type { Cursor, PageRequest } from './cursor.ts'
import { messageBytes, messageColumns } from './queries.ts'
import { type OfTicket, ofTicket, placeInTicket } from './rows-of-ticket.ts'
import { viewSentMessage } from './views.ts'

export const MESSAGE_SORTS = ['created_asc', 'created_desc'] as const
export type MessageSort = (typeof MESSAGE_SORTS)[number]

type MessagePlace = { id: string; createdAt: number; size: number }

/** One page, with the messages still to be read. */
export interface MessagePage {
  total: number
  /** In the order of the page. */
  places: MessagePlace[]
  hasMore: boolean
}

/** Finds the messages of a page of a ticket without reading their texts. */
export async function findMessagePage(
  read: Reader,
  given: OfTicket,
  { sort, page, perPage, cursor }: PageRequest & { sort: MessageSort },
): Promise<MessagePage> {
  const [counted] = await countMessages(read, given)
  const total = counted?.total ?? 0
  const offset = cursor ? 0 : (page - 1) * perPage
  if (offset > 0 && offset >= total) return { total, places: [], hasMore: false }
  const isBackwards = cursor?.direction === 'previous'
  const found = await placesOf(sort, cursor?.direction)(read, {
    ...given,
    at: cursor?.at ?? 0,
    afterId: cursor?.id ?? '',
    offset,
    limit: perPage + 1,
  })
  const places = found.slice(0, perPage)
  return {
    total,
    places: isBackwards ? places.reverse() : places,
    hasMore: isBackwards || found.length > perPage,
  }
}

/** The messages of a page, in slices that can be read and sent at once. */
export async function* readMessagePage(read: Reader, orgId: string, places: MessagePlace[]) {
  for (const ids of slicesOf(places)) {
    const rows = await read
      .select(messageColumns)
      .from(messages)
      .where(and(eq(messages.orgId, orgId), inArray(messages.id, ids)))
    rows.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
    yield (await withAttachments(read, orgId, rows)).map(viewSentMessage)
  }
}

/** The ids of the messages of each slice. A message that is larger than a slice gets its own. */
function slicesOf(places: MessagePlace[]): string[][] {
  const slices: string[][] = []
  let [ids, bytes]: [string[], number] = [[], 0]
  for (const { id, size } of places) {
    if (ids.length === 0 || bytes + size > MAX_SLICE_BYTES) {
      ;[ids, bytes] = [[], 0]
      slices.push(ids)
    }
    ids.push(id)
    bytes += size
  }
  return slices
}

const countMessages = statement('messages_count', ofTicket, (read: Reader, p) =>
  read.select({ total: count() }).from(messages).where(isInIndexOfTicket(p)),
)

const placesOf = cacheByShape((sort: MessageSort, direction: Cursor['direction'] | undefined) => {
  const isAscending = (sort === 'created_asc') !== (direction === 'previous')
  const order = isAscending ? asc : desc
  const own = sql`${messages.createdAt}, ${messages.id}`
  const name = ['messages_page', sort, direction ?? 'first'].join('_')
  return statement(name, { ...placeInTicket, limit: integer, offset: integer }, (read: Reader, p) => {
    const place = sql`${p.at}, ${p.afterId}`
    const isAfterPlace = isAscending ? sql`(${own}) > (${place})` : sql`(${own}) < (${place})`
    const keys = read
      .select({ keyId: sql`${messages.id}`.as('key_id') })
      .from(messages)
      .where(and(isInIndexOfTicket(p), direction && isAfterPlace))
      .orderBy(order(messages.createdAt), sql`${order(messages.id)} limit ${p.limit} offset ${p.offset}`)
      .as('keys')
    return read
      .select({ id: messages.id, createdAt: messages.createdAt, size: messageBytes })
      .from(keys)
      .crossJoin(messages)
      .where(matches(messages, { orgId: p.orgId, id: keys.keyId }))
      .orderBy(order(messages.createdAt), order(messages.id))
  })
})

/**
 * Answered from the index alone: reading the row of each message that is counted or passed over takes twenty times as
 * long. All messages of a ticket belong to its organization.
 */
function isInIndexOfTicket({ orgId, ticketId }: Record<keyof OfTicket, SQL>): SQL {
  return sql`${messages.ticketId} = ${ticketId} and exists (select 1 from ${tickets}
    where ${tickets.id} = ${ticketId} and ${tickets.orgId} = ${orgId})`
}
