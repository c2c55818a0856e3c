import type { FrozenTelegram } from '../../../database/tables/bots.ts'
import type { AttemptResult } from '../../channel.ts'
import type { BotApiError } from '../bot-api/bot-api-error.ts'

/** For a 429 that doesn't say how long. */
const DEFAULT_WAIT_MS = 5_000
const ACTIONS: Record<FrozenTelegram['action'], string> = {
  send: '',
  edit: "The edit didn't reach the customer. ",
  delete: 'The customer still sees the message. ',
}

/** The result of a send that failed for good. */
export function failedResult({ chatId, action }: FrozenTelegram, reason: string): AttemptResult {
  const detail = `${ACTIONS[action]}${reason}`
  return { outcomes: [{ address: chatId, state: 'failed', detail }], error: '', fault: 'message' }
}

export function sentResult({ chatId }: FrozenTelegram, externalId: string | undefined): AttemptResult {
  const outcomes = [{ address: chatId, state: 'sent' as const, detail: '' }]
  return { outcomes, error: '', fault: 'none', ...(externalId !== undefined && { externalId }) }
}

/** The result for a refusal or a failed connection, except for a 429 and a message without a response. */
export function resultOfError(content: FrozenTelegram, error: BotApiError): AttemptResult {
  const { kind, code, message } = error
  const open = { outcomes: [], error: message }
  if (kind === 'interrupted') return { ...open, error: '', fault: 'interrupted' }
  if (kind === 'not_sent') return { ...open, fault: 'account' }
  if (kind === 'unanswered' || code >= 500) return { ...open, fault: 'message' }
  if (code === 401 || code === 404) return { ...open, fault: 'sign in' }
  return failedResult(content, sentenceOf(error))
}

/** How long Telegram asks to wait; undefined for other responses. */
export function waitOf({ code, retryAfterMs }: BotApiError): number | undefined {
  return code === 429 ? (retryAfterMs ?? DEFAULT_WAIT_MS) : undefined
}

/** The state of a chat that Telegram refuses messages for; undefined for another refusal. */
export function chatStateOf({ code, description }: BotApiError): 'blocked' | 'deleted' | undefined {
  if (code !== 403) return undefined
  return /deactivated/i.test(description) ? 'deleted' : 'blocked'
}

function sentenceOf(error: BotApiError): string {
  const { code, description, message } = error
  if (chatStateOf(error) === 'deleted') return 'The customer deleted their Telegram account.'
  if (code === 403 && /blocked/i.test(description)) return 'The customer blocked the bot.'
  if (/chat not found/i.test(description)) return 'This chat no longer exists in Telegram.'
  if (code === 413) return 'The files are too large for Telegram.'
  return message.replace(/(?:Bad Request|Forbidden): /, '')
}
