import { and, inArray, isNull, lte, notExists, sql } from 'drizzle-orm'
import { visitors, widgetConversations } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { startPruning } from '../../../jobs/pruning.ts'
import type { Loop } from '../../../loop.ts'

const RUN_EVERY_MS = 3_600_000
const SLICE = 100
/** The end of time (ECMA-262, section 21.4.1.1): a visitor without a token, who is kept for their conversations. */
const NEVER = 8_640_000_000_000_000

/**
 * Deletes visitors whose token has expired and who have no conversation. Of the others the token is
 * removed: agents still see who wrote.
 */
export function startPruningVisitors(deps: Deps): Loop {
  return startPruning(deps, 'prune_visitors', { everyMs: RUN_EVERY_MS, slice: () => pruneSlice(deps) })
}

/** Returns whether more may be left. */
async function pruneSlice({ database, clock }: Deps): Promise<boolean> {
  const now = clock.now()
  const expired = await database.read
    .select({ id: visitors.id })
    .from(visitors)
    .where(lte(visitors.tokenExpiresAt, now))
    .limit(SLICE)
  if (expired.length === 0) return false
  const ids = expired.map(({ id }) => id)
  await database.write(undefined, async (tx) => {
    // One whose token was renewed since the read stays.
    const isExpired = and(inArray(visitors.id, ids), lte(visitors.tokenExpiresAt, now))
    const conversations = tx
      .select({ one: sql`1` })
      .from(widgetConversations)
      .where(sql`${widgetConversations.visitorId} = ${visitors.id}`)
    await tx.delete(visitors).where(and(isExpired, isNull(visitors.customerId), notExists(conversations)))
    await tx.update(visitors).set({ tokenHash: null, tokenExpiresAt: NEVER }).where(isExpired)
  })
  return expired.length === SLICE
}
