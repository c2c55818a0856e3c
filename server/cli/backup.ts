import type { Command } from 'commander'
import { createBackup } from '../backup/create-backup.ts'
import { systemClock } from '../clock.ts'
import { readConfig } from '../config.ts'
import { StartError } from '../errors.ts'
import { formatSize } from '../sizes.ts'
import { passphraseFrom } from './option-values.ts'
import { note, print, printJson } from './output.ts'
import { requireData } from './with-deps.ts'

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
      if (config.databaseUrl) {
        throw new StartError(
          'bellhop backup is for the embedded database. Back up PostgreSQL with pg_dump, and copy the data folder.',
        )
      }
      requireData(config)
      const { manifest, bytes } = await createBackup(file, {
        dataFolder: config.dataFolder,
        passphrase: passphraseFrom(passphraseFile),
        now: systemClock.now(),
      })
      const { files, attachments, missing } = manifest
      if (missing.length > 0) {
        note(
          `${missing.length} attachments are missing or damaged in the data folder, so the backup lacks them.`,
        )
      }
      if (!files['secret.key']) note('The key is in BELLHOP_SECRET, not in the backup: keep it too.')
      if (json) return printJson({ file, bytes, attachments: attachments.files, missing })
      print(`Wrote and verified ${file}: ${formatSize(bytes)}, ${attachments.files} attachments.`)
    })
}
