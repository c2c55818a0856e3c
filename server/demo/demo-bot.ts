import { asc, eq } from 'drizzle-orm'
import { createBotApi } from '../channels/telegram/bot-api/bot-api.ts'
import { createBot } from '../channels/telegram/bots/bots.ts'
import { matches } from '../database/matches.ts'
import { telegramChats, telegramConversations } from '../database/tables/bots.ts'
import { customerIdentities, customers } from '../database/tables/customers.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Actor, Deps } from '../deps.ts'
import company from './company.yaml'
import { type DemoOrganization, depsAt } from './organization.ts'
import type { DemoTelegram } from './telegram.ts'

/** The id of the first customer's chat in Telegram. */
const FIRST_CHAT = 510_000

/** Connects the demo's bot to the Bot API on this machine. Returns its id. */
export async function addBot(
  deps: Deps,
  { orgId }: DemoOrganization,
  { telegram, at, actor }: { telegram: DemoTelegram; at: number; actor: Actor },
): Promise<string> {
  const api = createBotApi({ clock: deps.clock, root: telegram.root })
  try {
    const { name, greeting } = company.bot
    const bot = { name, token: telegram.token, greeting }
    return (await createBot(depsAt(deps, at, actor), api, orgId, bot)).id
  } finally {
    api.close()
  }
}

/** Gives the tickets of the channel their chats, so that answers arrive. One customer has one chat. */
export async function seedChats(deps: Deps, { orgId }: DemoOrganization, botId: string): Promise<void> {
  await deps.database.write(async (tx) => {
    const rows = await tx
      .select({ ticketId: tickets.id, createdAt: tickets.createdAt, customer: customers })
      .from(tickets)
      .innerJoin(customers, eq(customers.id, tickets.customerId))
      .where(matches(tickets, { orgId, channel: 'telegram' }))
      .orderBy(asc(tickets.createdAt), asc(tickets.id))
    const chats = new Map<string, string>()
    for (const { ticketId, createdAt, customer } of rows) {
      const chatId = chats.get(customer.id) ?? String(FIRST_CHAT + chats.size)
      const chat = { orgId, botId, chatId }
      if (!chats.has(customer.id)) {
        const { name, id: customerId } = customer
        await tx.insert(telegramChats).values({ ...chat, customerId, name, createdAt })
        await tx
          .insert(customerIdentities)
          .values({ orgId, channel: 'telegram', externalId: chatId, customerId, createdAt })
      }
      chats.set(customer.id, chatId)
      await tx.insert(telegramConversations).values({ ...chat, ticketId, createdAt })
      await tx.update(telegramChats).set({ ticketId }).where(matches(telegramChats, { botId, chatId }))
    }
  })
}
