import type { Clock } from '../../../server/clock.ts'

/** Messages that may come at once, and how soon another one is allowed. */
interface Limit {
  burst: number
  everyMs: number
}

export interface FloodLimits {
  perChat: Limit
  perBot: Limit
}

/** Counts messages as Telegram does: about one a second in a chat, and 30 a second for a bot. */
export class FloodControl {
  readonly #chats = new Map<number, Bucket>()
  readonly #bot: Bucket

  constructor(
    private readonly clock: Clock,
    private readonly limits: FloodLimits,
  ) {
    this.#bot = new Bucket(limits.perBot, clock.monotonic())
  }

  /** Counts a message, or returns after how many seconds it may be sent. */
  take(chatId: number): number | undefined {
    const now = this.clock.monotonic()
    const chat = this.#chats.get(chatId) ?? new Bucket(this.limits.perChat, now)
    this.#chats.set(chatId, chat)
    const wait = Math.max(chat.waitAt(now), this.#bot.waitAt(now))
    if (wait > 0) return Math.ceil(wait / 1000)
    chat.take(now)
    this.#bot.take(now)
    return undefined
  }
}

class Bucket {
  #left: number
  #at: number

  constructor(
    private readonly limit: Limit,
    now: number,
  ) {
    this.#left = limit.burst
    this.#at = now
  }

  waitAt(now: number): number {
    const left = this.#leftAt(now)
    return left >= 1 ? 0 : (1 - left) * this.limit.everyMs
  }

  take(now: number): void {
    this.#left = this.#leftAt(now) - 1
    this.#at = now
  }

  #leftAt(now: number): number {
    const { burst, everyMs } = this.limit
    return Math.min(burst, this.#left + (now - this.#at) / everyMs)
  }
}
