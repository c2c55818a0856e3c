import type { Reader } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { yieldToEventLoop } from '../loop.ts'
import { excerptOf } from '../search/excerpt.ts'
import { findTickets } from '../search/find-tickets.ts'
import type { SortKey } from '../search/queries.ts'
import { readSearch } from '../search/read-search.ts'
import { decodeCursor, encodeCursor } from '../tickets/cursor.ts'
import type { TicketSort } from '../tickets/list-tickets.ts'
import { type FoundRow, readRows, textsOf } from './queries.ts'

export interface InboxRow extends FoundRow {
  /** Text around a hit. */
  excerpt?: string
}

export interface InboxRequest {
  /** Agent id of who asks. */
  me: string
  /** The grammar of server/search/query-language.ts; empty: everything but spam. */
  q?: string
  /** The time zone that the days of the query are counted in; UTC unless given. */
  zone?: string
  sort?: TicketSort
  cursor?: string
  limit?: number
}

const DEFAULT_LIMIT = 50

/**
 * One page of the inbox. Throws 400 `invalid_query` for a query nobody understands, and for a cursor of another list. A
 * ticket that changes while pages are read moves to the top, so it is not met again further down.
 */
export async function listInbox(
  deps: Deps,
  orgId: string,
  { me, q = '', zone, sort = 'updated_desc', cursor, limit = DEFAULT_LIMIT }: InboxRequest,
): Promise<{ rows: InboxRow[]; nextCursor: string | undefined; terms: string[] }> {
  const { read } = deps.database
  const search = await readSearch(read, { orgId, me, text: q, zone })
  const list = Bun.hash.wyhash(JSON.stringify([sort, search])).toString(36)
  const after = cursor === undefined ? undefined : requireKey(cursor, list)
  const keys = await findTickets(read, { orgId, me, search, sort, after, limit: limit + 1 })
  const page = keys.slice(0, limit)
  const last = page.at(-1)
  const hasMore = keys.length > limit
  return {
    rows: await withExcerpts(
      read,
      orgId,
      await readRows(read, { orgId, me, ids: page.map(({ id }) => id) }),
      search.terms,
    ),
    nextCursor: last && hasMore ? encodeCursor({ direction: 'next', list, ...last, page: 1 }) : undefined,
    terms: search.terms,
  }
}

function requireKey(cursor: string, list: string): SortKey {
  const place = decodeCursor(cursor)
  if (place?.list === list) return { at: place.at, id: place.id }
  const detail = place
    ? 'This cursor belongs to a list with another search or another sort.'
    : 'Use nextCursor as it was given.'
  throw invalid([{ parameter: 'cursor', code: place ? 'foreign_cursor' : 'invalid_cursor', detail }])
}

/** Taking long threads apart word by word lasts: others get their turn behind each. */
async function withExcerpts(
  read: Reader,
  orgId: string,
  rows: FoundRow[],
  terms: string[],
): Promise<InboxRow[]> {
  if (terms.length === 0) return rows
  const found: InboxRow[] = []
  for (const row of rows) {
    const excerpt = excerptOf(await textsOf(read, { orgId, ticketId: row.id }), terms)
    found.push(excerpt === undefined ? row : { ...row, excerpt })
    await yieldToEventLoop()
  }
  return found
}
