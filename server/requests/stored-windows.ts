import { and, eq, lte, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { command, integer, statement, text, updateOf } from '../database/statement.ts'
import { type Counted, rollingWindows } from '../database/tables/cluster.ts'
import type { Deps } from '../deps.ts'

const PRUNED_AT_ONCE = 500

/** Times further ahead are from before the clock was set back. */
const MAX_AHEAD_MS = 60_000

/**
 * What has counted by a key since `after`. The row stays locked until the end of the unit, so all nodes of a cluster count
 * the same. A unit that locks several does it in the order of their keys.
 */
export async function lockWindow(
  tx: Transaction,
  key: string,
  { now, after }: { now: number; after: number },
): Promise<Counted[]> {
  const [window] = await lock(tx, { key })
  const counted = window?.counted ?? []
  return counted.filter(({ at }) => at > after && at < now + MAX_AHEAD_MS)
}

/** Replaces what counts by a key that the unit has locked. Nothing is left of one by which nothing counts. */
export async function saveWindow(
  tx: Transaction,
  key: string,
  { counted, windowMs }: { counted: Counted[]; windowMs: number },
): Promise<void> {
  if (counted.length === 0) return removeExpired(tx, { key, now: Number.MAX_SAFE_INTEGER })
  const expiresAt = Math.max(...counted.map(({ at }) => at + windowMs))
  await save(tx, { key, counted, expiresAt })
}

/** One unit at a time, of all nodes, until its end. */
export async function lockByName(tx: Transaction, name: string): Promise<void> {
  await lock(tx, { key: name })
}

/** Deletes some windows in which nothing counts anymore. Returns whether there may be more. */
export async function pruneWindows({ database, clock }: Deps): Promise<boolean> {
  const now = clock.now()
  const over = await database.read
    .select({ key: rollingWindows.key })
    .from(rollingWindows)
    .where(lte(rollingWindows.expiresAt, now))
    .limit(PRUNED_AT_ONCE)
  if (over.length === 0) return false
  await database.write(undefined, async (tx) => {
    // In the order in which all units lock them, which isn't that of the database's language. One that was used since the
    // read stays.
    for (const key of over.map((one) => one.key).sort()) await removeExpired(tx, { key, now })
  })
  return over.length === PRUNED_AT_ONCE
}

const save = updateOf('rolling_windows_save', rollingWindows, {
  set: ['counted', 'expiresAt'],
  by: ['key'],
})

const lock = statement('rolling_windows_lock', { key: text }, (tx, p) =>
  tx
    .insert(rollingWindows)
    .values({ key: p.key, counted: [], expiresAt: 0 })
    .onConflictDoUpdate({
      target: rollingWindows.key,
      set: { expiresAt: sql`${rollingWindows.expiresAt}` },
    })
    .returning({ counted: rollingWindows.counted }),
)

const removeExpired = command('rolling_windows_remove', { key: text, now: integer }, (tx, p) =>
  tx.delete(rollingWindows).where(and(eq(rollingWindows.key, p.key), lte(rollingWindows.expiresAt, p.now))),
)
