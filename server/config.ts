import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import ipaddr from 'ipaddr.js'
import {
  type BackupPlace,
  type KeptBackups,
  parseKeptBackups,
  readBackupPlace,
} from './backup/backup-place.ts'
import { parseDuration, parseDurations } from './dates.ts'
import { MIN_SECRET_LENGTH } from './encryption.ts'
import { ConfigError } from './errors.ts'
import { LOG_LEVELS, type LogLevel } from './log.ts'
import { refuseUnknownSettings, SECRET_SETTINGS, type SettingName } from './machine/setting-names.ts'
import { type Environment, loadedEnvironment } from './machine/settings-file.ts'
import { readAllowedHost } from './network/allowed-host.ts'
import { readS3Place, S3_SETTINGS, type S3Place, type S3Settings } from './network/s3.ts'
import { parseSize } from './text/sizes.ts'

export interface Config {
  host: string
  /** 0 picks a free port. */
  port: number
  dataFolder: string
  databaseUrl: string | undefined
  /** Serves HTTPS instead of HTTP. */
  tls: TlsFiles | undefined
  /** Public URL without a trailing slash. If empty, it is made from host and port. */
  publicUrl: string | undefined
  /** Encrypts secrets at rest. If empty, a key file in the data folder is used. */
  secret: string | undefined
  webhookRetriesMs: number[]
  webhookTimeoutMs: number
  /** Networks (CIDR) and hosts that endpoints may use even if they are private. */
  webhookAllow: string[]
  /** PEM certificates to trust for endpoints, in addition to the system's. */
  webhookCa: string | undefined
  /** Networks (CIDR) and hosts that mailboxes may use even if they are private. */
  mailAllow: string[]
  /** PEM certificates to trust for mail servers, in addition to the system's. */
  mailCa: string | undefined
  /** Where the files of attachments and the raw mails are. If empty, they are in the data folder. */
  files: S3Place | undefined
  /** The largest file that can be uploaded, in bytes. */
  attachmentLimitBytes: number
  attachmentsPerMessage: number
  /** What the visitors of an organization's widgets can upload in a day, in bytes. */
  visitorUploadBytes: number
  /** Where to put automatic backups. */
  backup: BackupPlace | undefined
  backupEveryMs: number
  backupKeep: KeptBackups[]
  /** For files and backups on S3. */
  s3: S3Settings
  /** Encrypts automatic backups. */
  backupPassphrase: string | undefined
  /** Root of a server to sign in at in place of Google's: `/authorize` and `/token` below it. */
  googleOauth: string | undefined
  /** Root of Microsoft's servers to sign in at: a sovereign cloud has its own. */
  microsoftOauth: string
  /** Requests per key and 60 seconds. */
  rateLimit: number
  /** Calls of single tools per key and 60 seconds, beside its requests. */
  toolLimits: ToolLimits
  /** Networks (CIDR) whose `X-Forwarded-For` header is trusted. */
  trustProxy: string[]
  logLevel: LogLevel
  telegramApi: string
}

/** By the name of the tool. */
export interface ToolLimits {
  send_reply: number
  suggest_reply: number
}

/** Paths of PEM files. */
export interface TlsFiles {
  cert: string
  key: string
}

const HOUR_MS = 3_600_000

/** More ids would not fit into the body of a request. */
export const MAX_ATTACHMENTS_PER_MESSAGE = 1_000

/** Delays before the retries of a webhook delivery. What follows from them is in webhooks/deliveries/retry-schedule.ts. */
const DEFAULT_WEBHOOK_RETRIES = '30s,5m,30m'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs

