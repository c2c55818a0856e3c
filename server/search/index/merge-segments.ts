import { and, eq, inArray } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { mergeIndex, mergeInStepsOnly } from '../../database/full-text.ts'
import { matches } from '../../database/matches.ts'
import { organizations } from '../../database/tables/organizations.ts'
import { ticketCounters } from '../../database/tables/tickets.ts'
import type { Deps } from '../../deps.ts'

/** Pages in one unit: about 5 ms. */
const PAGES_PER_STEP = 32

/** Runs that add to the index between two merges: a merge costs as much as a run. */
const RUNS_PER_MERGE = 8

/** An organization in which something was deleted permanently, and the number of that event. */
export interface Erasure {
  orgId: string
  erasedEvent: number
}

/** One step of merging. `hasGrown`: the index has been written to. Returns whether there is more to do. */
type Merger = (hasGrown: boolean, erased: Erasure[]) => Promise<boolean>

/**
 * Merges the segments of the index a little at a time. After a permanent deletion it merges all of them, because until
 * then the deleted words are still in the file, and empties the write-ahead log.
 */
export function createMerger(deps: Deps): Merger {
  const hasSegments = deps.database.engine === 'sqlite'
  let isSetUp = false
  let isMerging = hasSegments
  let unmerged = 0
  let clearing: Erasure[] = []
  return async (hasGrown, erased) => {
    const isWhole = clearing.length === 0 && erased.length > 0
    if (hasSegments && hasGrown) unmerged += 1
    if (!isMerging && unmerged < RUNS_PER_MERGE && clearing.length === 0 && !isWhole) return false
    unmerged = 0
    if (hasSegments) {
      isMerging = await deps.database.write(undefined, async (tx) => {
        if (!isSetUp) await mergeInStepsOnly(tx)
        return mergeIndex(tx, PAGES_PER_STEP, { isWhole })
      })
    }
    isSetUp = true
    if (isWhole) clearing = erased
    if (!isMerging && clearing.length > 0 && (await finishErasure(deps, clearing))) clearing = []
    return isMerging || clearing.length > 0
  }
}

/** Returns whether nothing is left on disk. Data deleted since then is cleared in a later step. */
async function finishErasure(deps: Deps, clearing: Erasure[]): Promise<boolean> {
  await deps.database.write(undefined, (tx) => deleteEmptyCounters(tx, clearing))
  if (!(await deps.database.emptyLog())) return false
  await deps.database.write(undefined, async (tx) => {
    for (const { orgId, erasedEvent } of clearing) {
      const isSame = matches(organizations, { id: orgId, erasedEvent })
      await tx.update(organizations).set({ erasedEvent: null }).where(isSame)
    }
  })
  return true
}

/** The names of counters contain tags. */
async function deleteEmptyCounters(tx: Transaction, clearing: Erasure[]): Promise<void> {
  const orgIds = clearing.map(({ orgId }) => orgId)
  await tx
    .delete(ticketCounters)
    .where(and(inArray(ticketCounters.orgId, orgIds), eq(ticketCounters.count, 0)))
}
