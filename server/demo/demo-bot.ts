import { and, asc, eq } from 'drizzle-orm'
import { createBotApi } from '../channels/telegram/bot-api/bot-api.ts'
import { createBot } from '../channels/telegram/bots/bots.ts'
import { telegramChats, telegramConversations } from '../database/tables/bots.ts'
import { customerIdentities, customers } from '../database/tables/customers.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Actor, Deps } from '../deps.ts'
import { type DemoOrganization, depsAt } from './organization.ts'
import type { TelegramServer, TelegramUser } from './telegram/telegram-server.ts'
import type { TelegramBot } from './telegram/telegram-state.ts'
import { BOT, GREETING } from './telegram-chats.ts'

/** The bot of the demo, and what the server that plays Telegram knows of it. */
interface DemoBot {
  id: string
  bot: TelegramBot
}

/** Connects the demo's bot to a Telegram stand-in on this machine. */
export async function addBot(
  deps: Deps,
  { orgId }: DemoOrganization,
  { telegram, at, actor }: { telegram: TelegramServer; at: number; actor: Actor },
): Promise<DemoBot> {
  const bot = telegram.addBot({ username: BOT.username, name: 'Parcelbird' })
  const api = createBotApi({ clock: deps.clock, root: telegram.root })
  try {
    const given = { name: BOT.name, token: bot.token, greeting: GREETING }
    const { id } = await createBot(depsAt(deps, at, actor), api, orgId, given)
    return { id, bot }
  } finally {
    api.close()
  }
}

/** Gives the tickets of the channel their chats, so that answers arrive. One customer has one chat. */
export async function seedChats(
  deps: Deps,
  { orgId }: DemoOrganization,
  { telegram, bot }: { telegram: TelegramServer; bot: DemoBot },
): Promise<void> {
  await deps.database.write(async (tx) => {
    const rows = await tx
      .select({ ticketId: tickets.id, createdAt: tickets.createdAt, customer: customers })
      .from(tickets)
      .innerJoin(customers, eq(customers.id, tickets.customerId))
      .where(and(eq(tickets.orgId, orgId), eq(tickets.channel, 'telegram')))
      .orderBy(asc(tickets.createdAt), asc(tickets.id))
    const users = new Map<string, TelegramUser>()
    for (const { ticketId, createdAt, customer } of rows) {
      const user = users.get(customer.id) ?? telegram.addUser({ first_name: customer.name })
      const chat = { orgId, botId: bot.id, chatId: String(user.id) }
      if (!users.has(customer.id)) {
        user.opens(bot.bot)
        const { name, id: customerId } = customer
        await tx.insert(telegramChats).values({ ...chat, customerId, name, createdAt })
        const externalId = String(user.id)
        await tx
          .insert(customerIdentities)
          .values({ orgId, channel: 'telegram', externalId, customerId, createdAt })
      }
      users.set(customer.id, user)
      await tx.insert(telegramConversations).values({ ...chat, ticketId, createdAt })
      await tx
        .update(telegramChats)
        .set({ ticketId })
        .where(and(eq(telegramChats.botId, bot.id), eq(telegramChats.chatId, chat.chatId)))
    }
  })
}
