import { queryKeys } from '../../api/query-keys.ts'
import { knownPages } from '../list-cache.ts'

/** The words of the search that led to this ticket, for marking them in its thread. */
export function searchTerms(ticketId: string, query: string): string[] {
  if (query.trim() === '') return []
  const page = knownPages([...queryKeys.tickets, query]).find(({ data }) =>
    data.some(({ id }) => id === ticketId),
  )
  return page?.terms ?? plainWords(query)
}

/** The ticket was there before its list: the words of the search that are not about a key. */
function plainWords(query: string): string[] {
  return query.split(/\s+/).filter((word) => word !== '' && !/^-|^[a-z]+:/i.test(word))
}
