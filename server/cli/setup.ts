import type { Command } from 'commander'
import { createLink } from '../agents/one-time-links.ts'
import { setUp } from '../agents/set-up.ts'
import { viewLink } from '../agents/views.ts'
import { passwordFrom } from './option-values.ts'
import { note, print, printJson } from './output.ts'
import { serverUrl, withDeps } from './with-deps.ts'

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
    .description(
      "create an organization and its administrator; prints the organization's id and a link to sign in",
    )
    .requiredOption('--org <name>', "the organization's name")
    .requiredOption('--name <name>', "the administrator's name")
    .requiredOption('--email <address>', "the administrator's email address")
    .option('--password-file <file>', "file with the administrator's password; - reads standard input")
    .option('--json', 'print JSON')
    .action(async ({ org, name, email, passwordFile, json }: Options) => {
      const password = passwordFrom(passwordFile)
      const admin = { name, email, ...(password !== undefined && { password }) }
      const {
        organization,
        admin: made,
        link,
      } = await withDeps(async (deps) => {
        const created = await setUp(deps, { org, admin })
        const url = serverUrl(deps.config)
        if (password !== undefined) return { ...created, link: `${url}/sign-in` }
        const once = await createLink(deps, created.organization.id, created.admin.id)
        return { ...created, link: viewLink(url, once).url }
      }, 'with setup')
      if (json) {
        return printJson({
          organization: { id: organization.id, name: organization.name },
          administrator: { id: made.id, name: made.name, email: made.email },
          link,
        })
      }
      print(organization.id)
      note(password === undefined ? `Choose a password and sign in: ${link}` : `Sign in: ${link}`)
    })
}
