import type { Command } from 'commander'
import { createApiKey, listApiKeys, type NewApiKey, revokeApiKey } from '../api-keys/api-keys.ts'
import { viewKey } from '../api-keys/views.ts'
import { KEY_SCOPES, type KeyScope } from '../database/tables/api-keys.ts'
import { timeAhead, wholeNumber, wordsOf } from './option-values.ts'
import { print, printJson, printTable, shownTime } from './output.ts'
import { withOrganization, withOwner } from './with-deps.ts'

export function addKey(program: Command): void {
  const key = program.command('key').description('API keys')
  addCreate(key)
  addList(key)
  addRevoke(key)
}

interface CreateOptions {
  org: string
  name: string
  scopes?: KeyScope[]
  rateLimit?: number
  expires?: number
  public?: true
}

function addCreate(key: Command): void {
  key
    .command('create')
    .description('make an API key; prints the key, which is shown this once')
    .requiredOption('--org <org>', 'id or name of the organization')
    .option('--name <name>', 'what it is for; messages posted with it carry this name', 'API')
    .option('--scopes <scopes>', `some of ${KEY_SCOPES.join(',')}; without: all`, wordsOf(KEY_SCOPES))
    .option('--rate-limit <number>', 'requests per 60 seconds', wholeNumber)
    .option('--expires <time>', 'a date like 2027-01-01, or a duration like 90d', timeAhead)
    .option('--public', 'a key for the widget, which may stand in a web page')
    .action(async (options: CreateOptions) => {
      const { name, scopes, rateLimit, expires } = options
      const input: NewApiKey = {
        name,
        kind: options.public ? 'public' : 'secret',
        ...(scopes && { scopes }),
        ...(rateLimit !== undefined && { rateLimit }),
        ...(expires !== undefined && { expiresAt: expires }),
      }
      const { secret } = await withOrganization(options.org, (deps, { id }) => createApiKey(deps, id, input))
      print(secret)
    })
}

function addList(key: Command): void {
  key
    .command('list')
    .description('list the keys of an organization, oldest first, revoked ones too')
    .requiredOption('--org <org>', 'id or name of the organization')
    .option('--json', 'print an array')
    .action(async ({ org, json }: { org: string; json?: true }) => {
      const found = await withOrganization(org, (deps, { id }) => listApiKeys(deps, id))
      const keys = found.map((key) => ({ ...viewKey(key), publicKey: key.publicKey }))
      if (json) return printJson(keys)
      printTable(
        ['ID', 'KEY', 'NAME', 'KIND', 'SCOPES', 'LAST USED', 'STATE'],
        keys.map((one) => [
          one.id,
          `${one.prefix}…`,
          one.name,
          one.kind,
          one.kind === 'public' ? '-' : (one.scopes?.join(',') ?? 'all'),
          shownTime(one.lastUsedAt),
          stateOf(one),
        ]),
        'There is no key yet. Make one with: bellhop key create',
      )
    })
}

function addRevoke(key: Command): void {
  key
    .command('revoke <key>')
    .description('end a key for ever, by its id; with --org also by its shown beginning')
    .option('--org <org>', 'id or name of the organization')
    .action(async (named: string, { org }: { org?: string }) => {
      await withOwner('API key', { named, org }, (deps, orgId) => revokeApiKey(deps, orgId, named))
      print(`${named} is revoked.`)
    })
}

function stateOf({ revokedAt, expiresAt }: { revokedAt: string | null; expiresAt: string | null }): string {
  if (revokedAt) return `revoked ${shownTime(revokedAt)}`
  if (expiresAt) return `expires ${shownTime(expiresAt)}`
  return 'valid'
}
