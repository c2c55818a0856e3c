import type { Reader } from '../database/database.ts'
import { filterNames, readCounters } from '../tickets/counters.ts'
import type { Filter } from './read-search.ts'

/**
 * What leads a query: the filters, by their places, whose index it walks along; or the few tickets with a failed send,
 * a held reply, a draft or the mark of spam.
 */
export interface Lead {
  kind: 'index' | 'failed' | 'held' | 'draft' | 'spam'
  places: number[]
}

const FEW = ['draft', 'held', 'failed', 'spam'] as const

/** The filter that finds the fewest tickets leads, as the counters tell; undefined when surely nothing is found. */
export async function chooseLead(read: Reader, orgId: string, filters: Filter[]): Promise<Lead | undefined> {
  for (const kind of FEW) {
    const place = filters.findIndex((filter) => filter.kind === kind && !filter.isNegated)
    if (place >= 0) return { kind, places: [place] }
  }
  const candidates = candidatesAmong(filters)
  if (candidates.length < 2) return { kind: 'index', places: candidates[0]?.places ?? [] }
  const known = await counted(read, orgId, candidates)
  if (known.some(({ count }) => count === 0)) return undefined
  const [best] = known.filter(({ isIndex }) => isIndex).sort((one, other) => one.count - other.count)
  return { kind: 'index', places: best?.places ?? [] }
}

/** No more tickets than this pass the filters, as far as counters tell; those with a mark are taken to be few. */
export async function mostFound(read: Reader, orgId: string, filters: Filter[]): Promise<number> {
  const isFew = filters.some(({ kind, isNegated }) => !isNegated && FEW.some((few) => few === kind))
  if (isFew) return 0
  const counts = await counted(read, orgId, candidatesAmong(filters))
  return Math.min(...counts.map(({ count }) => count))
}

interface Candidate {
  places: number[]
  counter: string
  isIndex: boolean
}

async function counted(read: Reader, orgId: string, candidates: Candidate[]) {
  if (candidates.length === 0) return []
  const names = candidates.map(({ counter }) => counter)
  const counts = await readCounters(read, orgId, names)
  return candidates.map((candidate) => ({ ...candidate, count: counts.get(candidate.counter) ?? 0 }))
}

/** Every counter that bounds how much is found, and whether an index stands behind it. */
function candidatesAmong(filters: Filter[]): Candidate[] {
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
