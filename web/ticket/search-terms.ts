import type { InfiniteData } from '@tanstack/solid-query'
import type { Answer, api } from '../api.ts'
import { queries } from '../queries.ts'

type TicketPage = Answer<typeof api.console.tickets.get>

/** The words of the search that led to this ticket, for marking them in its thread. */
export function searchTerms(ticketId: string, query: string): string[] {
  if (query.trim() === '') return []
  const lists = queries.getQueriesData<InfiniteData<TicketPage>>({ queryKey: ['tickets', query] })
  const pages = lists.flatMap(([, list]) => list?.pages ?? [])
  const page = pages.find(({ data }) => data.some(({ id }) => id === ticketId))
  return page?.terms ?? plainWords(query)
}

/** The ticket was there before its list: the words of the search that are not about a key. */
function plainWords(query: string): string[] {
  return query.split(/\s+/).filter((word) => word !== '' && !/^-?[a-z]+:/i.test(word))
}
