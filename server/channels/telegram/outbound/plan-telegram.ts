import { eq } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { bots, type FrozenTelegram } from '../../../database/tables/bots.ts'
import { messages } from '../../../database/tables/messages.ts'
import { sends } from '../../../database/tables/sends.ts'
import type { Deps } from '../../../deps.ts'
import { AppError, invalid } from '../../../errors.ts'
import { failedPlan, waitingSend } from '../../../messages/sends/plan-sends.ts'
import { insertSends } from '../../../messages/sends/queries.ts'
import { isDeletion } from '../../../messages/sends/record-attempt.ts'
import type { Outgoing, PlannedSends, Resend, Send } from '../../channel.ts'
import type { Bot } from '../bots/bot-rows.ts'
import { faultOfFiles, telegramParts } from './telegram-content.ts'
import { labelOf, reasonToWait, type TelegramWay } from './telegram-way.ts'

interface NewTelegramSend {
  orgId: string
  /** Absent for a greeting or notice. */
  message?: { id: string; ticketId: string }
  content: Pick<FrozenTelegram, 'action' | 'parts' | 'targets' | 'removed'>
}

/** A message of a bot to a chat. Messages to a chat are sent in order. */
export function newTelegramSend(
  deps: Deps,
  { bot, chat }: { bot: Pick<Bot, 'id' | 'username' | 'state'>; chat: { chatId: string } },
  { orgId, message, content }: NewTelegramSend,
): TelegramSend {
  const { chatId } = chat
  const send = waitingSend(deps, {
    orgId,
    ticketId: message?.ticketId ?? '',
    messageId: message?.id ?? null,
    channel: 'telegram',
    laneId: bot.id,
    conversation: telegramConversation(bot.id, chatId),
    content: { chatId, ...content, done: [], unanswered: 0 },
    waits: reasonToWait(bot),
    createdAt: deps.clock.now(),
  })
  return telegramSend(send)
}

/**
 * Sends a message that belongs to no ticket: a greeting, or what the bot can't do. Call this in the unit that decides
 * it.
 */
export async function insertNotice(
  deps: Deps,
  tx: Transaction,
  bot: Bot,
  { chatId, text }: { chatId: string; text: string },
): Promise<void> {
  const parts = telegramParts({ text, format: 'plain', files: [] })
  if (parts.length === 0) return
  const content = { action: 'send' as const, parts }
  await insertSends(tx, [newTelegramSend(deps, { bot, chat: { chatId } }, { orgId: bot.orgId, content })])
}

/** Plans a reply to a chat. */
export function planTelegram(
  deps: Deps,
  { ticket, message, files = [] }: Outgoing,
  way: TelegramWay,
): PlannedSends {
  const fault = faultOfFiles(files)
  if (fault) return failedPlan(fault, 'telegram')
  const { id, text, format } = message
  const send = newTelegramSend(deps, way, {
    orgId: ticket.orgId,
    message: { id, ticketId: ticket.id },
    content: { action: 'send', parts: telegramParts({ text, format, files }) },
  })
  return {
    sending: 'queued',
    sendError: send.error || null,
    sentBy: 'telegram',
    email: null,
    sends: [send],
  }
}

/**
 * Sends the parts of a failed send that weren't sent yet, or retries a failed deletion. Throws 400 for other recipients,
 * and 409 if the bot was removed.
 */
export async function resendTelegram(deps: Deps, tx: Transaction, send: Send, { to }: Resend): Promise<void> {
  if (to.length > 0) {
    const detail = 'The message goes to a chat, so it has no recipients.'
    throw invalid([{ pointer: '/to', code: 'not_by_email', detail }])
  }
  const [bot] = await tx
    .select({ username: bots.username, state: bots.state, deletedAt: bots.deletedAt })
    .from(bots)
    .where(eq(bots.id, send.laneId))
  if (!bot || bot.deletedAt !== null) {
    throw new AppError(409, 'no_transport', `The ${bot ? labelOf(bot) : 'bot'} was removed.`)
  }
  const waits = reasonToWait(bot)
  const now = deps.clock.now()
  await tx
    .update(sends)
    .set({
      content: { ...telegramSend(send).content, unanswered: 0 },
      outcomes: [],
      state: 'waiting',
      dueAt: now,
      attempts: 0,
      error: waits ?? '',
      finishedAt: null,
    })
    .where(eq(sends.id, send.id))
  if (send.messageId === null) return
  await tx
    .update(messages)
    .set({ sending: 'queued', sendError: waits ?? null, ...(isDeletion(send) && { takenBackAt: now }) })
    .where(eq(messages.id, send.messageId))
}

export type TelegramSend = Send & { channel: 'telegram'; content: FrozenTelegram }

export function isByTelegram(send: Send): send is TelegramSend {
  return send.channel === 'telegram'
}

/** Throws if something else is sent. */
export function telegramSend(send: Send): TelegramSend {
  if (!isByTelegram(send)) throw new Error(`The send ${send.id} isn't a Telegram message.`)
  return send
}

function telegramConversation(botId: string, chatId: string): string {
  return `${botId}:${chatId}`
}
