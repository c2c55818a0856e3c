import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { type BackupJob, createBackup, runBackupJob } from '../backup/create-backup.ts'
import { systemClock } from '../clock.ts'
import { readConfig } from '../config.ts'
import { formatSize } from '../text/sizes.ts'
import { passphraseFrom } from './option-values.ts'
import { counted, note, print, printJson } from './output.ts'
import { requireInstallation } from './with-deps.ts'

interface Options {
  passphraseFile?: string
  json?: true
}

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description(
      'write a verified backup of the database, the attachments, and the key, also while the server runs',
    )
    .argument('<file>', 'a new file, such as bellhop.tar.zst')
    .option('--passphrase-file <file>', 'encrypt with the passphrase in this file; - reads standard input')
    .option('--json', 'print JSON')
    .action(async (file: string, { passphraseFile, json }: Options) => {
      const config = readConfig()
      await requireInstallation(config)
      const { manifest, bytes } = await createBackup(file, {
        dataFolder: config.dataFolder,
        databaseUrl: config.databaseUrl,
        files: config.files,
        passphrase: passphraseFrom(passphraseFile),
        now: systemClock.now(),
      })
      const { files, attachments, missing } = manifest
      if (missing.length > 0) {
        const are = missing.length === 1 ? 'is' : 'are'
        note(
          `${counted(missing.length, 'attachment')} ${are} missing or damaged in ${config.files ? 'the bucket' : 'the data folder'}, and so in the backup.`,
        )
      }
      if (!files['secret.key']) note('The key is in BELLHOP_SECRET, not in the backup: keep it too.')
      if (json) return printJson({ file, bytes, attachments: attachments.files, missing })
      print(`Wrote and verified ${file}: ${formatSize(bytes)}, ${counted(attachments.files, 'attachment')}.`)
    })
}

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
