import type { Chat, Message, User } from '@grammyjs/types'
import { and, ne } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { telegramChats, telegramMessages } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import type { Bot } from '../bots/bot-rows.ts'
import { fileIn, fullName } from './message-content.ts'

type TelegramChat = typeof telegramChats.$inferSelect

/** Undefined before the first update from it. */
export async function findChat(tx: Transaction, bot: Bot, chatId: string): Promise<TelegramChat | undefined> {
  const [chat] = await tx.select().from(telegramChats).where(isChat(bot, chatId))
  return chat
}

/**
 * Saves who writes in a chat, as Telegram describes them now. Someone who writes has not blocked the bot, or no longer
 * does.
 */
export async function saveChat(
  deps: Deps,
  tx: Transaction,
  { bot, chat, from }: { bot: Bot; chat: Chat; from: User | undefined },
  change: Partial<Pick<TelegramChat, 'ticketId' | 'customerId' | 'isGroupTold'>> = {},
): Promise<void> {
  const person = {
    name: from ? fullName(from) : (chat.title ?? ''),
    username: from?.username ?? '',
    language: from?.language_code ?? '',
  }
  const set = { ...person, state: 'active' as const, stateAt: null, ...change }
  await tx
    .insert(telegramChats)
    .values({
      orgId: bot.orgId,
      botId: bot.id,
      chatId: String(chat.id),
      createdAt: deps.clock.now(),
      ...set,
    })
    .onConflictDoUpdate({ target: [telegramChats.botId, telegramChats.chatId], set })
}

/** Records messages, and returns Telegram's ids of those that weren't known. */
export async function claimMessages(
  deps: Deps,
  tx: Transaction,
  bot: Bot,
  parts: Message[],
  { ticketId, messageId }: { ticketId: string | null; messageId: string | null },
): Promise<number[]> {
  const claimed = await tx
    .insert(telegramMessages)
    .values(
      parts.map((part) => ({
        orgId: bot.orgId,
        botId: bot.id,
        chatId: String(part.chat.id),
        telegramMessageId: part.message_id,
        direction: 'in' as const,
        ticketId,
        messageId,
        album: part.media_group_id ?? null,
        file: fileIn(part)?.uniqueId ?? null,
        createdAt: deps.clock.now(),
      })),
    )
    .onConflictDoNothing()
    .returning({ id: telegramMessages.telegramMessageId })
  return claimed.map(({ id }) => id)
}

export type TelegramMessage = typeof telegramMessages.$inferSelect

/** Finds a message by Telegram's id. */
export async function findMessage(
  read: Reader | Transaction,
  bot: Bot,
  { chatId, telegramMessageId }: { chatId: string; telegramMessageId: number },
): Promise<TelegramMessage | undefined> {
  const [message] = await read
    .select()
    .from(telegramMessages)
    .where(isMessage({ orgId: bot.orgId, botId: bot.id, chatId, telegramMessageId }))
  return message
}

/** Saves the file of a message after an edit. */
export async function saveFile(tx: Transaction, key: TelegramMessage, message: Message): Promise<void> {
  await tx
    .update(telegramMessages)
    .set({ file: fileIn(message)?.uniqueId ?? null })
    .where(isMessage(key))
}

function isMessage(key: Pick<TelegramMessage, 'orgId' | 'botId' | 'chatId' | 'telegramMessageId'>) {
  return matches(telegramMessages, {
    orgId: key.orgId,
    botId: key.botId,
    chatId: key.chatId,
    telegramMessageId: key.telegramMessageId,
  })
}

/** Finds the message that the first parts of an album became. */
export async function findAlbum(
  tx: Transaction,
  bot: Bot,
  { chatId, album }: { chatId: string; album: string },
): Promise<TelegramMessage | undefined> {
  const [message] = await tx
    .select()
    .from(telegramMessages)
    .where(matches(telegramMessages, { orgId: bot.orgId, botId: bot.id, chatId, album }))
    .limit(1)
  return message
}

/** Records whether a bot can write in a chat. */
export async function saveChatState(
  deps: Deps,
  tx: Transaction,
  bot: Pick<Bot, 'orgId' | 'id'>,
  { chatId, state }: Pick<TelegramChat, 'chatId' | 'state'>,
): Promise<void> {
  await tx
    .update(telegramChats)
    .set({ state, stateAt: deps.clock.now() })
    .where(and(isChat(bot, chatId), ne(telegramChats.state, state)))
}

function isChat({ orgId, id }: Pick<Bot, 'orgId' | 'id'>, chatId: string) {
  return matches(telegramChats, { orgId, botId: id, chatId })
}
