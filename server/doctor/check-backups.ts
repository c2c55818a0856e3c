import { stat } from 'node:fs/promises'
import { readBackupStatus } from '../backup/backup-runs.ts'
import { durationOf, type Finding, findingsOf, type OpenInstallation } from './finding.ts'

const { ok, warning, error } = findingsOf('backup')
/** In intervals between backups. */
const OLD = 2
const LOG = 'Read why in Settings > Backups, and check the place in BELLHOP_BACKUP.'

/** Checks that automatic backups exist, succeed, and aren't on the disk that they protect. */
export async function checkBackups({ deps, now, config }: OpenInstallation): Promise<Finding[]> {
  const { backup, backupEveryMs } = config
  if (!backup) {
    const detail = 'Automatic backups are off.'
    return [warning(detail, 'Set BELLHOP_BACKUP to a folder on another disk, or to an S3 bucket.')]
  }
  const { lastSuccess, failures, runs } = await readBackupStatus(deps)
  if (runs.length === 0) {
    return [
      warning(
        'No backup has been made yet.',
        'The server makes the first one within a minute after it is set up.',
      ),
    ]
  }
  const last = runs[0]?.error ?? ''
  if (!lastSuccess || failures > 1) {
    const detail = `The last ${failures === 1 ? 'backup' : `${failures} backups`} failed: ${last}`
    return [error(detail, LOG)]
  }
  const age = now - lastSuccess.startedAt
  if (age > OLD * backupEveryMs) {
    const detail = `The last backup is ${durationOf(age)} old.`
    return [error(detail, 'Backups are made while the server runs. Keep it running, and look at its log.')]
  }
  if (failures > 0) return [warning(`The last backup failed: ${last}`, LOG)]
  if (backup.kind === 'folder' && (await isSameDisk(backup.path, config.dataFolder))) {
    const detail = 'The backups are on the same disk as the data, so both can be lost at once.'
    return [warning(detail, 'Set BELLHOP_BACKUP to another disk, or to an S3 bucket.')]
  }
  return [ok(`The last backup was made ${durationOf(age)} ago, and was verified.`)]
}

async function isSameDisk(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)))
  return first !== undefined && first.dev === second?.dev
}
