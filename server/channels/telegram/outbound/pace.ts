import type { Deps } from '../../../deps.ts'
import { pauseFor } from '../../accounts/receive-accounts.ts'

/** Telegram takes about one message a second in a chat, and 30 a second from a bot (core.telegram.org/bots/faq). */
const CHAT_PAUSE_MS = 1_000
const MAX_PER_SECOND = 25
const SECOND_MS = 1_000
/** With more chats than this, those whose pause is over are dropped. */
const MAX_REMEMBERED = 1_000

/** Where a message goes. */
interface Place {
  botId: string
  chatId: string
}

/** How fast messages leave. In memory only: after a restart, Telegram says if messages are sent too fast. */
interface Pace {
  /** Resolves when as many messages may be sent, or rejects when the signal aborts. Call it for one message of a chat at a time. */
  wait(place: Place, messages: number, signal: AbortSignal): Promise<void>
  /** Begins the pause of a chat, counted from Telegram's response. */
  sent(place: Place): void
  /**
   * Records that Telegram accepts nothing for this chat for some time. Returns the limit that applies, which can be
   * that of the whole bot.
   */
  limit(place: Place, milliseconds: number): Limit
  /** The limit that the chat is waiting for; undefined if there is none. */
  limitOf(place: Place): Limit | undefined
}

interface Limit {
  /** Whether other chats have to wait too. */
  isBot: boolean
  milliseconds: number
}

export function createPace(deps: Deps): Pace {
  const { clock } = deps
  /** When the next message may go, by chat (monotonic clock). */
  const chats = new Map<string, number>()
  /** When the last messages of each bot went, oldest first. */
  const bots = new Map<string, number[]>()
  /** When the limits of chats end, by bot, and those of bots (monotonic clock). */
  const limits = new Map<string, Map<string, number>>()
  const botLimits = new Map<string, number>()

  async function wait({ botId, chatId }: Place, messages: number, signal: AbortSignal): Promise<void> {
    await sleep((chats.get(keyOf({ botId, chatId })) ?? 0) - clock.monotonic(), signal)
    const sent = bots.get(botId) ?? []
    bots.set(botId, sent)
    let at = clock.monotonic()
    for (let number = 0; number < messages; number++) {
      if (sent.length >= MAX_PER_SECOND) at = Math.max(at, (sent.shift() ?? 0) + SECOND_MS)
      sent.push(at)
    }
    await sleep(at - clock.monotonic(), signal)
  }

  async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (milliseconds > 0) await pauseFor(deps, milliseconds, signal)
    signal.throwIfAborted()
  }

  function sent(place: Place): void {
    const now = clock.monotonic()
    chats.set(keyOf(place), now + CHAT_PAUSE_MS)
    if (chats.size <= MAX_REMEMBERED) return
    for (const [key, until] of chats) if (until <= now) chats.delete(key)
  }

  /** Telegram doesn't say which of its limits was reached: if two chats have to wait at a time, it is that of the bot. */
  function limit({ botId, chatId }: Place, milliseconds: number): Limit {
    const now = clock.monotonic()
    const until = now + milliseconds
    const ofBot = limits.get(botId) ?? new Map<string, number>()
    limits.set(botId, ofBot)
    for (const [other, end] of ofBot) if (end <= now) ofBot.delete(other)
    ofBot.set(chatId, until)
    if (ofBot.size > 1) botLimits.set(botId, Math.max(botLimits.get(botId) ?? 0, until))
    return limitOf({ botId, chatId }) ?? { isBot: false, milliseconds }
  }

  function limitOf({ botId, chatId }: Place): Limit | undefined {
    const now = clock.monotonic()
    const [ofBot, ofChat] = [botLimits.get(botId) ?? 0, limits.get(botId)?.get(chatId) ?? 0]
    const until = Math.max(ofBot, ofChat)
    return until > now ? { isBot: ofBot > now, milliseconds: until - now } : undefined
  }

  return { wait, sent, limit, limitOf }
}

function keyOf({ botId, chatId }: Place): string {
  return `${botId}:${chatId}`
}
