import { AppError, invalid, RefusedElsewhere } from '../../../errors.ts'
import { type BotApi, isBotToken } from '../bot-api/bot-api.ts'
import { BotApiError } from '../bot-api/bot-api-error.ts'

const TIMEOUT_MS = 15_000

/** What Telegram says about a token. */
export interface BotAccount {
  telegramId: string
  username: string
  name: string
  /** The address of a webhook that is set; empty for none. */
  webhookUrl: string
}

/** Asks Telegram which bot a token is for. Throws 400 if it isn't a token, and 503 if Telegram can't be reached. */
export async function readAccount(api: BotApi, given: string): Promise<BotAccount> {
  const token = given.trim()
  if (!isBotToken(token)) {
    const detail = 'Enter the token as BotFather shows it: 123456:ABC…'
    throw invalid([{ pointer: '/token', code: 'invalid_token', detail }])
  }
  try {
    const me = await api.call(token, 'getMe', undefined, { timeoutMs: TIMEOUT_MS })
    const { url = '' } = await api.call(token, 'getWebhookInfo', undefined, { timeoutMs: TIMEOUT_MS })
    return { telegramId: String(me.id), username: me.username, name: me.first_name, webhookUrl: url }
  } catch (error) {
    throw refusalOf(error)
  }
}

/** The host of a URL; empty for none. The rest of the URL is someone else's secret. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? ''
}

/** The error to show an administrator for a failed request to Telegram. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof BotApiError)) return error
  if (isTokenRefused(error)) {
    const detail = 'Telegram refuses this token. Copy it from BotFather again.'
    return new RefusedElsewhere({ pointer: '/token', code: 'token_refused', detail })
  }
  return new AppError(503, 'telegram_unavailable', error.message)
}

/** Whether Telegram doesn't know the token. It returns 404 for text that was never a token. */
export function isTokenRefused({ code }: BotApiError): boolean {
  return code === 401 || code === 404
}
