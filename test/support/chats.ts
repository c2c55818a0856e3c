import { expect } from 'bun:test'
import type { Message } from '@grammyjs/types'
import { and, eq } from 'drizzle-orm'
import { upsertCustomer } from '../../server/customers/customers.ts'
import { bots, telegramChats, telegramConversations } from '../../server/database/tables/bots.ts'
import { sends } from '../../server/database/tables/sends.ts'
import type { Deps } from '../../server/deps.ts'
import { createId } from '../../server/ids.ts'
import { openTicket } from '../../server/tickets/tickets.ts'
import { type SignedInAgent, signInAgent } from './agents.ts'
import { type Bellhop, type Client, startBellhop } from './bellhop.ts'
import { createManualClock, type ManualClock } from './clock.ts'
import { startTelegram, type TelegramServer } from './telegram-server/telegram-server.ts'
import { chatOf, type TelegramBot } from './telegram-server/telegram-state.ts'
import { type EntryJson, readThread, replyPath } from './threads.ts'
import { eventually } from './webhooks.ts'

const LOOK_EVERY_MS = 20
/** What sends is started a moment after the first bot is connected. */
const STARTED_AFTER_MS = 500
const FAST_TICK_MS = 5
const FAST_STEP_MS = 100

/** An organization with a bot, and people who talk to it. Time passes only when the test lets it. */
export interface Chats extends AsyncDisposable {
  clock: ManualClock
  bellhop: Bellhop
  acme: Client
  /** An administrator. */
  ben: SignedInAgent
  telegram: TelegramServer
  bot: TelegramBot
  botId: string
  /** Another bot. Returns it with its id. */
  addBot(): Promise<{ bot: TelegramBot; botId: string }>
  /** Someone new writes to a bot. */
  chat(given?: { of?: { bot: TelegramBot; botId: string }; username?: string }): Promise<OpenChat>
  /** An agent's message, as the API posts it. Returns its id. */
  reply(chat: OpenChat, text: string): Promise<string>
  /** An agent's message, as the page sends it. Returns its id. */
  put(chat: OpenChat, body: object): Promise<string>
  message(chat: OpenChat, messageId: string): Promise<EntryJson>
  /** Waits until the message has this state; none once it is taken back. */
  until(chat: OpenChat, messageId: string, sending: string | undefined): Promise<EntryJson>
  /** What the customer sees of the bot. */
  sent(chat: OpenChat): Message[]
  texts(chat: OpenChat): string[]
  send(messageId: string): Promise<typeof sends.$inferSelect | undefined>
}

export interface OpenChat {
  ticketId: string
  chatId: number
  /** Who writes there. */
  user: ReturnType<TelegramServer['addUser']>
  bot: TelegramBot
}

