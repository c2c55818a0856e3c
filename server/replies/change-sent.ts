import { and, eq } from 'drizzle-orm'
import { findAttachmentsOf } from '../attachments/queries.ts'
import type { Transaction } from '../database/database.ts'
import { type MessageFormat, messages } from '../database/tables/messages.ts'
import { sends } from '../database/tables/sends.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { changeVersion, findSends, insertSends } from '../sends/queries.ts'
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
import { requireTicket, type Ticket, waitAgain } from '../tickets/queries.ts'
import { readTicketRow } from '../tickets/tickets.ts'
import { findMessage, type StoredMessage } from './queries.ts'

interface SentMessage {
  ticketId: string
  messageId: string
}

type Found = { ticket: Ticket; message: StoredMessage; send: TelegramSend; way: TelegramWay }

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
    const found = await requireSent(deps, tx, orgId, sent, 'canEdit')
    const { message, send } = found
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
    await recordChange(deps, tx, message)
  })
}

/**
 * Takes back a message that was sent by Telegram, so that the customer no longer sees it. Any agent can. Throws 404,
 * and 409 when it was sent in another way, longer than 48 hours ago, or is being sent right now.
 */
export async function takeBackSent(deps: Deps, orgId: string, sent: SentMessage): Promise<void> {
  await deps.database.write(async (tx) => {
    const found = await requireSent(deps, tx, orgId, sent, 'canTakeBack')
    const { message, send, way, ticket } = found
    const takenBackAt = deps.clock.now()
    if (isUntouched(send)) {
      const [deleted] = await tx.delete(sends).where(isStillWaiting(send)).returning({ id: sends.id })
      if (!deleted) throw beingSent()
      await updateMessage(tx, message, { takenBackAt, sending: null, sendError: null })
    } else {
      const deletion = newTelegramSend(deps, way, {
        orgId,
        message,
        content: { action: 'delete', ...deletionOf(sentParts(send)) },
      })
      await replaceFailed(tx, deletion)
      await updateMessage(tx, message, { takenBackAt, sending: 'queued', sendError: deletion.error || null })
    }
    await waitAgain(tx, ticket)
    await recordChange(deps, tx, message)
  })
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

/** Locks the ticket first. */
async function requireSent(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { ticketId, messageId }: SentMessage,
  change: 'canEdit' | 'canTakeBack',
): Promise<Found> {
  const ticket = await requireTicket(tx, orgId, ticketId)
  const message = isId('msg', messageId) ? await findMessage(tx, { orgId, id: messageId }) : undefined
  if (message?.ticketId !== ticketId) throw notFound('message')
  if (message.takenBackAt !== null) {
    throw new AppError(409, 'taken_back', 'The message was already taken back.')
  }
  const [send] = await findSends(tx, { orgId, messageId })
  const way = await findTelegramWay(tx, { orgId, ticketId })
  if (!send || !isByTelegram(send) || !way || way.bot.id !== send.laneId) throw notChangeable()
  if (way.bot.deletedAt !== null) {
    throw new AppError(409, 'no_transport', `The bot @${way.bot.username} was removed.`)
  }
  const now = deps.clock.now()
  const possible = possibleChanges(send, { sentAt: message.createdAt, now })
  if (possible?.[change]) return { ticket, message, send, way }
  if (send.state === 'waiting' || send.state === 'sending') throw beingSent()
  const isOld = change === 'canTakeBack' && now - message.createdAt >= MAX_DELETABLE_MS
  throw isOld ? tooOld() : notSent()
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
  change: Partial<Pick<StoredMessage, 'sending' | 'sendError' | 'takenBackAt'>>,
): Promise<void> {
  await tx
    .update(messages)
    .set(change)
    .where(and(eq(messages.orgId, orgId), eq(messages.id, id)))
}

async function recordChange(deps: Deps, tx: Transaction, { orgId, ticketId }: StoredMessage): Promise<void> {
  await changeVersion(tx, { orgId, id: ticketId })
  await recordEvents(deps, tx, orgId, [{ type: 'ticket.updated', ticketId, createdAt: deps.clock.now() }])
}

function notChangeable(): AppError {
  const detail = 'Only messages sent by Telegram in the last 30 days can be changed or taken back.'
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
