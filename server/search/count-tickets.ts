import type { Reader } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { countFiltered } from './choose-index.ts'
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

/** The count if the counters have it; undefined if the tickets have to be counted one by one. */
export async function readCount(read: Reader, orgId: string, search: Search): Promise<Count | undefined> {
  const count = search.indexQuery ? undefined : await countFiltered(read, orgId, search.filters)
  return count === undefined ? undefined : limited(count)
}

/** Counts tickets one by one, up to a number of matches and a number of examined tickets. */
export async function countMatches(
  deps: Pick<Deps, 'database' | 'expensiveReads'>,
  orgId: string,
  me: string,
  search: Search,
): Promise<Count> {
  const request = { orgId, me, search, sort: 'message_desc' as const, after: undefined, limit: MAX_COUNTED }
  const { read, background } = deps.database
  const { keys, isTooBroad = false } = await deps.expensiveReads.run({ maxRows: MAX_EXAMINED }, (expensive) =>
    findTickets({ read, background }, { ...request, expensive }),
  )
  const { count, isAtLeast } = limited(keys.length)
  return { count, isAtLeast: isAtLeast || isTooBroad }
}

function limited(count: number): Count {
  return { count: Math.min(count, MAX_COUNTED), isAtLeast: count >= MAX_COUNTED }
}
