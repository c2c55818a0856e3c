import { and, eq, inArray } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { mergeIndex, mergeInStepsOnly } from '../../database/full-text.ts'
import { organizations } from '../../database/tables/organizations.ts'
import { ticketCounters } from '../../database/tables/tickets.ts'
import type { Deps } from '../../deps.ts'

/** One unit: some 5 ms. */
const PAGES_AT_ONCE = 32

/** An organization in which something was deleted for ever, and the number of that event. */
export interface Erased {
  orgId: string
  erasedEvent: number
}

/** One step; `hasGrown` says that the index has been written to. Answers whether there is more to do. */
export type Upkeep = (hasGrown: boolean, erased: Erased[]) => Promise<boolean>

/**
 * Merges the segments of the index a little at a time. When something was deleted for ever it merges all of them, for
 * until then its words stand in the file, and empties the log beside the database.
 */
export function createUpkeep(deps: Deps): Upkeep {
  let isSetUp = false
  let isMerging = true
  let clearing: Erased[] = []
  return async (hasGrown, erased) => {
    const isWhole = clearing.length === 0 && erased.length > 0
    if (!isMerging && !hasGrown && clearing.length === 0 && !isWhole) return false
    isMerging = await deps.database.write(async (tx) => {
      if (!isSetUp) await mergeInStepsOnly(tx)
      return mergeIndex(tx, PAGES_AT_ONCE, { isWhole })
    })
    isSetUp = true
    if (isWhole) clearing = erased
    if (!isMerging && clearing.length > 0 && (await forget(deps, clearing))) clearing = []
    return isMerging || clearing.length > 0
  }
}

/** Answers whether nothing is left. What was deleted since is another turn's. */
async function forget(deps: Deps, clearing: Erased[]): Promise<boolean> {
  await deps.database.write((tx) => deleteEmptyCounters(tx, clearing))
  if (!(await deps.database.emptyLog())) return false
  await deps.database.write(async (tx) => {
    for (const { orgId, erasedEvent } of clearing) {
      const isSame = and(eq(organizations.id, orgId), eq(organizations.erasedEvent, erasedEvent))
      await tx.update(organizations).set({ erasedEvent: null }).where(isSame)
    }
  })
  return true
}

/** Their names hold tags. */
async function deleteEmptyCounters(tx: Transaction, clearing: Erased[]): Promise<void> {
  const orgIds = clearing.map(({ orgId }) => orgId)
  await tx
    .delete(ticketCounters)
    .where(and(inArray(ticketCounters.orgId, orgIds), eq(ticketCounters.count, 0)))
}
