import type { Command } from 'commander'
import { createApiKey, listApiKeys, type NewApiKey, revokeApiKey } from '../api-keys/api-keys.ts'
import { viewKey } from '../api-keys/views.ts'
import { KEY_SCOPES, type KeyScope } from '../database/tables/api-keys.ts'
import { futureTime, wholeNumber, wordsOf } from './option-values.ts'
import { formatTime, print, printJson, printTable } from './output.ts'
import { withOrganization, withOwner } from './with-deps.ts'

export function addKey(program: Command): void {
  const key = program.command('key').description('manage API keys')
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
    .description('create an API key; prints only the key, and only once')
    .requiredOption('--org <org>', 'id or name of the organization')
    .option('--name <name>', 'what the key is for, and the sender of messages posted with it', 'API')
    .option(
      '--scopes <scopes>',
      `comma-separated list of ${KEY_SCOPES.join(', ')} (default: all)`,
      wordsOf(KEY_SCOPES),
    )
    .option('--rate-limit <number>', 'requests per 60 seconds', wholeNumber)
    .option('--expires <time>', 'a date such as 2027-01-01, or a duration such as 90d', futureTime)
    .option('--public', 'create a public key, which the widget can use in a web page')
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
    .description('list API keys, oldest first, including revoked ones')
    .requiredOption('--org <org>', 'id or name of the organization')
    .option('--json', 'print JSON')
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
          formatTime(one.lastUsedAt),
          stateOf(one),
        ]),
        'No API keys yet. Create one with: bellhop key create',
      )
    })
}

function addRevoke(key: Command): void {
  key
    .command('revoke <key>')
    .description('revoke a key permanently, by id; with --org, also by prefix')
    .option('--org <org>', 'id or name of the organization')
    .action(async (named: string, { org }: { org?: string }) => {
      await withOwner('API key', { named, org }, (deps, orgId) => revokeApiKey(deps, orgId, named))
      print(`${named} is revoked.`)
    })
}

function stateOf({ revokedAt, expiresAt }: { revokedAt: string | null; expiresAt: string | null }): string {
  if (revokedAt) return `revoked ${formatTime(revokedAt)}`
  if (expiresAt) return `expires ${formatTime(expiresAt)}`
  return 'valid'
}
