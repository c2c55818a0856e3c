import { parseQuery, QueryError, wordsToMark } from '../../../server/search/query-language.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { knownPages } from '../list-cache.ts'

/** The words of the search that led to this ticket, for marking them in its thread. */
export function searchTerms(ticketId: string, query: string): string[] {
  if (query.trim() === '') return []
  const page = knownPages([...queryKeys.tickets, query]).find(({ data }) =>
    data.some(({ id }) => id === ticketId),
  )
  return page?.terms ?? wordsOfQuery(query)
}

/** For a ticket that is loaded before its list. */
function wordsOfQuery(query: string): string[] {
  try {
    return wordsToMark(parseQuery(query))
  } catch (error) {
    if (error instanceof QueryError) return []
    throw error
  }
}
