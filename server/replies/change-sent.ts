import { and, eq } from 'drizzle-orm'
import { findAttachmentsOf } from '../attachments/queries.ts'
import type { Transaction } from '../database/database.ts'
import { type MessageFormat, messages } from '../database/tables/messages.ts'
import { type FrozenTelegram, sends } from '../database/tables/sends.ts'
import { widgetConversations } from '../database/tables/widgets.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { changeTicket, findSends, insertSends, type Send } from '../sends/queries.ts'
import { isByTelegram, type TelegramSend } from '../sends/send-content.ts'
import { newTelegramSend } from '../sends/telegram/plan-telegram.ts'
import {
  deletionOf,
  isUntouched,
  MAX_DELETABLE_MS,
  possibleChanges,
  sentParts,
} from '../sends/telegram/sent-parts.ts'
import { editedParts, telegramParts } from '../sends/telegram/telegram-content.ts'
import { findTelegramWay, type TelegramWay } from '../sends/telegram/telegram-way.ts'
import { readEdits, saveEdit } from '../tickets/message-edits.ts'
import { requireTextOrFiles } from '../tickets/messages.ts'
import { requireTicket, waitAgain } from '../tickets/queries.ts'
import { readTicketRow } from '../tickets/tickets.ts'
import { findMessage, type StoredMessage } from './queries.ts'

interface SentMessage {
  ticketId: string
  messageId: string
}

type Found = { message: StoredMessage; send: TelegramSend; way: TelegramWay }

/**
 * Changes the text of a message that was sent by Telegram, in Telegram as well. Any agent can. Throws 404, 400 for a
 * text that Telegram can't show in place of the old one, and 409 when it was sent in another way, taken back, or is
 * still being sent.
 */
export async function editSentMessage(
  deps: Deps,
  orgId: string,
  { text, format, ...sent }: SentMessage & { text: string; format: MessageFormat },
): Promise<void> {
  await deps.database.write(async (tx) => {
    const message = await requireMessage(tx, orgId, sent)
    const found = { message, ...(await requireEditable(deps, tx, message)) }
    const { send } = found
    requireTextOrFiles({ text, attachments: Array<string>(message.attachmentCount).fill('') })
    if (text === message.text && format === message.format) return
    if (isUntouched(send)) {
      const files =
        message.attachmentCount === 0 ? [] : await findAttachmentsOf(tx, { orgId, ownerId: message.id })
      const content = { ...send.content, parts: telegramParts({ text, format, files }) }
      const [changed] = await tx.update(sends).set({ content }).where(isStillWaiting(send)).returning()
      if (!changed) throw beingSent()
    } else {
      await planEdit(deps, tx, found, { text, format })
    }
    await saveEdit(tx, message, { text, format, now: deps.clock.now() })
    await recordChange(deps, tx, message, deps.clock.now())
  })
}

/** Takes a sent message back, as `removeFromChat` does. Any agent can. Throws 404, and 409 if no chat shows it. */
export async function takeBackSent(deps: Deps, orgId: string, sent: SentMessage): Promise<void> {
  await deps.database.write(async (tx) => {
    const message = await requireMessage(tx, orgId, sent)
    if (!(await removeFromChat(deps, tx, message))) throw notChangeable()
  })
}

/**
 * Takes back an agent's message that a chat shows, so that the customer no longer sees it: Telegram deletes it, or the
 * page of the visitor. The unit has locked the ticket. Returns false if it was sent in another way. Throws 409 for what
 * Telegram got longer than 48 hours ago, and for what it may have but hasn't confirmed.
 */
export async function removeFromChat(deps: Deps, tx: Transaction, message: StoredMessage): Promise<boolean> {
  if (message.takenBackAt !== null) throw takenBack()
  const [send] = await findSends(tx, { orgId: message.orgId, messageId: message.id })
  const inWidget = await shownInWidget(tx, message)
  const taken = { takenBackAt: deps.clock.now(), isRemovalShown: inWidget?.isSeen ?? false }
  const telegram = send && (await throughTelegram(tx, message, send))
  if (send ? !telegram : !inWidget) return false
  const sending = telegram ? await removeFromTelegram(deps, tx, message, telegram) : { sending: null }
  await updateMessage(tx, message, { ...taken, ...sending })
  await waitAgain(tx, await requireTicket(tx, message.orgId, message.ticketId))
  await recordChange(deps, tx, message, taken.takenBackAt)
  return true
}

