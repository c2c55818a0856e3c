import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import { type Config, readConfig } from '../config.ts'
import { lockDataFolder } from '../database/lock.ts'
import { StartError } from '../errors.ts'
import { importOrganization } from '../export/import-organization.ts'
import { verifyExport } from '../export/read-export.ts'
import { passphraseFrom } from './option-values.ts'
import { formatRecords, print, printJson } from './output.ts'
import { withDeps } from './with-deps.ts'

interface Options {
  passphraseFile?: string
  json?: true
}

export function addImport(program: Command): void {
  program
    .command('import')
    .description('store the organization of an export, in a new installation or beside others')
    .argument('<file>', 'a file that bellhop export wrote')
    .option('--passphrase-file <file>', 'the passphrase that it is encrypted with; - reads standard input')
    .option('--json', 'print JSON')
    .action(async (path: string, { passphraseFile, json }: Options) => {
      const config = readConfig()
      const file = { path, passphrase: passphraseFrom(passphraseFile) }
      // Before anything is created.
      await verifyExport(file)
      const result = await withoutServer(config, () =>
        withDeps((deps) => importOrganization(deps, file), 'with import'),
      )
      if (json) return printJson(result)
      const { organization, records } = result
      print(`Imported ${organization.name} (${organization.id}): ${formatRecords(records)}.`)
    })
}

/** Runs while no server can use the data. Throws `StartError` when one does. */
export async function withoutServer<T>(config: Config, work: () => Promise<T>): Promise<T> {
  await using locks = new AsyncDisposableStack()
  locks.defer(lockDataFolder(config.dataFolder, systemClock.now()).release)
  if (config.databaseUrl) await requireNoNodes(config.databaseUrl)
  return await work()
}

/** Throws `StartError` when a server uses the PostgreSQL database. */
export async function requireNoNodes(url: string): Promise<void> {
  const { hasNodes } = await import('../cluster/membership.ts')
  if (await hasNodes(url)) throw new StartError('A Bellhop server is using this database. Stop it first.')
}
