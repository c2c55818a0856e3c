import type { Command } from 'commander'
import { isoTime } from '../dates.ts'
import { listOrganizations } from '../organizations/directory.ts'
import { formatTime, printJson, printTable } from './output.ts'
import { withDeps } from './with-deps.ts'

export function addOrg(program: Command): void {
  const org = program.command('org').description('manage organizations')
  org
    .command('list')
    .description('list organizations, oldest first')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const found = await withDeps(listOrganizations)
      const organizations = found.map(({ id, name, createdAt }) => ({
        id,
        name,
        createdAt: isoTime(createdAt),
      }))
      if (json) return printJson(organizations)
      printTable(
        ['ID', 'NAME', 'CREATED'],
        organizations.map(({ id, name, createdAt }) => [id, name, formatTime(createdAt)]),
        'No organizations yet. Create one with: bellhop setup',
      )
    })
}
