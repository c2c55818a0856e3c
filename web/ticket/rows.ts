import type { InfiniteData } from '@tanstack/solid-query'
import type { Answer, api } from '../api.ts'
import { queries } from '../queries.ts'

export type TicketPage = Answer<typeof api.console.tickets.get>
type TicketRow = TicketPage['data'][number]

/** A ticket as one of the loaded lists shows it. */
export function knownRow(id: string): TicketRow | undefined {
  return knownRows().find((row) => row.id === id)
}

/** Changes a ticket in every list that shows it. */
export function patchRows(id: string, change: (row: TicketRow) => TicketRow): void {
  queries.setQueriesData<InfiniteData<TicketPage>>({ queryKey: ['tickets'] }, (list) => {
    if (!list?.pages.some(({ data }) => data.some((row) => row.id === id))) return list
    const pages = list.pages.map((page) => ({
      ...page,
      data: page.data.map((row) => (row.id === id ? change(row) : row)),
    }))
    return { ...list, pages }
  })
}

/** Tickets that were deleted for ever: a list that keeps their places for now keeps nothing of what they said. */
export function blankRows(isGone: (row: TicketRow) => boolean): void {
  for (const { id } of knownRows().filter(isGone)) {
    patchRows(id, (row) => ({
      ...row,
      subject: 'Deleted',
      customer: { ...row.customer, name: 'Deleted', email: undefined },
      preview: { ...row.preview, text: '' },
      excerpt: undefined,
      tags: [],
    }))
  }
}

/** One that is in several lists is there several times. */
function knownRows(): TicketRow[] {
  return knownPages(['tickets']).flatMap(({ data }) => data)
}

/** The pages of all lists whose keys begin like that. */
export function knownPages(queryKey: string[]): TicketPage[] {
  const lists = queries.getQueriesData<InfiniteData<TicketPage>>({ queryKey })
  return lists.flatMap(([, list]) => list?.pages ?? [])
}
