import { createHmac, randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import { SECRET_SETTINGS, type SettingName } from './setting-names.ts'

/** Those that commands use. The others concern the server alone, such as its port and its limits. */
const COMPARED: [SettingName, (config: Config) => string | string[] | undefined][] = [
  ['DATABASE_URL', ({ databaseUrl }) => databaseUrl],
  ['BELLHOP_SECRET', ({ secret }) => secret],
  ['BELLHOP_FILES', ({ files }) => files && `s3://${files.bucket}/${files.prefix}`],
  ['AWS_ENDPOINT_URL_S3', ({ files }) => files?.endpoint],
  ['AWS_REGION', ({ files }) => files?.region],
  ['BELLHOP_URL', ({ publicUrl }) => publicUrl],
  ['BELLHOP_WEBHOOK_ALLOW', ({ webhookAllow }) => webhookAllow],
  ['BELLHOP_WEBHOOK_CA', ({ webhookCa }) => webhookCa],
  ['BELLHOP_MAIL_ALLOW', ({ mailAllow }) => mailAllow],
  ['BELLHOP_MAIL_CA', ({ mailCa }) => mailCa],
  ['BELLHOP_GOOGLE_OAUTH', ({ googleOauth }) => googleOauth],
  ['BELLHOP_MICROSOFT_OAUTH', ({ microsoftOauth }) => microsoftOauth],
  ['BELLHOP_TELEGRAM_API', ({ telegramApi }) => telegramApi],
]
/** Certificates are too long to be shown. */
const LONG: readonly SettingName[] = ['BELLHOP_WEBHOOK_CA', 'BELLHOP_MAIL_CA']

/** What a server runs with: values that aren't secret, and fingerprints of the others. */
export interface RecordedSettings {
  salt: string
  values: Partial<Record<SettingName, string>>
  fingerprints: Partial<Record<SettingName, string>>
}

/** Without `salt`, fingerprints differ from those of every other record. */
export function recordSettings(config: Config, salt = randomBytes(16).toString('hex')): RecordedSettings {
  const recorded: RecordedSettings = { salt, values: {}, fingerprints: {} }
  for (const [name, read] of COMPARED) {
    const value = String(read(config) ?? '')
    if (value === '') continue
    if (SECRET_SETTINGS.has(name) || LONG.includes(name)) {
      recorded.fingerprints[name] = createHmac('sha256', salt).update(value).digest('base64url')
    } else recorded.values[name] = value
  }
  return recorded
}

/**
 * One sentence for each setting that a command has otherwise than the running server, such as "DATABASE_URL is set for the
 * server only."
 */
export function differencesFrom(server: RecordedSettings, config: Config): string[] {
  const own = recordSettings(config, server.salt)
  return COMPARED.flatMap(([name]) => {
    const [theirs, ours] = [server, own].map((one) => one.fingerprints[name] ?? one.values[name])
    if (theirs === ours) return []
    const isShown = [server, own].every((one) => one.fingerprints[name] === undefined)
    if (isShown)
      return [`${name} is ${theirs ?? 'empty'} for the server, and ${ours ?? 'empty'} for this command.`]
    if (theirs === undefined) return [`${name} is set for this command only.`]
    if (ours === undefined) return [`${name} is set for the server only.`]
    return [`${name} is another one for the server than for this command.`]
  })
}
