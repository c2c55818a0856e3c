import type { Reader } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { filterNames, readCounters } from '../tickets/counters.ts'
import { exactCounter } from './choose-index.ts'
import { findTickets } from './find-tickets.ts'
import type { Search } from './read-search.ts'

/** Tickets are counted up to this number, whether one by one or by a counter. */
export const MAX_COUNTED = 1_000
/** Tickets examined for one count: about 50 ms. */
const MAX_EXAMINED = 10_000

export interface Count {
  count: number
  /** There may be more. */
  isAtLeast: boolean
}

/** The count if a counter has it; undefined if the tickets have to be counted one by one. */
export async function readCount(read: Reader, orgId: string, search: Search): Promise<Count | undefined> {
  const counter = search.indexQuery ? undefined : exactCounter(search.filters)
  if (counter === undefined) return undefined
  const counters = await readCounters(read, orgId, [counter, filterNames.spam(counter)])
  return limited(withoutSpam(counters, counter))
}

/** Counts tickets one by one, up to a number of matches and a number of examined tickets. */
export async function countTickets(
  deps: Pick<Deps, 'database' | 'expensiveReads'>,
  orgId: string,
  me: string,
  search: Search,
): Promise<Count> {
  const request = { orgId, me, search, sort: 'updated_desc' as const, after: undefined, limit: MAX_COUNTED }
  const { read, background } = deps.database
  const { keys, isTooBroad = false } = await deps.expensiveReads.run({ maxRows: MAX_EXAMINED }, (expensive) =>
    findTickets({ read, background }, { ...request, expensive }),
  )
  const { count, isAtLeast } = limited(keys.length)
  return { count, isAtLeast: isAtLeast || isTooBroad }
}

/** A counter less its spam, as the inbox shows it. */
export function withoutSpam(counters: Map<string, number>, name: string): number {
  return (counters.get(name) ?? 0) - (counters.get(filterNames.spam(name)) ?? 0)
}

function limited(count: number): Count {
  return { count: Math.min(count, MAX_COUNTED), isAtLeast: count >= MAX_COUNTED }
}