type Sending = Pick<StoredMessage, 'sending' | 'sendError'>

async function removeFromTelegram(
  deps: Deps,
  tx: Transaction,
  message: StoredMessage,
  { send, way }: Omit<Found, 'message'>,
): Promise<Sending> {
  if (isUntouched(send)) {
    const [deleted] = await tx.delete(sends).where(isStillWaiting(send)).returning({ id: sends.id })
    if (deleted) return { sending: null, sendError: null }
  }
  const deletion = newTelegramSend(deps, way, {
    orgId: message.orgId,
    message,
    content: {
      action: 'delete',
      ...whatToDelete(send, { sentAt: message.createdAt, now: deps.clock.now() }),
    },
  })
  // What is left of it isn't sent anymore, but the deletion waits for its end.
  await tx.update(sends).set({ dueAt: deletion.dueAt }).where(isStillWaiting(send))
  await replaceFailed(tx, deletion)
  return { sending: 'queued', sendError: deletion.error || null }
}

/** Without ids while it is being sent: the deletion looks them up when that has ended. */
function whatToDelete(
  send: TelegramSend,
  { sentAt, now }: { sentAt: number; now: number },
): Pick<FrozenTelegram, 'parts' | 'targets' | 'removed'> {
  const { state, content } = send
  if (state === 'waiting' || state === 'sending') {
    if (content.action !== 'send' || content.unanswered > 0) throw beingSent()
    return { parts: [] }
  }
  const parts = sentParts(send)
  if (parts.ids.length === 0) throw notSent()
  if (now - sentAt >= MAX_DELETABLE_MS) throw tooOld()
  return deletionOf(parts)
}

/** Whether a visitor of a widget has seen a message. Undefined if no widget shows it, or it was emailed too. */
async function shownInWidget(
  tx: Transaction,
  { orgId, ticketId, id, role, sending, email, author, createdAt }: StoredMessage,
): Promise<{ isSeen: boolean } | undefined> {
  if (role !== 'agent' || sending === 'failed' || email !== null || author !== null) return undefined
  const [found] = await tx
    .select({ seenId: messages.id, seenAt: messages.createdAt })
    .from(widgetConversations)
    .leftJoin(messages, eq(messages.id, widgetConversations.seenMessageId))
    .where(and(eq(widgetConversations.orgId, orgId), eq(widgetConversations.ticketId, ticketId)))
  if (!found) return undefined
  const seenAt = found.seenAt ?? -1
  return { isSeen: createdAt < seenAt || (createdAt === seenAt && id <= (found.seenId ?? '')) }
}

/** The texts of a message before each edit, by an agent or by the customer, oldest first. Throws 404. */
export async function readMessageEdits(deps: Deps, orgId: string, { ticketId, messageId }: SentMessage) {
  const { read } = deps.database
  await readTicketRow(read, orgId, ticketId)
  const message = isId('msg', messageId) ? await findMessage(read, { orgId, id: messageId }) : undefined
  if (message?.ticketId !== ticketId) throw notFound('message')
  return readEdits(read, { orgId, messageId })
}

async function planEdit(
  deps: Deps,
  tx: Transaction,
  { message, send, way }: Found,
  written: { text: string; format: MessageFormat },
): Promise<void> {
  const before = sentParts(send)
  const after = editedParts(before.parts, written)
  if ('fault' in after) throw invalid([{ pointer: '/text', code: 'too_long', detail: after.fault }])
  const { parts, removed } = after
  const texts = before.parts.filter(({ kind }) => kind === 'text').length
  const kept = texts - removed
  const edit = newTelegramSend(deps, way, {
    orgId: message.orgId,
    message,
    content: {
      action: 'edit',
      parts,
      targets: [...before.ids.slice(0, kept), ...before.ids.slice(texts)],
      removed: [...before.ids.slice(kept, texts).flat(), ...before.left],
    },
  })
  await replaceFailed(tx, edit)
  await updateMessage(tx, message, { sending: 'queued', sendError: edit.error || null })
}

