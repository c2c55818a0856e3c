import { and, inArray, isNotNull, lt } from 'drizzle-orm'
import { telegramUpdates } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import { startPruning } from '../../../jobs/pruning.ts'
import type { Loop } from '../../../loop.ts'

/** Long enough to look into updates that failed or are of an unknown kind. */
const KEPT_MS = 30 * 86_400_000
const RUN_EVERY_MS = 3_600_000
const SLICE = 500

/** Deletes the records of updates after 30 days, a slice at a time. Messages stay with their tickets. */
export function startPruningUpdates(deps: Deps): Loop {
  return startPruning(deps, 'prune_telegram_updates', {
    everyMs: RUN_EVERY_MS,
    slice: () =>
      deps.database.write(async (tx) => {
        const isOld = and(
          isNotNull(telegramUpdates.processedAt),
          lt(telegramUpdates.processedAt, deps.clock.now() - KEPT_MS),
        )
        const old = tx.select({ id: telegramUpdates.id }).from(telegramUpdates).where(isOld).limit(SLICE)
        const deleted = await tx
          .delete(telegramUpdates)
          .where(inArray(telegramUpdates.id, old))
          .returning({ id: telegramUpdates.id })
        return deleted.length === SLICE
      }),
  })
}