/** Reads and checks every setting. Throws `ConfigError` with the setting's name, its value, and what is valid. */
export function readConfig(environment: Environment = loadedEnvironment()): Config {
  refuseUnknownSettings(environment)
  const setting = <T>(name: SettingName, fallback: string, valid: string, parse: (value: string) => T): T => {
    const value = environment[name] || fallback
    try {
      return parse(value)
    } catch {
      const fault = SECRET_SETTINGS.has(name) ? 'is invalid' : `is "${value}"`
      throw new ConfigError(`${name} ${fault}. It must be ${valid}.`)
    }
  }
  return {
    host: environment.HOST || '127.0.0.1',
    port: setting('PORT', '3000', 'a whole number from 0 to 65535', (value) => wholeNumber(value, 0, 65_535)),
    dataFolder: environment.BELLHOP_DATA || './data',
    databaseUrl: setting('DATABASE_URL', '', 'empty or a URL such as postgres://user@host/name', postgresUrl),
    tls: tlsFiles(environment.BELLHOP_TLS_CERT, environment.BELLHOP_TLS_KEY),
    publicUrl: setting('BELLHOP_URL', '', 'empty or a URL such as https://help.example.com', publicUrl),
    secret: setting('BELLHOP_SECRET', '', `empty or at least ${MIN_SECRET_LENGTH} characters`, longEnough),
    webhookRetriesMs: setting(
      'BELLHOP_WEBHOOK_RETRIES',
      DEFAULT_WEBHOOK_RETRIES,
      'durations such as 30s,5m,30m',
      parseDurations,
    ),
    webhookTimeoutMs: setting('BELLHOP_WEBHOOK_TIMEOUT', '10s', 'a duration such as 10s', positiveDuration),
    webhookAllow: setting(
      'BELLHOP_WEBHOOK_ALLOW',
      '',
      'empty or networks, IP addresses, and host names such as 10.0.0.0/8,::1,hooks.internal',
      allowedHosts,
    ),
    webhookCa: setting(
      'BELLHOP_WEBHOOK_CA',
      '',
      'empty or the path of a readable PEM file with certificates',
      pemFile,
    ),
    mailAllow: setting(
      'BELLHOP_MAIL_ALLOW',
      '',
      'empty or networks, IP addresses, and host names such as 10.0.0.0/8,::1,mail.internal',
      allowedHosts,
    ),
    mailCa: setting(
      'BELLHOP_MAIL_CA',
      '',
      'empty or the path of a readable PEM file with certificates',
      pemFile,
    ),
    files: setting(
      'BELLHOP_FILES',
      '',
      'empty, or s3://bucket/prefix with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      (value) => (value ? readS3Place(value, environment) : undefined),
    ),
    attachmentLimitBytes: setting('BELLHOP_ATTACHMENT_LIMIT', '25MB', 'a size such as 25MB', parseSize),
    attachmentsPerMessage: setting(
      'BELLHOP_ATTACHMENTS_PER_MESSAGE',
      '50',
      `a whole number from 1 to ${MAX_ATTACHMENTS_PER_MESSAGE}`,
      (value) => wholeNumber(value, 1, MAX_ATTACHMENTS_PER_MESSAGE),
    ),
    visitorUploadBytes: setting('BELLHOP_VISITOR_UPLOADS', '1GB', 'a size such as 1GB', parseSize),
    backup: setting(
      'BELLHOP_BACKUP',
      '',
      'empty, a folder, or s3://bucket/prefix with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      (value) => backupPlace(value, environment),
    ),
    s3: Object.fromEntries(S3_SETTINGS.map((name) => [name, environment[name]])),
    backupEveryMs: setting('BELLHOP_BACKUP_EVERY', '24h', 'a duration from 1h to 30d, such as 24h', (value) =>
      durationBetween(value, HOUR_MS, 30 * 24 * HOUR_MS),
    ),
    backupKeep: setting(
      'BELLHOP_BACKUP_KEEP',
      '7d,4w',
      'numbers of hours (h), days (d), weeks (w), or months (m), such as 7d,4w',
      parseKeptBackups,
    ),
    backupPassphrase: environment.BELLHOP_BACKUP_PASSPHRASE || undefined,
    googleOauth: setting('BELLHOP_GOOGLE_OAUTH', '', 'empty or an https URL', httpsUrl),
    microsoftOauth: setting(
      'BELLHOP_MICROSOFT_OAUTH',
      'https://login.microsoftonline.com',
      'an https URL',
      (value) => httpsUrl(value) ?? '',
    ),
    rateLimit: setting('BELLHOP_RATE_LIMIT', '300', VALID_LIMIT, limit),
    toolLimits: {
      send_reply: setting('BELLHOP_MCP_REPLIES', '30', VALID_LIMIT, limit),
      suggest_reply: setting('BELLHOP_MCP_SUGGESTIONS', '60', VALID_LIMIT, limit),
    },
    trustProxy: setting('BELLHOP_TRUST_PROXY', '', 'empty or networks such as 10.0.0.0/8,::1/128', networks),
    logLevel: setting('BELLHOP_LOG', 'info', `one of ${LOG_LEVELS.join(', ')}`, logLevel),
    telegramApi: setting('BELLHOP_TELEGRAM_API', 'https://api.telegram.org', 'an http or https URL', httpUrl),
  }
}

const VALID_LIMIT = 'a whole number from 1 to 1000000'

function limit(value: string): number {
  return wholeNumber(value, 1, 1_000_000)
}

function wholeNumber(value: string, lowest: number, highest: number): number {
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < lowest || number > highest) throw new Error(value)
  return number
}

function postgresUrl(value: string): string | undefined {
  if (value && !/^postgres(ql)?:\/\//.test(value)) throw new Error(value)
  return value || undefined
}

function httpUrl(value: string): string {
  const { protocol } = new URL(value)
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error(value)
  return value.replace(/\/+$/, '')
}

function httpsUrl(value: string): string | undefined {
  if (value && !value.startsWith('https:')) throw new Error(value)
  return value ? httpUrl(value) : undefined
}

function publicUrl(value: string): string | undefined {
  return value ? httpUrl(value) : undefined
}

function tlsFiles(cert = '', key = ''): TlsFiles | undefined {
  if ((cert === '') !== (key === '')) {
    throw new ConfigError('BELLHOP_TLS_CERT and BELLHOP_TLS_KEY must be set together, or both be empty.')
  }
  return cert ? { cert, key } : undefined
}

function longEnough(value: string): string | undefined {
  if (value && value.length < MIN_SECRET_LENGTH) throw new Error('too short')
  return value || undefined
}

function backupPlace(value: string, environment: Environment): BackupPlace | undefined {
  return value ? readBackupPlace(value, environment) : undefined
}

function durationBetween(value: string, lowest: number, highest: number): number {
  const milliseconds = parseDuration(value)
  if (milliseconds < lowest || milliseconds > highest) throw new Error(value)
  return milliseconds
}

function positiveDuration(value: string): number {
  const milliseconds = parseDuration(value)
  if (milliseconds <= 0) throw new Error(value)
  return milliseconds
}

function pemFile(value: string): string | undefined {
  if (!value) return undefined
  const pem = readFileSync(value, 'utf8')
  const certificates = pem.match(CERTIFICATE)
  if (!certificates) throw new Error(value)
  for (const certificate of certificates) new X509Certificate(certificate)
  return pem
}

function networks(value: string): string[] {
  const entries = list(value)
  for (const entry of entries) ipaddr.parseCIDR(entry)
  return entries
}

function allowedHosts(value: string): string[] {
  const entries = list(value)
  for (const entry of entries) readAllowedHost(entry)
  return entries
}

function logLevel(value: string): LogLevel {
  const level = LOG_LEVELS.find((one) => one === value)
  if (!level) throw new Error(value)
  return level
}

function list(value = ''): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
}
