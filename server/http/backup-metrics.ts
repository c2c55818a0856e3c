import { readBackupStatus } from '../backup/backup-runs.ts'
import type { Deps } from '../deps.ts'
import type { Metric } from './prometheus-text.ts'

/** Measures automatic backups. None without them: an alert about a missing backup would otherwise never end. */
export async function backupMetrics(deps: Deps): Promise<Metric[]> {
  if (!deps.config.backup) return []
  const { lastSuccess, failures } = await readBackupStatus(deps)
  return [
    gauge(
      'bellhop_backup_last_success_timestamp_seconds',
      'When the last successful backup began, in seconds since 1970. 0 if there is none.',
      (lastSuccess?.startedAt ?? 0) / 1000,
    ),
    gauge(
      'bellhop_backup_last_success_bytes',
      'Size of the last successful backup.',
      lastSuccess?.bytes ?? 0,
    ),
    gauge('bellhop_backup_interval_seconds', 'How often a backup is made.', deps.config.backupEveryMs / 1000),
    gauge('bellhop_backup_failures', 'Backups that failed in a row, up to now.', failures),
  ]
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', values: [{ value }] }
}
