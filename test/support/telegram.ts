import { expect } from 'bun:test'
import { type Clock, systemClock } from '../../server/clock.ts'
import { type SignedInAgent, signInAgent } from './agents.ts'
import { type Bellhop, type Client, startBellhop } from './bellhop.ts'
import {
  startTelegram,
  type TelegramOptions,
  type TelegramServer,
} from './telegram-server/telegram-server.ts'
import type { TelegramBot } from './telegram-server/telegram-state.ts'
import { type EntryJson, readThread } from './threads.ts'
import type { TicketJson } from './tickets.ts'
import { eventually } from './webhooks.ts'

/** A look at the API must leave room for others: it allows a few hundred requests a minute. */
const LOOK_EVERY_MS = 25

export interface BotJson {
  id: string
  name: string
  username: string
  state: string
  detail: string
  receives: string
  receiveError: string | null
  foreignWebhook: string | null
  missedSince: string | null
  lastUpdateAt: string | null
  lastCheckedAt: string | null
  queue: { incoming: number; outgoing: number }
  unknownUpdates: number
}

/** Bellhop, with an administrator, and a server that stands in for Telegram. */
export interface Desk extends AsyncDisposable {
  bellhop: Bellhop
  telegram: TelegramServer
  acme: Client
  admin: SignedInAgent
  /** Connects a bot by its token, and waits until it receives. */
  connect(bot: TelegramBot, settings?: object): Promise<BotJson>
  bot(id: string): Promise<BotJson>
  /** Waits until the bot is in a state. */
  botIn(id: string, state: string): Promise<BotJson>
  /** Newest first. */
  tickets(): Promise<TicketJson[]>
  /** Waits for this many tickets, newest first. */
  ticketCount(count: number): Promise<TicketJson[]>
  /** Waits until the thread has this many messages. */
  messages(ticketId: string, count: number): Promise<TelegramEntry[]>
}

/** A message of a thread with what came by Telegram. */
export interface TelegramEntry extends EntryJson {
  chat?: {
    forwardedFrom?: string
    repliesTo?: { messageId: string | null; text: string }
    missingFiles?: { name: string; size: number | null; reason: string }[]
  }
}

export async function openDesk(
  given: {
    clock?: Clock
    telegram?: Partial<TelegramOptions>
    settings?: (root: string) => Record<string, string>
  } = {},
): Promise<Desk> {
  const clock = given.clock ?? systemClock
  const telegram = await startTelegram({ clock, ...given.telegram })
  const settings = { BELLHOP_TELEGRAM_API: telegram.root, ...given.settings?.(telegram.root) }
  const bellhop = await startBellhop({ clock, settings })
  const acme = await bellhop.organization()
  const admin = await signInAgent(bellhop, acme.orgId, { role: 'admin' })

  async function bot(id: string): Promise<BotJson> {
    const answer = await admin.call<BotJson>('GET', `/console/bots/${id}`)
    expect(answer.status, answer.text).toBe(200)
    return answer.json
  }

  /** Looks again and again, with pauses. */
  function look<Found>(at: () => Promise<Found | undefined>): Promise<Found> {
    return eventually(async () => {
      const found = await at()
      if (found === undefined) await Bun.sleep(LOOK_EVERY_MS)
      return found
    })
  }

  async function tickets(): Promise<TicketJson[]> {
    const answer = await admin.call<{ data: TicketJson[] }>('GET', '/v1/tickets?per_page=100')
    expect(answer.status, answer.text).toBe(200)
    return answer.json.data
  }

  async function botIn(id: string, state: string): Promise<BotJson> {
    return look(async () => {
      const found = await bot(id)
      return found.state === state ? found : undefined
    })
  }

  return {
    bellhop,
    telegram,
    acme,
    admin,
    bot,
    botIn,
    tickets,
    async connect(one, body = {}) {
      const answer = await admin.call<BotJson>('POST', '/console/bots', {
        body: { token: one.token, ...body },
      })
      expect(answer.status, answer.text).toBe(201)
      return botIn(answer.json.id, 'active')
    },
    ticketCount: (count) =>
      look(async () => {
        const found = await tickets()
        return found.length >= count ? found : undefined
      }),
    messages: (ticketId, count) =>
      look(async () => {
        const { timeline } = await readThread(admin, ticketId)
        const found = timeline.filter(({ kind }) => kind === 'message')
        return found.length >= count ? found : undefined
      }),
    async [Symbol.asyncDispose]() {
      await bellhop.stop()
      await telegram.close()
    },
  }
}
