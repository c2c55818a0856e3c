import { eq } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { type MessageFormat, messages } from '../../database/tables/messages.ts'
import { type FrozenTelegram, sends } from '../../database/tables/sends.ts'
import type { Deps } from '../../deps.ts'
import { insertSends } from '../queries.ts'
import { isDeletion, type TelegramSend } from '../send-content.ts'
import { botLane, reasonToWait } from '../send-lanes.ts'
import { telegramParts } from './telegram-content.ts'
import type { TelegramWay } from './telegram-way.ts'

interface NewTelegramSend {
  orgId: string
  /** Absent for a greeting or notice. */
  message?: { id: string; ticketId: string }
  content: Pick<FrozenTelegram, 'action' | 'parts' | 'targets' | 'removed'>
}

/** A message of a bot to a chat. Messages to a chat are sent in order. */
export function newTelegramSend(
  deps: Deps,
  { bot, chat }: { bot: Pick<TelegramWay['bot'], 'id' | 'username' | 'state'>; chat: { chatId: string } },
  { orgId, message, content }: NewTelegramSend,
): TelegramSend {
  const now = deps.clock.now()
  const { chatId } = chat
  return {
    id: deps.newId('snd'),
    orgId,
    ticketId: message?.ticketId ?? '',
    messageId: message?.id ?? null,
    channel: 'telegram',
    laneId: bot.id,
    conversation: telegramConversation(bot.id, chatId),
    content: { chatId, ...content, done: [], unanswered: 0 },
    state: 'waiting',
    dueAt: now,
    attempts: 0,
    externalId: null,
    error: reasonToWait(botLane(bot)) ?? '',
    outcomes: [],
    createdAt: now,
    finishedAt: null,
  }
}

/**
 * Sends a message that belongs to no ticket: a greeting, or what the bot can't do. Call this in the unit that decides
 * it.
 */
export async function insertNotice(
  deps: Deps,
  tx: Transaction,
  notice: {
    orgId: string
    bot: Pick<TelegramWay['bot'], 'id' | 'username' | 'state'>
    chatId: string
    text: string
    format: MessageFormat
  },
): Promise<void> {
  const { orgId, bot, chatId, text, format } = notice
  const parts = telegramParts({ text, format, files: [] })
  if (parts.length === 0) return
  const content = { action: 'send' as const, parts }
  await insertSends(tx, [newTelegramSend(deps, { bot, chat: { chatId } }, { orgId, content })])
}

/**
 * Sends the parts of a failed send that weren't sent yet, or retries a failed deletion. `waits` is the reason if it has
 * to wait.
 */
export async function resendByTelegram(
  deps: Deps,
  tx: Transaction,
  send: TelegramSend,
  waits: string | undefined,
): Promise<void> {
  const now = deps.clock.now()
  await tx
    .update(sends)
    .set({
      content: { ...send.content, unanswered: 0 },
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

function telegramConversation(botId: string, chatId: string): string {
  return `${botId}:${chatId}`
}
