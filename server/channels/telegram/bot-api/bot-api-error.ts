/**
 * What is known about a failed request. `not_sent`: Telegram can't have acted on it. `unanswered`: it was sent
 * completely, and it is unknown what Telegram did. `answered`: Telegram refused it. `interrupted`: this side ended it.
 */
export type BotApiFailure = 'not_sent' | 'unanswered' | 'answered' | 'interrupted'

interface Answer {
  /** Telegram's `error_code`, or the HTTP status of an answer that is none of the Bot API; 0 without an answer. */
  code: number
  /** Telegram's own words; empty without them. */
  description: string
  /** How long Telegram asks to wait after a 429. */
  retryAfterMs?: number
}

export const TOKEN_REFUSED = 'Telegram refuses the token. Enter the one that BotFather shows.'

const NO_ANSWER: Answer = { code: 0, description: '' }

/**
 * A request to the Bot API that failed. The message is one plain sentence. Neither it nor anything else in the error has
 * the address of the request, because the bot's token is part of it.
 */
export class BotApiError extends Error {
  override name = 'BotApiError'
  readonly code: number
  readonly description: string
  readonly retryAfterMs: number | undefined

  constructor(
    readonly kind: BotApiFailure,
    message: string,
    { code, description, retryAfterMs }: Answer = NO_ANSWER,
  ) {
    super(message)
    this.code = code
    this.description = description
    this.retryAfterMs = retryAfterMs
  }
}

/** The error for an answer that is not a success. */
export function errorOfAnswer(answer: Answer): BotApiError {
  return new BotApiError('answered', sentenceOf(answer), answer)
}

function sentenceOf({ code, description, retryAfterMs }: Answer): string {
  if (code === 429) return `Telegram asked Bellhop to wait ${seconds(retryAfterMs ?? 0)}.`
  if (code === 401 || code === 404) return TOKEN_REFUSED
  if (code === 409 && /webhook/i.test(description))
    return "A webhook set elsewhere is receiving this bot's messages."
  if (code === 409) return "Another program is receiving this bot's messages."
  if (code >= 500) return `Telegram returned an error (${code}).`
  if (/file is too big/i.test(description)) return 'Telegram lets bots download files of up to 20 MB.'
  return description === '' ? `Telegram returned the status ${code}.` : `Telegram says: ${description}`
}

function seconds(milliseconds: number): string {
  const count = Math.ceil(milliseconds / 1000)
  return count === 1 ? '1 second' : `${count} seconds`
}
