import { and, inArray, lt, sql } from 'drizzle-orm'
import { sends } from '../../database/tables/sends.ts'
import type { Deps } from '../../deps.ts'
import { startPruning } from '../../jobs/pruning.ts'
import type { Loop } from '../../loop.ts'

/** Delivery reports arrive within days. */
const KEPT_MS = 30 * 86_400_000
const RUN_EVERY_MS = 3_600_000
const SLICE = 500

/** Deletes sends 30 days after every recipient got them, a slice at a time. The text remains in the message. */
export function startPruningSends(deps: Deps): Loop {
  return startPruning(deps, 'prune_sends', {
    everyMs: RUN_EVERY_MS,
    slice: () =>
      deps.database.write(async (tx) => {
        const isOld = and(
          sql`state = 'sent' and error = ''`,
          lt(sends.finishedAt, deps.clock.now() - KEPT_MS),
        )
        const old = tx.select({ id: sends.id }).from(sends).where(isOld).limit(SLICE)
        const deleted = await tx.delete(sends).where(inArray(sends.id, old)).returning({ id: sends.id })
        return deleted.length === SLICE
      }),
  })
}
