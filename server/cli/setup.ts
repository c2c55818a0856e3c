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
    .description('make an organization and its administrator; prints the id of the organization')
    .requiredOption('--org <name>', 'name of the organization')
    .requiredOption('--name <name>', "the administrator's name")
    .requiredOption('--email <address>', "the administrator's e-mail address")
    .option('--password-file <file>', "file with the administrator's password; - is standard input")
    .option('--json', 'print an object')
    .action(async ({ org, name, email, passwordFile, json }: Options) => {
      const password = passwordFrom(passwordFile)
      const admin = { name, email, ...(password !== undefined && { password }) }
      const made = await withDeps((deps) => setUp(deps, { org, admin }), true)
      if (!json) return print(made.organization.id)
      printJson({
        organization: { id: made.organization.id, name: made.organization.name },
        administrator: { id: made.admin.id, name: made.admin.name, email: made.admin.email },
      })
    })
}
