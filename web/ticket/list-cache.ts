import type { InfiniteData } from '@tanstack/solid-query'
import type { Answer, api } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { queryKeys } from '../api/query-keys.ts'

export type TicketPage = Answer<typeof api.console.tickets.get>
type TicketRow = TicketPage['data'][number]

type RowChange = (row: TicketRow) => TicketRow

/** The tickets of the loaded lists, by id. */
export function rowsById(): Map<string, TicketRow> {
  return new Map(knownRows().map((row) => [row.id, row]))
}

/** Changes a ticket in every list that shows it. */
export function patchRow(id: string, change: RowChange): void {
  patchRows(new Map([[id, change]]))
}

/** Changes tickets in every list that shows some of them, and each list only once. */
export function patchRows(changes: ReadonlyMap<string, RowChange>): void {
  queries.setQueriesData<InfiniteData<TicketPage>>({ queryKey: queryKeys.tickets }, (list) => {
    if (!list?.pages.some(({ data }) => data.some(({ id }) => changes.has(id)))) return list
    const pages = list.pages.map((page) => ({
      ...page,
      data: page.data.map((row) => changes.get(row.id)?.(row) ?? row),
    }))
    return { ...list, pages }
  })
}

/** Tickets that were deleted for ever: a list that keeps their places for now keeps nothing of what they said. */
export function blankRows(isGone: (row: TicketRow) => boolean): void {
  const gone = knownRows().filter(isGone)
  patchRows(new Map(gone.map(({ id }) => [id, blank])))
}

function blank(row: TicketRow): TicketRow {
  return {
    ...row,
    subject: 'Deleted',
    customer: { ...row.customer, name: 'Deleted', email: undefined },
    preview: { ...row.preview, text: '' },
    excerpt: undefined,
    tags: [],
  }
}

/** One that is in several lists is there several times. */
function knownRows(): TicketRow[] {
  return knownPages(queryKeys.tickets).flatMap(({ data }) => data)
}

/** The pages of all lists whose keys begin like that. */
export function knownPages(queryKey: readonly string[]): TicketPage[] {
  const lists = queries.getQueriesData<InfiniteData<TicketPage>>({ queryKey })
  return lists.flatMap(([, list]) => list?.pages ?? [])
}
