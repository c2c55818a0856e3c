import { desc, notInArray } from 'drizzle-orm'
import { backups } from '../database/tables/backups.ts'
import type { Deps } from '../deps.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { isSetUp, listOrganizations } from '../organizations/directory.ts'

export type BackupRun = typeof backups.$inferSelect

const KEPT_RUNS = 50
const MINUTE_MS = 60_000
/** After the first failure, the second, and all others. */
const RETRY_AFTER_MS = [15 * MINUTE_MS, 60 * MINUTE_MS, 240 * MINUTE_MS]
/** Failures in a row after which administrators are told. */
const MANY_FAILURES = 2

interface BackupStatus {
  /** Newest first. */
  runs: BackupRun[]
  lastSuccess: BackupRun | undefined
  /** In a row, up to now. */
  failures: number
  isFailing: boolean
  isDue: boolean
  /** When the next one begins, in milliseconds since 1970. */
  dueAt: number
}

export async function readBackupStatus({ database, clock, config }: Deps): Promise<BackupStatus> {
  const everyMs = config.backupEveryMs
  const now = clock.now()
  const runs = await database.read.select().from(backups).orderBy(desc(backups.startedAt)).limit(KEPT_RUNS)
  const [last] = runs
  const firstSuccess = runs.findIndex(({ error }) => error === '')
  const failures = firstSuccess < 0 ? runs.length : firstSuccess
  return {
    runs,
    lastSuccess: runs[firstSuccess],
    failures,
    isFailing: failures >= MANY_FAILURES,
    // Without an organization, there is nothing to back up.
    isDue: last ? dueAfter(last, { failures, now, everyMs }) <= now : await isSetUp(database.read),
    dueAt: last ? dueAfter(last, { failures, now, everyMs }) : now,
  }
}

/** A clock that was set back doesn't put off the next one. */
function dueAfter(
  { startedAt, endedAt }: BackupRun,
  { failures, now, everyMs }: { failures: number; now: number; everyMs: number },
): number {
  if (startedAt > now) return now
  if (failures === 0) return startedAt + everyMs
  return endedAt + (RETRY_AFTER_MS[Math.min(failures, RETRY_AFTER_MS.length) - 1] ?? everyMs)
}

/** Keeps the newest ones, and always the last that succeeded. Pages show or hide the banner at once. */
export async function recordRun(deps: Deps, run: Omit<BackupRun, 'id'>): Promise<void> {
  const { runs, lastSuccess, failures, isFailing } = await readBackupStatus(deps)
  const kept = [...runs.slice(0, KEPT_RUNS - 1), ...(lastSuccess ? [lastSuccess] : [])].map(({ id }) => id)
  const isFailingNow = run.error !== '' && failures + 1 >= MANY_FAILURES
  const told = isFailingNow === isFailing ? [] : await listOrganizations(deps)
  await deps.database.write(undefined, async (tx) => {
    for (const { id } of told) recordWorkspaceChange(deps, tx, id)
    if (kept.length > 0) await tx.delete(backups).where(notInArray(backups.id, kept))
    await tx.insert(backups).values({ id: deps.newId('bkp'), ...run })
  })
}

/** What the page of backups and the loop that makes them say to each other. */
export interface BackupRequests {
  /** Set by the loop. */
  isRunning: boolean
  /** Asks for a backup now. One that is running doesn't count. */
  ask(): void
  /** Whether someone asked since the last call of `take`. */
  isAsked(): boolean
  take(): void
  onAsk: () => void
}

export function createBackupRequests(): BackupRequests {
  let isAsked = false
  const requests: BackupRequests = {
    isRunning: false,
    ask() {
      isAsked = true
      requests.onAsk()
    },
    isAsked: () => isAsked,
    take() {
      isAsked = false
    },
    onAsk() {},
  }
  return requests
}
