import type { Command } from 'commander'
import { setUp } from '../agents/set-up.ts'
import { passwordFrom } from './option-values.ts'
import { print, printJson } from './output.ts'
import { withDeps } from './with-deps.ts'

interface Options {
  org: string
  name: string
  email: string
  passwordFile?: string
  json?: true
}

export function addSetup(program: Command): void {
  program
    .command('setup')
    .description("create an organization and its administrator; prints the organization's id")
    .requiredOption('--org <name>', "the organization's name")
    .requiredOption('--name <name>', "the administrator's name")
    .requiredOption('--email <address>', "the administrator's email address")
    .option('--password-file <file>', "file with the administrator's password; - reads standard input")
    .option('--json', 'print JSON')
    .action(async ({ org, name, email, passwordFile, json }: Options) => {
      const password = passwordFrom(passwordFile)
      const admin = { name, email, ...(password !== undefined && { password }) }
      const created = await withDeps((deps) => setUp(deps, { org, admin }), true)
      if (!json) return print(created.organization.id)
      printJson({
        organization: { id: created.organization.id, name: created.organization.name },
        administrator: { id: created.admin.id, name: created.admin.name, email: created.admin.email },
      })
    })
}
