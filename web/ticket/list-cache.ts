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

/** Changes tickets in every list that shows them, with one update per list. */
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

/** Removes the content of deleted tickets from the lists. Their rows may stay a little longer. */
export function blankRows(isDeleted: (row: TicketRow) => boolean): void {
  const deleted = knownRows().filter(isDeleted)
  patchRows(new Map(deleted.map(({ id }) => [id, blank])))
}

function blank(row: TicketRow): TicketRow {
  return {
    ...row,
    subject: 'Deleted',
    customer: { name: 'Deleted' },
    page: undefined,
    preview: { ...row.preview, text: '' },
    excerpt: undefined,
    tags: [],
  }
}

/** Reads the lists and their counts again, after tickets were added, deleted or changed. */
export function readListsAgain(): void {
  void queries.invalidateQueries({ queryKey: queryKeys.tickets })
  void queries.invalidateQueries({ queryKey: queryKeys.counts })
}

/** A ticket in several lists is included several times. */
function knownRows(): TicketRow[] {
  return knownPages(queryKeys.tickets).flatMap(({ data }) => data)
}

/** The loaded pages of all lists whose query keys start with this one. */
export function knownPages(queryKey: readonly string[]): TicketPage[] {
  const lists = queries.getQueriesData<InfiniteData<TicketPage>>({ queryKey })
  return lists.flatMap(([, list]) => list?.pages ?? [])
}
