import { and, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { ticketCounters } from '../database/schema.ts'
import { filterNames } from '../tickets/counters.ts'
import type { Filter } from './filters.ts'

/**
 * What leads a query: the filters, by their places, whose index it walks along; or the few tickets with a failed send,
 * a draft or the mark of spam.
 */
export type Lead =
  | { kind: 'index'; places: number[] }
  | { kind: 'failed' | 'draft' | 'spam'; places: number[] }

const FEW = ['draft', 'failed', 'spam'] as const

/** The filter that finds the fewest tickets leads, as the counters tell; undefined when surely nothing is found. */
export async function chooseLead(read: Reader, orgId: string, filters: Filter[]): Promise<Lead | undefined> {
  for (const kind of FEW) {
    const place = filters.findIndex((filter) => filter.kind === kind && !filter.isNegated)
    if (place >= 0) return { kind, places: [place] }
  }
  const candidates = candidatesAmong(filters)
  if (candidates.length === 0) return { kind: 'index', places: [] }
  if (candidates.length === 1 && candidates[0]) return { kind: 'index', places: candidates[0].places }
  const counts = await countsOf(
    read,
    orgId,
    candidates.map(({ counter }) => counter),
  )
  const counted = candidates.map(({ places, counter, isIndex }) => ({
    places,
    isIndex,
    count: counts.get(counter) ?? 0,
  }))
  if (counted.some(({ count }) => count === 0)) return undefined
  const [best] = counted.filter(({ isIndex }) => isIndex).sort((one, other) => one.count - other.count)
  return { kind: 'index', places: best?.places ?? [] }
}

/** Every counter that bounds how much is found, and whether an index stands behind it. */
function candidatesAmong(filters: Filter[]): { places: number[]; counter: string; isIndex: boolean }[] {
  const positive = filters.flatMap((filter, place) => (filter.isNegated ? [] : [{ filter, place }]))
  const single = positive.flatMap(({ filter, place }) => {
    const counter = counterOf(filter)
    return counter === undefined ? [] : [{ places: [place], counter, isIndex: true }]
  })
  const status = positive.find(({ filter }) => filter.kind === 'status')
  if (status?.filter.kind !== 'status') return single
  const { value } = status.filter
  const pairs = positive.flatMap(({ filter, place }) => {
    const places = [status.place, place]
    if (filter.kind === 'assignee') {
      return [{ places, counter: filterNames.statusAndAssignedTo(value, filter.value), isIndex: true }]
    }
    if (filter.kind === 'tag') {
      return [{ places, counter: filterNames.statusAndTag(value, filter.value), isIndex: false }]
    }
    return []
  })
  return [...pairs, ...single]
}

function counterOf(filter: Filter): string | undefined {
  switch (filter.kind) {
    case 'status':
      return filterNames.status(filter.value)
    case 'channel':
      return filterNames.channel(filter.value)
    case 'assignee':
      return filterNames.assignedTo(filter.value)
    case 'tag':
      return filterNames.tag(filter.value)
    default:
      return undefined
  }
}

/** The counter that says by itself how many tickets a search without words finds; undefined when there is none. */
export function counterFor(filters: Filter[]): string | undefined {
  if (filters.some(({ isNegated }) => isNegated)) return undefined
  if (filters.length === 0) return filterNames.all
  const [candidate] = candidatesAmong(filters).filter(({ places }) => places.length === filters.length)
  return candidate?.counter
}

export async function countsOf(read: Reader, orgId: string, names: string[]): Promise<Map<string, number>> {
  const rows = await read
    .select({ filter: ticketCounters.filter, count: ticketCounters.count })
    .from(ticketCounters)
    .where(and(eq(ticketCounters.orgId, orgId), inArray(ticketCounters.filter, names)))
  return new Map(rows.map(({ filter, count }) => [filter, count]))
}
