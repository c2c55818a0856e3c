import type { Reader } from '../database/database.ts'
import { filterNames, readCounters } from '../tickets/counters.ts'
import type { Filter } from './filters.ts'

/** Filters that few tickets pass. They are tried in this order. */
const RARE = ['draft', 'held', 'failed', 'spam'] as const

/** Where a query starts: from the few tickets of a rare filter, or along the index of some filters. */
export interface IndexChoice {
  kind: 'index' | (typeof RARE)[number]
  /** Positions of the filters that the index or the rare condition covers. */
  positions: number[]
}

/** Chooses what finds the fewest tickets, by the counters. Returns undefined if no ticket can match. */
export async function chooseIndex(
  read: Reader,
  orgId: string,
  filters: Filter[],
): Promise<IndexChoice | undefined> {
  for (const kind of RARE) {
    const position = filters.findIndex((filter) => filter.kind === kind && !filter.isNegated)
    if (position >= 0) return { kind, positions: [position] }
  }
  const candidates = candidatesFor(filters)
  if (candidates.length < 2) return { kind: 'index', positions: candidates[0]?.positions ?? [] }
  const counted = await countCandidates(read, orgId, candidates)
  if (counted.some(({ count }) => count === 0)) return undefined
  const [best] = counted.filter(({ hasIndex }) => hasIndex).sort((one, other) => one.count - other.count)
  return { kind: 'index', positions: best?.positions ?? [] }
}

/** An upper bound of the tickets that pass the filters, by the counters. Rare filters count as 0. */
export async function upperBound(read: Reader, orgId: string, filters: Filter[]): Promise<number> {
  const isRare = filters.some(({ kind, isNegated }) => !isNegated && RARE.some((rare) => rare === kind))
  if (isRare) return 0
  const counted = await countCandidates(read, orgId, candidatesFor(filters))
  return Math.min(...counted.map(({ count }) => count))
}

/** The counter with exactly the number of tickets that pass the filters; undefined if there is none. */
export function exactCounter(filters: Filter[]): string | undefined {
  if (filters.some(({ isNegated }) => isNegated)) return undefined
  if (filters.length === 0) return filterNames.all
  return candidatesFor(filters).find(({ positions }) => positions.length === filters.length)?.counter
}

interface Candidate {
  positions: number[]
  counter: string
  hasIndex: boolean
}

async function countCandidates(read: Reader, orgId: string, candidates: Candidate[]) {
  if (candidates.length === 0) return []
  const names = candidates.map(({ counter }) => counter)
  const counts = await readCounters(read, orgId, names)
  return candidates.map((candidate) => ({ ...candidate, count: counts.get(candidate.counter) ?? 0 }))
}

/** The filters, and pairs of them, that have a counter. */
function candidatesFor(filters: Filter[]): Candidate[] {
  const positive = filters.flatMap((filter, position) => (filter.isNegated ? [] : [{ filter, position }]))
  const single = positive.flatMap(({ filter, position }) => {
    const counter = counterOf(filter)
    return counter === undefined ? [] : [{ positions: [position], counter, hasIndex: true }]
  })
  const status = positive.find(({ filter }) => filter.kind === 'status')
  if (status?.filter.kind !== 'status') return single
  const { value } = status.filter
  const pairs = positive.flatMap(({ filter, position }) => {
    const positions = [status.position, position]
    if (filter.kind === 'assignee') {
      return [{ positions, counter: filterNames.statusAndAssignedTo(value, filter.value), hasIndex: true }]
    }
    if (filter.kind === 'tag') {
      return [{ positions, counter: filterNames.statusAndTag(value, filter.value), hasIndex: false }]
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
