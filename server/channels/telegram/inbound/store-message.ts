import type { Chat, Message, User } from '@grammyjs/types'
import { desc } from 'drizzle-orm'
import { upsertCustomerByIdentity } from '../../../customers/customers.ts'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { telegramConversations } from '../../../database/tables/bots.ts'
import type { MessageChat } from '../../../database/tables/messages.ts'
import { tickets } from '../../../database/tables/tickets.ts'
import type { Deps } from '../../../deps.ts'
import { plainTextOf } from '../../../formatting/plain-text.ts'
import { survivorOf } from '../../../tickets/merged.ts'
import { lockTicket, type Ticket } from '../../../tickets/queries.ts'
import { receiveCustomerMessage } from '../../../tickets/receive-message.ts'
import { openTicket, subjectOf } from '../../../tickets/tickets.ts'
import { lockAssignees } from '../../../tickets/update-ticket.ts'
import type { Bot } from '../bots/bot-rows.ts'
import { claimMessages, findAlbum, findChat, findMessage, saveChat } from './chats.ts'
import type { FetchedFile } from './fetch-file.ts'
import { addLateParts, keepMissing, missingOf, receivedOf } from './late-files.ts'
import { fullName, type MessageContent } from './message-content.ts'
import { greet, startTokenOf, tellGroup, tellTooLarge } from './notices.ts'
import type { UpdateOutcome } from './updates.ts'

const CHANNEL = 'telegram'
const DAY_MS = 86_400_000
const MAX_TICKETS_READ = 50
/** For a user without a name. */
const NO_NAME = 'Telegram user'

interface Incoming {
  bot: Bot
  /** One message, or the parts of an album. */
  parts: Message[]
  /** Undefined when it says nothing. */
  content: MessageContent | undefined
  fetched: FetchedFile[]
}

interface Received extends Incoming {
  chat: Chat
  chatId: string
  from: User
  content: MessageContent
  messageId: string
}

/**
 * Stores a message of a customer in the caller's unit, once for each of Telegram's ids: in the open ticket of its chat, or
 * a new one. A message in a group gets the answer that the bot works in private chats only.
 */
export async function storeMessage(deps: Deps, tx: Transaction, incoming: Incoming): Promise<UpdateOutcome> {
  const { bot, parts, content } = incoming
  const [first] = parts
  if (!first) return { outcome: 'ignored', reason: 'It has no message.' }
  const { chat, from } = first
  if (chat.type === 'channel') return { outcome: 'ignored', reason: 'It was posted in a channel.' }
  if (chat.type !== 'private') return tellGroup(deps, tx, { bot, chat })
  if (!Number.isSafeInteger(from?.id)) return { outcome: 'failed', reason: 'It does not say who wrote it.' }
  if (!from || from.is_bot) return { outcome: 'ignored', reason: 'A program wrote it.' }
  const startToken = startTokenOf(first)
  if (startToken !== undefined) return greet(deps, tx, { bot, message: first, from, startToken })
  if (!content) {
    await claimMessages(deps, tx, bot, parts, { ticketId: null, messageId: null })
    return { outcome: 'ignored', reason: 'It has no content.' }
  }
  const messageId = deps.newId('msg')
  const chatId = String(chat.id)
  return store(deps, tx, { ...incoming, chat, chatId, from, content, messageId })
}

async function store(deps: Deps, tx: Transaction, received: Received): Promise<UpdateOutcome> {
  const { bot, parts, chatId } = received
  const album = parts[0]?.media_group_id
  const before = album === undefined ? undefined : await findAlbum(tx, bot, { chatId, album })
  if (before) return addLateParts(deps, tx, { ...received, before })
  const { defaultAssignee: assignedTo } = bot
  const assignable = await lockAssignees(tx, bot.orgId, [{ assignedTo }])
  const open = await openTicketOf(deps, tx, received)
  const isNew = open
    ? await addToTicket(deps, tx, { ...received, ticket: open })
    : await openNew(deps, tx, { ...received, assignedTo: assignable.has(assignedTo) ? assignedTo : '' })
  if (!isNew) return { outcome: 'ignored', reason: 'It was already delivered.' }
  await tellTooLarge(deps, tx, { bot, chatId, fetched: received.fetched })
  return { outcome: 'done' }
}

/**
 * The ticket that a message belongs to, locked; undefined for a new one. A reply belongs to the ticket of the message
 * it answers. Otherwise it is the chat's current ticket, or another one of the chat that an agent has reopened. A
 * resolved ticket counts until it is old enough that the settings ask for a new one.
 */
async function openTicketOf(deps: Deps, tx: Transaction, received: Received): Promise<Ticket | undefined> {
  const { bot, chatId } = received
  const chat = await findChat(tx, bot, chatId)
  const all = await ticketsOfChat(tx, bot, chatId)
  const isOpen = ({ status }: { status: string }) => status !== 'resolved'
  const answered = await answeredTicket(tx, received)
  const currentId = chat?.ticketId && (await survivorOf(tx, bot.orgId, chat.ticketId))
  const current = all.find(({ id }) => id === currentId)
  const chosen =
    all.find((one) => one.id === answered && isOpen(one)) ??
    (current && isOpen(current) ? current : undefined) ??
    all.find(isOpen) ??
    current
  if (!chosen) return undefined
  const [ticket] = await lockTicket(tx, { orgId: bot.orgId, id: chosen.id })
  if (!ticket) return undefined
  const { newTicketAfterDays: days } = bot
  const isOver = ticket.status === 'resolved' && days !== null
  return isOver && deps.clock.now() - ticket.updatedAt >= days * DAY_MS ? undefined : ticket
}

