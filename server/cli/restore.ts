import { resolve } from 'node:path'
import type { Command } from 'commander'
import { findBackup } from '../backup/backup-store.ts'
import { restoreBackup } from '../backup/restore-backup.ts'
import { systemClock } from '../clock.ts'
import { readConfig } from '../config.ts'
import { passphraseFrom } from './option-values.ts'
import { counted, note, print, printJson } from './output.ts'

interface Options {
  passphraseFile?: string
  json?: true
}

export function addRestore(program: Command): void {
  program
    .command('restore')
    .description(
      'restore a backup into an empty or new data folder, and into the empty database at DATABASE_URL',
    )
    .argument('<file>', 'a backup: a file or s3://bucket/key; the newest of a folder or s3://bucket/prefix')
    .option('--passphrase-file <file>', 'the passphrase that it is encrypted with; - reads standard input')
    .option('--json', 'print JSON')
    .action(async (file: string, { passphraseFile, json }: Options) => {
      const config = readConfig()
      const passphrase = passphraseFrom(passphraseFile) ?? config.backupPassphrase
      const { dataFolder, databaseUrl, files } = config
      const manifest = await restoreBackup(await findBackup(file, config.s3), {
        dataFolder,
        databaseUrl,
        files,
        passphrase,
        now: systemClock.now(),
      })
      const { createdAt, bellhop, attachments, missing } = manifest
      if (missing.length > 0) {
        const were = missing.length === 1 ? 'was' : 'were'
        note(`${counted(missing.length, 'attachment')} ${were} missing when the backup was made.`)
      }
      if (!manifest.files['secret.key'])
        note('The backup has no key: set BELLHOP_SECRET as on the old machine.')
      if (json)
        return printJson({
          dataFolder: resolve(dataFolder),
          createdAt,
          bellhop,
          attachments: attachments.files,
        })
      print(`Restored ${resolve(dataFolder)} as of ${createdAt}. Start the server with: bellhop serve`)
    })
}