/** Locks the ticket first. Throws 404. */
async function requireMessage(
  tx: Transaction,
  orgId: string,
  { ticketId, messageId }: SentMessage,
): Promise<StoredMessage> {
  await requireTicket(tx, orgId, ticketId)
  const message = isId('msg', messageId) ? await findMessage(tx, { orgId, id: messageId }) : undefined
  if (message?.ticketId !== ticketId) throw notFound('message')
  return message
}

async function requireEditable(
  deps: Deps,
  tx: Transaction,
  message: StoredMessage,
): Promise<Omit<Found, 'message'>> {
  if (message.takenBackAt !== null) throw takenBack()
  const [newest] = await findSends(tx, { orgId: message.orgId, messageId: message.id })
  const found = newest && (await throughTelegram(tx, message, newest))
  if (!found) throw notChangeable()
  const { send } = found
  const possible = possibleChanges(send, { sentAt: message.createdAt, now: deps.clock.now() })
  if (possible?.canEdit) return found
  throw send.state === 'waiting' || send.state === 'sending' ? beingSent() : notSent()
}

/** Undefined for a message that wasn't sent by the bot of its ticket. Throws 409 if that was removed. */
async function throughTelegram(
  tx: Transaction,
  { orgId, ticketId }: StoredMessage,
  send: Send,
): Promise<Omit<Found, 'message'> | undefined> {
  const way = await findTelegramWay(tx, { orgId, ticketId })
  if (!isByTelegram(send) || !way || way.bot.id !== send.laneId) return undefined
  if (way.bot.deletedAt !== null) {
    throw new AppError(409, 'no_transport', `The bot @${way.bot.username} was removed.`)
  }
  return { send, way }
}

/** A failed change isn't retried once there is a newer one. */
async function replaceFailed(tx: Transaction, send: TelegramSend): Promise<void> {
  const { orgId, messageId } = send
  await tx
    .delete(sends)
    .where(and(eq(sends.orgId, orgId), eq(sends.messageId, messageId ?? ''), eq(sends.state, 'failed')))
  await insertSends(tx, [send])
}

function isStillWaiting({ orgId, id }: TelegramSend) {
  return and(eq(sends.orgId, orgId), eq(sends.id, id), eq(sends.state, 'waiting'))
}

async function updateMessage(
  tx: Transaction,
  { orgId, id }: StoredMessage,
  change: Partial<Pick<StoredMessage, 'sending' | 'sendError' | 'takenBackAt' | 'isRemovalShown'>>,
): Promise<void> {
  await tx
    .update(messages)
    .set(change)
    .where(and(eq(messages.orgId, orgId), eq(messages.id, id)))
}

/** Open pages find what was taken back by the time of the event. */
async function recordChange(
  deps: Deps,
  tx: Transaction,
  { orgId, ticketId }: StoredMessage,
  createdAt: number,
): Promise<void> {
  await changeTicket(tx, { orgId, id: ticketId, at: createdAt })
  await recordEvents(deps, tx, orgId, [{ type: 'ticket.updated', ticketId, createdAt }])
}

function takenBack(): AppError {
  return new AppError(409, 'taken_back', 'The message was already taken back.')
}

function notChangeable(): AppError {
  const detail =
    'Only messages in Telegram can be changed, for 30 days, and only those in Telegram or the widget taken back.'
  return new AppError(409, 'not_changeable', detail)
}

function beingSent(): AppError {
  return new AppError(409, 'being_sent', 'The message is being sent right now. Try again in a moment.')
}

function notSent(): AppError {
  return new AppError(409, 'not_sent', "The message didn't reach the customer. Send it again instead.")
}

function tooOld(): AppError {
  const detail = 'Telegram only deletes messages that were sent in the last 48 hours.'
  return new AppError(409, 'too_old', detail)
}
