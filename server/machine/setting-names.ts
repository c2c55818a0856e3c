import { ConfigError } from '../errors.ts'

/** Every setting. */
const SETTINGS = [
  'HOST',
  'PORT',
  'DATABASE_URL',
  'BELLHOP_DATA',
  'BELLHOP_TLS_CERT',
  'BELLHOP_TLS_KEY',
  'BELLHOP_URL',
  'BELLHOP_SECRET',
  'BELLHOP_WEBHOOK_RETRIES',
  'BELLHOP_WEBHOOK_TIMEOUT',
  'BELLHOP_WEBHOOK_ALLOW',
  'BELLHOP_WEBHOOK_CA',
  'BELLHOP_MAIL_ALLOW',
  'BELLHOP_MAIL_CA',
  'BELLHOP_GOOGLE_OAUTH',
  'BELLHOP_MICROSOFT_OAUTH',
  'BELLHOP_FILES',
  'BELLHOP_ATTACHMENT_LIMIT',
  'BELLHOP_ATTACHMENTS_PER_MESSAGE',
  'BELLHOP_VISITOR_UPLOADS',
  'BELLHOP_BACKUP',
  'BELLHOP_BACKUP_PASSPHRASE',
  'BELLHOP_BACKUP_EVERY',
  'BELLHOP_BACKUP_KEEP',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_ENDPOINT_URL_S3',
  'BELLHOP_RATE_LIMIT',
  'BELLHOP_MCP_REPLIES',
  'BELLHOP_MCP_SUGGESTIONS',
  'BELLHOP_TRUST_PROXY',
  'BELLHOP_LOG',
  'BELLHOP_TELEGRAM_API',
] as const

export type SettingName = (typeof SETTINGS)[number]

/** Their values must not be printed, and can come from a file that `NAME_FILE` names. */
export const SECRET_SETTINGS: ReadonlySet<SettingName> = new Set([
  'DATABASE_URL',
  'BELLHOP_SECRET',
  'BELLHOP_BACKUP_PASSPHRASE',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
])

/** `DATABASE_URL_FILE` of `DATABASE_URL`. */
export function fileSettingOf(name: SettingName): string {
  return `${name}_FILE`
}

/** For commands that call the API of another server, and in the examples of the API reference. */
const OTHERS = new Set(['BELLHOP_KEY'])
/** Kubernetes and linked containers set these for a service that is called `bellhop`. */
const OF_A_CLUSTER = /^BELLHOP_(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/

/** Throws `ConfigError` for a name that starts like a setting and isn't one: otherwise a typing mistake has no effect. */
export function refuseUnknownSettings(environment: Record<string, string | undefined>): void {
  const known: string[] = [...SETTINGS, ...[...SECRET_SETTINGS].map(fileSettingOf)]
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('BELLHOP_') || known.includes(name) || OTHERS.has(name)) continue
    if (OF_A_CLUSTER.test(name) && (name !== 'BELLHOP_PORT' || value?.includes('://'))) continue
    throw new ConfigError(`${name} is not a setting. Did you mean ${nearest(name, known)}?`)
  }
}

/** Longer names may differ by two letters: `HOME` and `PATH` are not `HOST` and `PORT`. */
const LONG_NAME = 8

/** Throws `ConfigError` for a name of the settings file that is almost a setting, such as `DATABASE_URl`. */
export function refuseMisspelledSettings(names: string[]): void {
  const known: string[] = [...SETTINGS, ...[...SECRET_SETTINGS].map(fileSettingOf)]
  for (const name of names.filter((one) => !known.includes(one))) {
    const mostChanges = name.length < LONG_NAME ? 1 : 2
    const meant = known.find((one) => changesBetween(name, one) <= mostChanges)
    if (meant) throw new ConfigError(`${name} is not a setting. Did you mean ${meant}?`)
  }
}

/** `BELLHOP_PORT` is near `PORT`, so each name counts without what most of them begin with. */
function nearest(name: string, known: string[]): string {
  const bare = (one: string) => one.replace(/^BELLHOP_/, '')
  const distance = (one: string) => changesBetween(bare(name), bare(one))
  return known.toSorted((one, other) => distance(one) - distance(other))[0] ?? ''
}

/** How many letters to add, remove, or replace (Levenshtein). */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...one].entries()) {
    let diagonal = index
    row = row.reduce<number[]>((next, above, column) => {
      const cost =
        column === 0
          ? index + 1
          : Math.min(
              above + 1,
              (next[column - 1] ?? 0) + 1,
              diagonal + (other[column - 1] === letter ? 0 : 1),
            )
      diagonal = above
      next.push(cost)
      return next
    }, [])
  }
  return row[other.length] ?? 0
}
