import type { Chat, Message, User } from '@grammyjs/types'
import { eq } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { telegramConversations } from '../../../database/tables/bots.ts'
import { customerIdentities } from '../../../database/tables/customers.ts'
import { organizations } from '../../../database/tables/organizations.ts'
import type { Deps } from '../../../deps.ts'
import { lockTicket } from '../../../tickets/queries.ts'
import { claimTelegramLink } from '../../widget/telegram-link.ts'
import type { Bot } from '../bots/bot-rows.ts'
import { insertNotice } from '../outbound/plan-telegram.ts'
import { claimMessages, findChat, recordTicketChange, saveChat } from './chats.ts'
import { type FetchedFile, isTooLarge } from './fetch-file.ts'
import type { UpdateOutcome } from './updates.ts'

const START = /^\/start(?:@\w+)?(?:\s+([\w-]{1,64}))?\s*$/
const PRIVATE_ONLY = 'This bot answers in private chats only. Open its profile and write to it there.'

/** What follows `/start`, such as a token from a link; empty for nothing. Undefined for any other message. */
export function startTokenOf({ text }: Message): string | undefined {
  const start = text === undefined ? null : START.exec(text)
  return start ? (start[1] ?? '') : undefined
}

/**
 * Greets someone who has opened the chat with the bot. There is no ticket until they write. Someone who comes from the
 * website's widget continues their conversation.
 */
export async function greet(
  deps: Deps,
  tx: Transaction,
  { bot, message, from, startToken }: Started,
): Promise<UpdateOutcome> {
  const { chat } = message
  const claimed = await claimMessages(deps, tx, bot, [message], { ticketId: null, messageId: null })
  if (claimed.length === 0) return { outcome: 'ignored', reason: 'It was already delivered.' }
  const conversation =
    startToken === '' ? undefined : await takeOver(deps, tx, { bot, message, from, startToken })
  await saveChat(deps, tx, { bot, chat, from }, conversation)
  await say(deps, tx, bot, chat.id, bot.greeting || (await greetingOf(tx, bot, conversation !== undefined)))
  if (conversation) await recordTicketChange(deps, tx, { orgId: bot.orgId, ticketId: conversation.ticketId })
  return { outcome: 'done' }
}

/** Names the organization, because a bot can have any name. */
async function greetingOf(tx: Transaction, { orgId }: Bot, isContinued: boolean): Promise<string> {
  const [organization] = await tx
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.id, orgId))
  const hello = `Hello! This is ${organization?.name ?? 'our team'}.`
  return isContinued
    ? `${hello} Continue your conversation here, and we will reply in this chat.`
    : `${hello} Send us your question here, and we will reply in this chat.`
}

interface Started {
  bot: Bot
  message: Message
  from: User
  startToken: string
}

/**
 * Moves the conversation of a link from the website to this chat, and the user of the chat to the customer of that
 * conversation. A link works once: returns undefined if it was followed before.
 */
async function takeOver(
  deps: Deps,
  tx: Transaction,
  { bot: { orgId, id: botId }, message: { chat }, from, startToken: token }: Started,
): Promise<{ ticketId: string; customerId: string } | undefined> {
  const found = await claimTelegramLink(deps, tx, { orgId, botId, token })
  const [ticket] = found ? await lockTicket(tx, { orgId, id: found.ticketId }) : []
  if (!found || !ticket) return undefined
  const { ticketId, customerId } = found
  const createdAt = deps.clock.now()
  const taken = await tx
    .insert(telegramConversations)
    .values({ ticketId, orgId, botId, chatId: String(chat.id), createdAt })
    .onConflictDoNothing()
    .returning({ ticketId: telegramConversations.ticketId })
  if (taken.length === 0) return undefined
  // Someone who has written to a bot before stays the same customer.
  await tx
    .insert(customerIdentities)
    .values({ orgId, channel: 'telegram', externalId: String(from.id), customerId, createdAt })
    .onConflictDoNothing()
  return { ticketId, customerId }
}

/** Tells a group, once, that the bot answers in private chats only. */
export async function tellGroup(
  deps: Deps,
  tx: Transaction,
  { bot, chat }: { bot: Bot; chat: Chat },
): Promise<UpdateOutcome> {
  const before = await findChat(tx, bot, String(chat.id))
  if (!before?.isGroupTold) {
    await saveChat(deps, tx, { bot, chat, from: undefined }, { isGroupTold: true })
    await say(deps, tx, bot, chat.id, PRIVATE_ONLY)
  }
  return { outcome: 'ignored', reason: 'It was written in a group.' }
}

/** Tells the customer which files didn't reach the team. */
export async function tellTooLarge(
  deps: Deps,
  tx: Transaction,
  { bot, chatId, fetched }: { bot: Bot; chatId: string; fetched: FetchedFile[] },
): Promise<void> {
  const names = fetched.flatMap((one) => (isTooLarge(one) ? [`“${one.missing.name}”`] : []))
  if (names.length === 0) return
  const files = names.length === 1 ? `The file ${names[0]} is` : `The files ${names.join(', ')} are`
  const text = `${files} too large: Telegram bots can receive files of up to 20 MB. Please send a smaller file, or a link.`
  await say(deps, tx, bot, Number(chatId), text)
}

function say(deps: Deps, tx: Transaction, bot: Bot, chatId: number, text: string): Promise<void> {
  return insertNotice(deps, tx, { orgId: bot.orgId, bot, chatId: String(chatId), text, format: 'plain' })
}
