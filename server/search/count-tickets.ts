import type { Reader } from '../database/database.ts'
import { filterNames, readCounters } from '../tickets/counters.ts'
import { counterFor } from './choose-index.ts'
import { findTickets } from './find-tickets.ts'
import type { Search } from './read-search.ts'

/** Where counting stops that no counter spares. */
export const MOST_COUNTED = 1_000
/** So many tickets are looked at for one count: some 50 ms. */
const MOST_LOOKED_AT = 10_000

export interface Count {
  count: number
  /** There may be more. */
  isAtLeast: boolean
}

/** What a counter knows; undefined when the tickets themselves have to be counted. */
export async function countOfCounter(
  read: Reader,
  orgId: string,
  search: Search,
): Promise<Count | undefined> {
  const counter = search.indexQuery ? undefined : counterFor(search.filters)
  if (counter === undefined) return undefined
  const counters = await readCounters(read, orgId, [counter, filterNames.spam(counter)])
  return limited(shown(counters, counter))
}

/** Counts tickets one by one, up to a limit of those that are found and of those that are looked at. */
export async function countTickets(read: Reader, orgId: string, me: string, search: Search): Promise<Count> {
  const budget = { left: MOST_LOOKED_AT }
  const found = await findTickets(read, {
    orgId,
    me,
    search,
    sort: 'updated_desc',
    after: undefined,
    limit: MOST_COUNTED,
    budget,
  })
  const { count, isAtLeast } = limited(found.length)
  return { count, isAtLeast: isAtLeast || budget.left <= 0 }
}

/** What the inbox shows of a counter: without spam. */
export function shown(counters: Map<string, number>, name: string): number {
  return (counters.get(name) ?? 0) - (counters.get(filterNames.spam(name)) ?? 0)
}

function limited(count: number): Count {
  return { count: Math.min(count, MOST_COUNTED), isAtLeast: count >= MOST_COUNTED }
}