export async function openChats(
  given: { settings?: Record<string, string>; rootOf?: (telegram: TelegramServer) => Promise<string> } = {},
): Promise<Chats> {
  const clock = createManualClock(Date.parse('2026-03-02T09:00:00.000Z'))
  const telegram = await startTelegram({ clock })
  const root = (await given.rootOf?.(telegram)) ?? telegram.root
  const settings = { BELLHOP_TELEGRAM_API: root, ...given.settings }
  const bellhop = await startBellhop({ settings, clock })
  const acme = await bellhop.organization()
  const ben = await signInAgent(bellhop, acme.orgId, { role: 'admin' })
  const { deps } = bellhop

  async function addBot() {
    const bot = telegram.addBot()
    const answer = await ben.call<{ id: string }>('POST', '/console/bots', { body: { token: bot.token } })
    expect(answer.status, answer.text).toBe(201)
    const botId = answer.json.id
    clock.advance(STARTED_AFTER_MS)
    return { bot, botId }
  }

  const first = await addBot()
  const chats: Chats = {
    clock,
    bellhop,
    acme,
    ben,
    telegram,
    ...first,
    addBot,
    async chat({ of: { bot, botId } = first, username = 'ana' } = {}) {
      const user = telegram.addUser({ first_name: 'Ana', username })
      const { id: chatId } = user
      user.writes(bot, 'Where is my parcel?')
      const ticketId = await eventually(async () => {
        const isIt = and(
          eq(telegramConversations.botId, botId),
          eq(telegramConversations.chatId, String(chatId)),
        )
        const [found] = await deps.database.read.select().from(telegramConversations).where(isIt)
        return found?.ticketId
      })
      return { ticketId, chatId, user, bot }
    },
    async reply({ ticketId }, text) {
      const path = `/v1/tickets/${ticketId}/messages`
      const answer = await ben.call<{ id: string }>('POST', path, { body: { text } })
      expect(answer.status, answer.text).toBe(201)
      return answer.json.id
    },
    async put({ ticketId }, body) {
      const id = createId('msg', clock.now())
      const answer = await ben.call('PUT', replyPath(ticketId, id), { body })
      expect(answer.status, answer.text).toBe(201)
      return id
    },
    async message({ ticketId }, messageId) {
      const { timeline } = await readThread(ben, ticketId)
      const found = timeline.find(({ id }) => id === messageId)
      if (!found) throw new Error(`The thread has no message ${messageId}.`)
      return found
    },
    async until(chat, messageId, sending) {
      return eventually(async () => {
        const found = await chats.message(chat, messageId)
        if (found.sending === sending) return found
        await Bun.sleep(LOOK_EVERY_MS)
        return undefined
      })
    },
    sent: ({ bot, chatId }) => telegram.sent(bot, chatId),
    texts: (chat) => chats.sent(chat).map(({ text, caption }) => text ?? caption ?? ''),
    async send(messageId) {
      const found = await deps.database.read.select().from(sends).where(eq(sends.messageId, messageId))
      return found.sort((one, other) => (one.id < other.id ? -1 : 1)).at(-1)
    },
    async [Symbol.asyncDispose]() {
      await bellhop.stop()
      await telegram.close()
    },
  }
  return chats
}

/** Lets time pass twenty times faster until the end of the scope. */
export function letRunFast(clock: ManualClock): Disposable {
  const timer = setInterval(() => clock.advance(FAST_STEP_MS), FAST_TICK_MS)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** A bot without asking Telegram about it. */
export async function insertBot(deps: Deps, orgId: string, { me, token }: TelegramBot): Promise<string> {
  const id = deps.newId('bot')
  const now = deps.clock.now()
  const { id: telegramId, username, first_name: name } = me
  await deps.database.write(undefined, (tx) =>
    tx.insert(bots).values({
      id,
      orgId,
      name,
      telegramId: String(telegramId),
      username,
      state: 'active',
      token: deps.encryption.encrypt(token, id),
      createdAt: now,
      updatedAt: now,
    }),
  )
  return id
}

/** A ticket of someone new, without receiving anything. */
export async function openChat(
  deps: Deps,
  {
    orgId,
    telegram,
    bot,
    botId,
  }: { orgId: string; telegram: TelegramServer; bot: TelegramBot; botId: string },
): Promise<OpenChat> {
  const user = telegram.addUser({ first_name: 'Ana' })
  const { id: chatId } = user
  chatOf(bot, { id: chatId, type: 'private', first_name: 'Ana' })
  const now = deps.clock.now()
  const place = { orgId, botId, chatId: String(chatId), createdAt: now }
  const ticketId = await deps.database.write(undefined, async (tx) => {
    const customer = await upsertCustomer(deps, tx, orgId, { name: 'Ana', email: `${chatId}@example.com` })
    const ticket = await openTicket(deps, tx, orgId, {
      channel: 'telegram',
      subject: 'Where is my parcel?',
      customer,
      message: { text: 'Where is my parcel?' },
    })
    await tx.insert(telegramChats).values({
      ...place,
      ticketId: ticket.id,
      customerId: customer.id,
      name: 'Ana',
      username: 'ana',
    })
    await tx.insert(telegramConversations).values({ ...place, ticketId: ticket.id })
    return ticket.id
  })
  return { ticketId, chatId, user, bot }
}
