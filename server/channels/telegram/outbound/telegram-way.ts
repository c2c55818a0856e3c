import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { statement, text } from '../../../database/statement.ts'
import { bots, telegramChats, telegramConversations } from '../../../database/tables/bots.ts'
import { pausedSentence } from '../../../messages/sends/account-health.ts'

type Bot = typeof bots.$inferSelect

/** The bot and the chat that the messages of a ticket go to. */
export type TelegramWay = Awaited<ReturnType<typeof findWay>>[number]

/** The chat of a ticket that talks in Telegram, also when its bot was removed. */
export async function findTelegramWay(
  read: Reader | Transaction,
  { orgId, ticketId }: { orgId: string; ticketId: string },
): Promise<TelegramWay | undefined> {
  const [way] = await findWay(read, { orgId, ticketId })
  return way
}

const findWay = statement(
  'sends_telegram_way',
  { orgId: text, ticketId: text },
  (read: Reader | Transaction, p) =>
    read
      .select({
        bot: { id: bots.id, username: bots.username, state: bots.state, deletedAt: bots.deletedAt },
        chat: {
          chatId: telegramChats.chatId,
          name: telegramChats.name,
          username: telegramChats.username,
          state: telegramChats.state,
        },
      })
      .from(telegramConversations)
      .innerJoin(bots, eq(bots.id, telegramConversations.botId))
      .innerJoin(
        telegramChats,
        matches(telegramChats, { botId: telegramConversations.botId, chatId: telegramConversations.chatId }),
      )
      .where(matches(telegramConversations, { orgId: p.orgId, ticketId: p.ticketId })),
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
