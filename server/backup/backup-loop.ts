import { join } from 'node:path'
import type { Deps } from '../deps.ts'
import { startLoop } from '../loop.ts'
import { describePlace } from './backup-place.ts'
import type { BackupRequests } from './backup-runs.ts'
import { readBackupStatus, recordRun } from './backup-runs.ts'
import type { BackupJob, BackupResult } from './create-backup.ts'

const CHECK_EVERY_MS = 60_000
/** Until the installation is set up: the first backup follows at once. */
const CHECK_SETUP_EVERY_MS = 5_000
/** A bucket that takes bytes and never answers would hold up all later backups. */
const MAX_RUN_MS = 6 * 3_600_000
const MAX_ERROR_LENGTH = 500

/**
 * Makes backups in a separate process, so that they never block the event loop: once there is an organization, then
 * every `BELLHOP_BACKUP_EVERY`, again after a failure, and when an administrator asks. A backup that a restart
 * interrupts starts over.
 */
export function startBackups(deps: Deps, requests: BackupRequests): { stop(): Promise<void> } {
  const place = deps.config.backup
  if (!place) return { stop: async () => {} }
  let running: ReturnType<typeof startJob> | undefined
  let isStopped = false

  /** One server of those that share a database makes them all, but for those that are asked for. */
  async function isDue(): Promise<boolean> {
    return deps.cluster.partitions.hasFirst() && (await readBackupStatus(deps)).isDue
  }

  async function backUpIfDue(): Promise<void> {
    const startedAt = deps.clock.now()
    if (isStopped || !(requests.isAsked() || (await isDue()))) return
    requests.take()
    requests.isRunning = true
    running = startJob(deps, {
      place: place ?? { kind: 'folder', path: '' },
      dataFolder: deps.config.dataFolder,
      databaseUrl: deps.config.databaseUrl,
      files: deps.config.files,
      passphrase: deps.config.backupPassphrase,
      keep: deps.config.backupKeep,
      now: startedAt,
    })
    const ended = await running.ended
    running = undefined
    requests.isRunning = false
    if (isStopped) return
    const endedAt = deps.clock.now()
    if ('error' in ended) {
      deps.log.error('backup_failed', { error: ended.error })
      await recordRun(deps, { startedAt, endedAt, name: '', bytes: 0, error: ended.error })
    } else {
      const { name, bytes, missing } = ended
      deps.log.info('backup_made', { name, bytes, missing })
      await recordRun(deps, { startedAt, endedAt, name, bytes, error: '' })
    }
  }

  let checkAt = deps.clock.monotonic()
  const loop = startLoop(deps, 'backups', [], async () => {
    const wait = checkAt - deps.clock.monotonic()
    if (wait > 0 && !requests.isAsked()) return wait
    await backUpIfDue()
    const { runs } = await readBackupStatus(deps)
    const pause = runs.length === 0 ? CHECK_SETUP_EVERY_MS : CHECK_EVERY_MS
    checkAt = deps.clock.monotonic() + pause
    return pause
  })
  requests.onAsk = loop.wake
  return {
    async stop() {
      isStopped = true
      running?.end()
      await loop.stop()
    },
  }
}

type Ended = BackupResult | { error: string }

function startJob(deps: Deps, job: BackupJob): { ended: Promise<Ended>; end(): void } {
  const child = Bun.spawn([...programOf(), 'backup-job'], {
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let isLate = false
  const cancelTimer = deps.clock.after(MAX_RUN_MS, () => {
    isLate = true
    child.kill()
  })
  async function finish(): Promise<Ended> {
    child.stdin.write(`${JSON.stringify(job)}\n`)
    await child.stdin.flush()
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    const code = await child.exited
    if (code === 0) return JSON.parse(out)
    if (isLate) return { error: `The backup to ${describePlace(job.place)} took longer than six hours.` }
    const [sentence = ''] = err.trim().slice(0, MAX_ERROR_LENGTH).split('\n')
    return { error: sentence || `The backup ended early: ${child.signalCode ?? code}.` }
  }
  return {
    ended: finish()
      .catch((error) => ({ error: `The backup ended early: ${error}` }))
      .finally(cancelTimer),
    end: () => child.kill(),
  }
}

/** The compiled program, or Bun with the sources. */
function programOf(): string[] {
  const isCompiled = /^(\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/.test(import.meta.dir)
  return isCompiled ? [process.execPath] : [process.execPath, join(import.meta.dir, '../main.ts')]
}
