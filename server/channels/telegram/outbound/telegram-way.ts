import { and, eq, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../database/database.ts'
import { statement, text } from '../../../database/statement.ts'
import { bots, telegramChats, telegramConversations } from '../../../database/tables/bots.ts'
import { pausedSentence } from '../../../messages/sends/account-health.ts'

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

const findWay = statement(
  'sends_telegram_way',
  { orgId: text, ticketId: text },
  (read: Reader | Transaction, p) =>
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
      .where(and(eq(telegramConversations.orgId, p.orgId), eq(telegramConversations.ticketId, p.ticketId))),
)

/** As a sentence names it. */
export function labelOf({ username }: Pick<Bot, 'username'>): string {
  return `bot @${username}`
}

/** Why messages wait; undefined when they don't. A bot whose messages another program fetches can still send. */
export function reasonToWait(bot: Pick<Bot, 'username' | 'state'>): string | undefined {
  switch (bot.state) {
    case 'active':
    case 'taken':
      return undefined
    case 'paused':
      return pausedSentence(labelOf(bot))
    case 'refused':
      return `Telegram refused the token of the ${labelOf(bot)}. An administrator has to enter the current one.`
  }
}
