import type { Clock } from '../../../clock.ts'
import { createRateLimiter } from '../../../requests/rate-limit.ts'

const HOUR_MS = 3_600_000
const SWEEP_EVERY_MS = 300_000
/** Updates of one chat in 60 seconds: as many as a visitor of the widget may send. */
const UPDATES_PER_CHAT = 20
const UPDATES_PER_CHAT_AND_HOUR = 200

/**
 * Limits how many updates of a chat are turned into messages. In memory only. Updates over the limit stay stored and
 * wait.
 */
export interface ChatLimits {
  /** Counts an update, or returns the milliseconds that the chat has to wait. */
  take(chat: { botId: string; chatId: string }): number | undefined
  /** Removes expired entries, at most every five minutes. */
  sweep(): void
}

/** Someone who floods a bot must not delay other people's messages. */
export function createChatLimits({ monotonic }: Clock): ChatLimits {
  const minute = createRateLimiter(monotonic)
  const hour = createRateLimiter(monotonic, HOUR_MS)
  let sweptAt = monotonic()

  return {
    take({ botId, chatId }) {
      const key = `${botId}:${chatId}`
      const limits = [
        [minute, UPDATES_PER_CHAT],
        [hour, UPDATES_PER_CHAT_AND_HOUR],
      ] as const
      for (const [limiter, limit] of limits) {
        const { isAllowed, resetMs } = limiter.look(key, limit)
        if (!isAllowed) return Math.max(1, resetMs)
      }
      for (const [limiter, limit] of limits) limiter.take(key, limit)
      return undefined
    },
    sweep() {
      if (monotonic() < sweptAt + SWEEP_EVERY_MS) return
      sweptAt = monotonic()
      minute.sweep()
      hour.sweep()
    },
  }
}
