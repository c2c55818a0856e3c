import type { BotReceiving, bots } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import { type Fault, invalid } from '../../../errors.ts'
import { MAX_NAME_LENGTH } from '../../../organizations/organizations.ts'
import { isBlank, lengthOf, oneLine } from '../../../text/text.ts'

/** Characters in a message of Telegram. */
const MAX_GREETING_LENGTH = 4_096
const MAX_DAYS = 3_650

/** A row of `bots`. Its secrets are encrypted, and views leave them out. */
export type Bot = typeof bots.$inferSelect

/** What an administrator sets, apart from the token. */
export interface BotSettings {
  name: string
  greeting: string
  newTicketAfterDays: number | null
  showsTyping: boolean
  /** Agent id, or empty. */
  defaultAssignee: string
  receives: BotReceiving
}

export const BOT_SETTINGS = [
  'name',
  'greeting',
  'newTicketAfterDays',
  'showsTyping',
  'defaultAssignee',
  'receives',
] as const satisfies (keyof BotSettings)[]

/** Trims what a person typed. Throws 400 with every fault. */
export function checkSettings(deps: Deps, input: BotSettings): BotSettings {
  const checked = { ...input, name: oneLine(input.name), greeting: input.greeting.trim() }
  const { name, greeting, newTicketAfterDays: days, receives } = checked
  const faults: Fault[] = []
  if (isBlank(name) || lengthOf(name) > MAX_NAME_LENGTH) {
    const detail = `Must be 1 to ${MAX_NAME_LENGTH} characters in one line.`
    faults.push({ pointer: '/name', code: 'invalid_name', detail })
  }
  if (greeting.length > MAX_GREETING_LENGTH) {
    const detail = `Must be at most ${MAX_GREETING_LENGTH} characters.`
    faults.push({ pointer: '/greeting', code: 'too_long', detail })
  }
  if (days !== null && (!Number.isInteger(days) || days < 0 || days > MAX_DAYS)) {
    const detail = `Must be a whole number from 0 to ${MAX_DAYS}, or null.`
    faults.push({ pointer: '/newTicketAfterDays', code: 'invalid_days', detail })
  }
  if (receives === 'webhook' && !isReachable(deps)) {
    const detail =
      'Telegram sends to https addresses only. Set BELLHOP_URL to the public address of this server.'
    faults.push({ pointer: '/receives', code: 'public_url_required', detail })
  }
  if (faults.length > 0) throw invalid(faults)
  return checked
}

/** Where Telegram sends updates to, and how they are recognized. */
interface BotWebhook {
  path: string
  secret: string
}

/** The columns of a new webhook address that no one can guess. */
export function webhookColumns(deps: Deps, id: string): Pick<Bot, 'webhook' | 'webhookHash'> {
  const random = () => Buffer.from(deps.randomBytes(24)).toString('base64url')
  const webhook: BotWebhook = { path: random(), secret: random() }
  return {
    webhook: deps.encryption.encrypt(JSON.stringify(webhook), id),
    webhookHash: webhookHashOf(webhook.path),
  }
}

export function webhookHashOf(path: string): string {
  return new Bun.CryptoHasher('sha256').update(path).digest('hex')
}

/** The webhook's address and secret; undefined for a bot that never had one. */
export function webhookOf(deps: Deps, { id, webhook }: Bot): BotWebhook | undefined {
  if (!webhook) return undefined
  const { path, secret } = JSON.parse(deps.encryption.decrypt(webhook, id))
  return { path, secret }
}

/** The full address of a bot's webhook. */
export function webhookUrl(deps: Deps, { path }: BotWebhook): string {
  return `${deps.config.publicUrl ?? ''}/telegram/${path}`
}

/** Whether Telegram sends to this server, even under an earlier host name. */
export function isOwnWebhook(deps: Deps, bot: Bot, url: string): boolean {
  const webhook = webhookOf(deps, bot)
  return webhook !== undefined && url.endsWith(`/telegram/${webhook.path}`)
}

/** Undefined for a removed bot. */
export function tokenOf(deps: Deps, { id, token }: Pick<Bot, 'id' | 'token'>): string | undefined {
  return token ? deps.encryption.decrypt(token, id) : undefined
}

/** Telegram's own server sends to https only; another one, such as a local Bot API server, decides itself. */
function isReachable({ config: { publicUrl, telegramApi } }: Deps): boolean {
  if (publicUrl === undefined) return false
  return publicUrl.startsWith('https:') || telegramApi.startsWith('http:')
}
