import { and, eq, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../database/database.ts'
import { statement, textParameter } from '../../database/statement.ts'
import { bots, telegramChats, telegramConversations } from '../../database/tables/bots.ts'

type Bot = typeof bots.$inferSelect
type Chat = typeof telegramChats.$inferSelect

/** The bot and the chat that the messages of a ticket go to. */
export interface TelegramWay {
  bot: Pick<Bot, 'id' | 'username' | 'state' | 'deletedAt'>
  chat: Pick<Chat, 'chatId' | 'name' | 'username' | 'state'>
}

/** The chat of a ticket that talks in Telegram, also when its bot was removed. */
export async function findTelegramWay(
  read: Reader | Transaction,
  { orgId, ticketId }: { orgId: string; ticketId: string },
): Promise<TelegramWay | undefined> {
  const [found] = await findWay(read, { orgId, ticketId })
  if (!found) return undefined
  const { id, botUsername, botState, deletedAt, chatId, name, username, state } = found
  return {
    bot: { id, username: botUsername, state: botState, deletedAt },
    chat: { chatId, name, username, state },
  }
}

const findWay = statement<
  { orgId: string; ticketId: string },
  (Pick<Bot, 'id' | 'deletedAt'> & { botUsername: string; botState: Bot['state'] } & TelegramWay['chat'])[],
  Reader | Transaction
>('sends_telegram_way', (read, p) =>
  read
    .select({
      id: bots.id,
      botUsername: sql<string>`${bots.username}`.as('bot_username'),
      botState: sql<Bot['state']>`${bots.state}`.as('bot_state'),
      deletedAt: bots.deletedAt,
      chatId: telegramChats.chatId,
      name: telegramChats.name,
      username: telegramChats.username,
      state: telegramChats.state,
    })
    .from(telegramConversations)
    .innerJoin(bots, eq(bots.id, telegramConversations.botId))
    .innerJoin(
      telegramChats,
      and(
        eq(telegramChats.botId, telegramConversations.botId),
        eq(telegramChats.chatId, telegramConversations.chatId),
      ),
    )
    .where(
      and(
        eq(telegramConversations.orgId, textParameter(p.orgId)),
        eq(telegramConversations.ticketId, textParameter(p.ticketId)),
      ),
    ),
)
