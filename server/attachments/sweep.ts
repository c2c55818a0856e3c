import { and, inArray, isNull, lt } from 'drizzle-orm'
import { alone } from '../cluster/cluster.ts'
import { attachments } from '../database/tables/attachments.ts'
import type { Deps } from '../deps.ts'
import { startPruning } from '../jobs/pruning.ts'
import type { Loop } from '../loop.ts'
import { BucketFiles } from './bucket-files.ts'
import { deleteFiles, referencedFiles } from './queries.ts'

const HOUR_MS = 3_600_000
/** How long an upload waits to be sent, unless it is in a draft. */
const UNSENT_MS = 24 * HOUR_MS
/** Unfinished files that no one wrote to for so long belong to a process that ended. */
const STRAY_MS = HOUR_MS
const RUN_EVERY_MS = HOUR_MS
const ROWS_AT_ONCE = 100

/**
 * Deletes what no one refers to, at start and every hour: uploads that were not sent for a day, and files that a crash left
 * behind.
 */
export function startSweepingFiles(deps: Deps): Loop {
  let sweep = sweepSlices(deps)

  async function slice(): Promise<boolean> {
    const { done } = await sweep.next()
    if (done) sweep = sweepSlices(deps)
    return !done
  }

  // Every server has a disk of its own.
  return startPruning({ ...deps, cluster: alone }, 'sweep_files', { everyMs: RUN_EVERY_MS, slice })
}

/** One sweep, with a pause after each slice. */
export async function* sweepSlices(deps: Deps): AsyncGenerator<void> {
  await deps.files.deleteUnfinished(deps.clock.now() - STRAY_MS)
  if (deps.cluster.partitions.hasFirst()) {
    while (await deleteUnsent(deps)) yield
    for await (const idle of deps.files.listIdle()) {
      await deleteStrays(deps, idle, (strays) => deleteFiles(deps, strays))
      yield
    }
  }
  if (!(deps.files instanceof BucketFiles)) return
  // Another server may have deleted a file that this one has, too.
  const { cache } = deps.files
  for await (const idle of cache.listIdle()) {
    await deleteStrays(deps, idle, async (strays) => {
      for (const hash of strays) await cache.delete(hash, async () => false)
    })
    yield
  }
  await deps.files.trim()
}

/** Deletes some uploads that were not sent for a day and are in no draft. Returns whether there may be more. */
async function deleteUnsent(deps: Deps): Promise<boolean> {
  const isAbandoned = and(
    isNull(attachments.ownerId),
    isNull(attachments.ticketId),
    lt(attachments.createdAt, deps.clock.now() - UNSENT_MS),
  )
  const old = await deps.database.read
    .select({ id: attachments.id })
    .from(attachments)
    .where(isAbandoned)
    .limit(ROWS_AT_ONCE)
  if (old.length === 0) return false
  const ids = old.map(({ id }) => id)
  // One of them may have been sent since.
  const deleted = await deps.database.write(undefined, async (tx) =>
    tx
      .delete(attachments)
      .where(and(isAbandoned, inArray(attachments.id, ids)))
      .returning({ hash: attachments.hash }),
  )
  await deleteFiles(
    deps,
    deleted.map(({ hash }) => hash),
  )
  return old.length === ROWS_AT_ONCE
}

async function deleteStrays(
  deps: Deps,
  idle: string[],
  deleteThem: (hashes: string[]) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < idle.length; start += ROWS_AT_ONCE) {
    const some = idle.slice(start, start + ROWS_AT_ONCE)
    const referenced = await referencedFiles(deps.database.read, some)
    const strays = some.filter((hash) => !referenced.has(hash))
    if (strays.length === 0) continue
    await deleteThem(strays)
    deps.log.info('stray_files_deleted', { files: strays.length })
  }
}
