import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { type BackupJob, runBackupJob } from '../backup/backup-job.ts'
import { print } from './output.ts'

/**
 * The server starts this for an automatic backup: a process of its own, because a backup holds its thread. The job comes
 * on standard input, because it has secrets. When the input ends, the server has ended, and so does this process.
 */
export function addBackupJob(program: Command): void {
  program.command('backup-job', { hidden: true }).action(async () => {
    const lines = createInterface({ input: process.stdin })
    lines.once('close', () => process.exit(1))
    const job = await new Promise<BackupJob>((resolve) => {
      lines.once('line', (line) => resolve(JSON.parse(line)))
    })
    try {
      print(JSON.stringify(await runBackupJob(job)))
    } finally {
      lines.removeAllListeners('close')
      process.stdin.destroy()
    }
  })
}
