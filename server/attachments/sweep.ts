import { and, inArray, isNull, lt } from 'drizzle-orm'
import { attachments } from '../database/tables/attachments.ts'
import type { Deps } from '../deps.ts'
import { startPruning } from '../jobs/pruning.ts'
import type { Loop } from '../loop.ts'
import { deleteFiles, referencedFiles } from './queries.ts'

const HOUR_MS = 3_600_000
/** How long an upload waits to be sent, unless it is in a draft. */
const UNSENT_MS = 24 * HOUR_MS
/** For files without a row: after this time, no one is about to store one. */
const STRAY_MS = HOUR_MS
const RUN_EVERY_MS = HOUR_MS
const ROWS_AT_ONCE = 100
/** The first digit of the folders that one slice of the work checks. */
const FIRST_DIGITS = [...'0123456789abcdef']

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

  return startPruning(deps, 'sweep_files', { everyMs: RUN_EVERY_MS, slice })
}

/** One sweep, with a pause after each slice. */
export async function* sweepSlices(deps: Deps): AsyncGenerator<void> {
  while (await deleteUnsent(deps)) yield
  await deps.files.deleteUnfinished(deps.clock.now() - STRAY_MS)
  for (const first of FIRST_DIGITS) {
    yield
    for (const second of FIRST_DIGITS) await deleteStrays(deps, first + second)
  }
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

async function deleteStrays(deps: Deps, digits: string): Promise<void> {
  const stored = await deps.files.listStored(digits, deps.clock.now() - STRAY_MS)
  for (let start = 0; start < stored.length; start += ROWS_AT_ONCE) {
    const some = stored.slice(start, start + ROWS_AT_ONCE)
    const referenced = await referencedFiles(deps.database.read, some)
    const strays = some.filter((hash) => !referenced.has(hash))
    if (strays.length > 0) deps.log.info('stray_files_deleted', { files: strays.length })
    await deleteFiles(deps, strays)
  }
}
