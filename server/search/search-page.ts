import type { Database } from '../database/database.ts'
import { invalid } from '../errors.ts'
import { decodeCursor, encodeCursor } from '../tickets/cursor.ts'
import { type FindInput, findTickets } from './find-tickets.ts'
import type { SortKey } from './queries.ts'

interface Wanted extends Omit<FindInput, 'after'> {
  /** Names the list. Cursors of other lists are refused. */
  list: string
  cursor: string | undefined
}

interface SearchPage {
  /** Of the tickets, in order. */
  ids: string[]
  nextCursor: string | undefined
  /** The search reached its limit of examined tickets. The next page continues where it stopped, if it can. */
  isTooBroad: boolean
  /** For the rest, if only the tickets up to one of them are shown. */
  cursorAfter(id: string): string | undefined
}

/** One page of what a search finds. Throws 400 for a cursor of another list. */
export async function searchPage(
  database: Pick<Database, 'read' | 'background'>,
  { list, cursor, limit, ...input }: Wanted,
): Promise<SearchPage> {
  const after = cursor === undefined ? undefined : requireKey(cursor, list)
  const found = await findTickets(database, { ...input, after, limit: limit + 1 })
  const page = found.keys.slice(0, limit)
  const last = found.keys.length > limit ? page.at(-1) : found.stoppedAt
  const cursorOf = (place: SortKey | undefined) =>
    place && encodeCursor({ direction: 'next', list, ...place, page: 1 })
  return {
    ids: page.map(({ id }) => id),
    nextCursor: cursorOf(last),
    isTooBroad: found.isTooBroad ?? false,
    cursorAfter: (id) => cursorOf(page.find((key) => key.id === id)),
  }
}

function requireKey(cursor: string, list: string): SortKey {
  const place = decodeCursor(cursor, 'tkt')
  if (place?.list === list) return { at: place.at, id: place.id }
  const detail = place
    ? 'This cursor is from a list with another search or sort order.'
    : 'Use the nextCursor of the previous page.'
  throw invalid([{ parameter: 'cursor', code: place ? 'foreign_cursor' : 'invalid_cursor', detail }])
}