/** The newest tickets of a chat, last changed first, and those that they were merged into. */
async function ticketsOfChat(tx: Transaction, { orgId, id: botId }: Bot, chatId: string) {
  const { id, status, updatedAt, mergedInto } = tickets
  const opened = await tx
    .select({ id, status, updatedAt, mergedInto })
    .from(telegramConversations)
    .innerJoin(tickets, matches(tickets, { orgId, id: telegramConversations.ticketId }))
    .where(matches(telegramConversations, { orgId, botId, chatId }))
    .orderBy(desc(updatedAt), desc(id))
    .limit(MAX_TICKETS_READ)
  const all = new Map(opened.map((one) => [one.id, one]))
  for (const one of opened) {
    if (one.mergedInto === null) continue
    all.delete(one.id)
    const survivor = await survivorOf(tx, orgId, one.id)
    const [found] = await tx
      .select({ id, status, updatedAt, mergedInto })
      .from(tickets)
      .where(matches(tickets, { orgId, id: survivor }))
    if (found) all.set(survivor, found)
  }
  return [...all.values()].sort((one, other) => other.updatedAt - one.updatedAt)
}

async function answeredTicket(
  tx: Transaction,
  { bot, chatId, content: { repliesTo } }: Received,
): Promise<string | undefined> {
  const telegramMessageId = repliesTo?.telegramMessageId
  if (typeof telegramMessageId !== 'number') return undefined
  const answered = await findMessage(tx, bot, { chatId, telegramMessageId })
  return answered?.ticketId ?? undefined
}

async function addToTicket(
  deps: Deps,
  tx: Transaction,
  received: Received & { ticket: Ticket },
): Promise<boolean> {
  const { bot, parts, ticket, messageId } = received
  const ticketId = ticket.id
  const claimed = await claimMessages(deps, tx, bot, parts, { ticketId, messageId })
  if (claimed.length === 0) return false
  await saveChat(deps, tx, received, { ticketId, customerId: ticket.customerId })
  await keepMissing(deps, tx, received, { ticketId, messageId })
  await receiveCustomerMessage(deps, tx, bot.orgId, { ticketId, ...(await fieldsOf(tx, received, ticketId)) })
  return true
}

async function openNew(
  deps: Deps,
  tx: Transaction,
  received: Received & { assignedTo: string },
): Promise<boolean> {
  const { bot, parts, from, chatId, content, messageId, assignedTo } = received
  const { orgId } = bot
  const ticketId = deps.newId('tkt')
  const claimed = await claimMessages(deps, tx, bot, parts, { ticketId, messageId })
  if (claimed.length === 0) return false
  const customer = await upsertCustomerByIdentity(deps, tx, orgId, {
    channel: CHANNEL,
    externalId: String(from.id),
    name: fullName(from) || from.username || NO_NAME,
  })
  await saveChat(deps, tx, received, { ticketId, customerId: customer.id })
  await tx
    .insert(telegramConversations)
    .values({ ticketId, orgId, botId: bot.id, chatId, createdAt: deps.clock.now() })
  await keepMissing(deps, tx, received, { ticketId, messageId })
  const { attachments, ...message } = await fieldsOf(tx, received, ticketId)
  await openTicket(deps, tx, orgId, {
    id: ticketId,
    channel: CHANNEL,
    subject: subjectOf(plainTextOf(content), content.files[0]?.name),
    customer,
    message,
    attachments,
    assignedTo,
  })
  return true
}

async function fieldsOf(tx: Transaction, received: Received, ticketId: string) {
  const { content, fetched, messageId } = received
  return {
    id: messageId,
    text: content.text,
    format: content.format,
    telegram: await telegramFieldOf(tx, received, ticketId),
    attachments: { received: receivedOf(fetched) },
  }
}

/** Null for a message without Telegram-specific data. */
async function telegramFieldOf(
  tx: Transaction,
  { bot, chatId, content, fetched }: Received,
  ticketId: string,
): Promise<MessageChat | null> {
  const { forwardedFrom, repliesTo } = content
  const missingFiles = missingOf(fetched)
  if (forwardedFrom === undefined && !repliesTo && missingFiles.length === 0) return null
  const answered =
    repliesTo && repliesTo.telegramMessageId !== null
      ? await findMessage(tx, bot, { chatId, telegramMessageId: repliesTo.telegramMessageId })
      : undefined
  const messageId = answered?.ticketId === ticketId ? answered.messageId : null
  return {
    ...(forwardedFrom !== undefined && { forwardedFrom }),
    ...(repliesTo && { repliesTo: { messageId, text: repliesTo.text } }),
    ...(missingFiles.length > 0 && { missingFiles }),
  }
}
