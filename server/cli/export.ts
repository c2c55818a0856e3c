import type { Command } from 'commander'
import type { Deps } from '../deps.ts'
import { StartError } from '../errors.ts'
import { exportOrganization } from '../export/write-export.ts'
import { listOrganizations } from '../organizations/directory.ts'
import type { Organization } from '../organizations/organizations.ts'
import { formatSize } from '../text/sizes.ts'
import { passphraseFrom } from './option-values.ts'
import { formatRecords, note, print, printJson } from './output.ts'
import { withDeps, withOrganization } from './with-deps.ts'

interface Options {
  org?: string
  passphraseFile?: string
  json?: true
}

export function addExport(program: Command): void {
  program
    .command('export')
    .description(
      'write everything of an organization to a file in an open format, also while the server runs',
    )
    .argument('<file>', 'a new file, such as acme.jsonl')
    .option('--org <org>', 'id or name of the organization, if there are several')
    .option('--passphrase-file <file>', 'encrypt with the passphrase in this file; - reads standard input')
    .option('--json', 'print JSON')
    .action(async (file: string, { org, passphraseFile, json }: Options) => {
      const passphrase = passphraseFrom(passphraseFile)
      const write = async (deps: Deps, organization: Organization) => ({
        organization: { id: organization.id, name: organization.name },
        ...(await exportOrganization(deps, organization, { file, passphrase })),
      })
      const result = await (org === undefined ? withOnlyOrganization(write) : withOrganization(org, write))
      const { organization, bytes, records, missing } = result
      if (missing > 0) note(missingMessage(missing))
      if (json) return printJson({ file, ...result })
      if (passphrase === undefined) {
        note('The file has passwords and tokens in plain text. Keep it as safe as the data folder.')
      }
      print(`Exported ${organization.name} to ${file}: ${formatSize(bytes)}, ${formatRecords(records)}.`)
    })
}

function withOnlyOrganization<T>(work: (deps: Deps, organization: Organization) => Promise<T>): Promise<T> {
  return withDeps(async (deps) => {
    const [organization, ...others] = await listOrganizations(deps)
    if (!organization) throw new StartError('There is no organization to export.')
    if (others.length > 0) throw new StartError('There are several organizations. Choose one with --org.')
    return work(deps, organization)
  })
}

function missingMessage(missing: number): string {
  return missing === 1
    ? '1 file is missing or damaged in the data folder, so the export lacks it.'
    : `${missing} files are missing or damaged in the data folder, so the export lacks them.`
}
