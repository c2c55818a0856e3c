import type { Command } from 'commander'
import { createApiKey, listApiKeys, revokeApiKey } from '../api-keys/api-keys.ts'
import { viewKey } from '../api-keys/views.ts'
import { KEY_SCOPES, type KeyScope, NAMED_SCOPES } from '../database/tables/api-keys.ts'
import { addList, addOfOrg, addOnOne } from './commands.ts'
import { futureTime, wholeNumber, wordsOf } from './option-values.ts'
import { formatTime, print } from './output.ts'

export function addKey(program: Command): void {
  const key = program.command('key').description('manage API keys')
  addOfOrg(key, 'create', {
    description: 'create an API key; prints only the key, and only once',
    run: (deps, orgId, { name, scopes, rateLimit, expires, public: isPublic, as: program }: CreateOptions) =>
      createApiKey(deps, orgId, {
        name,
        kind: isPublic ? 'public' : 'secret',
        ...(scopes && { scopes }),
        ...(program !== undefined && { program }),
        ...(rateLimit !== undefined && { rateLimit }),
        ...(expires !== undefined && { expiresAt: expires }),
      }),
    print: ({ secret }) => print(secret),
  })
    .option('--name <name>', 'what the key is for, and the sender of messages posted with it', 'API')
    .option('--as <program>', 'id or name of the program that acts with it, and sends the messages')
    .option(
      '--scopes <scopes>',
      `comma-separated list of all, ${KEY_SCOPES.join(', ')}; all means those but ${NAMED_SCOPES.join(', ')} (default: all)`,
      scopesOf,
    )
    .option('--rate-limit <number>', 'requests per 60 seconds', wholeNumber)
    .option('--expires <time>', 'a date such as 2027-01-01, or a duration such as 90d', futureTime)
    .option('--public', 'create a public key, which the widget can use in a web page')
  addList(key, {
    description: 'list API keys, oldest first, including revoked ones',
    find: async (deps, orgId) =>
      (await listApiKeys(deps, orgId)).map((one) => ({ ...viewKey(one), publicKey: one.publicKey })),
    columns: {
      ID: ({ id }) => id,
      KEY: ({ prefix }) => `${prefix}…`,
      NAME: ({ name }) => name,
      KIND: ({ kind }) => kind,
      PROGRAM: ({ program }) => program?.name ?? '-',
      SCOPES: ({ kind, scopes }) => (kind === 'public' ? '-' : (scopes?.join(',') ?? 'all')),
      'LAST USED': ({ lastUsedAt }) => formatTime(lastUsedAt),
      STATE: stateOf,
    },
    whenEmpty: 'No API keys yet. Create one with: bellhop key create',
  })
  addOnOne(key, 'revoke <key>', {
    what: 'API key',
    description: 'revoke a key permanently, by id; with --org, also by prefix',
    run: revokeApiKey,
    print: (_, named) => print(`${named} is revoked.`),
  }).option('--org <org>', 'id or name of the organization')
}

interface CreateOptions {
  name: string
  /** Null for all. */
  scopes?: KeyScope[] | null
  rateLimit?: number
  expires?: number
  public?: true
  as?: string
}

/** `all` alone is full access. With scopes that are no part of it, everything is listed. */
function scopesOf(value: string): KeyScope[] | null {
  const words = wordsOf(['all', ...KEY_SCOPES])(value)
  const named = words.filter((word) => word !== 'all')
  if (named.length === words.length) return named
  if (named.length === 0) return null
  return [...KEY_SCOPES.filter((scope) => !NAMED_SCOPES.includes(scope)), ...named]
}

function stateOf({ revokedAt, expiresAt }: { revokedAt: string | null; expiresAt: string | null }): string {
  if (revokedAt) return `revoked ${formatTime(revokedAt)}`
  if (expiresAt) return `expires ${formatTime(expiresAt)}`
  return 'valid'
}
