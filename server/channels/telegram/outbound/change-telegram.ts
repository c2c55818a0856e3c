import { and, asc, eq, inArray } from 'drizzle-orm'
import { findAttachmentsOf } from '../../../attachments/queries.ts'
import type { Reader, Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import type { FrozenTelegram } from '../../../database/tables/bots.ts'
import { messages } from '../../../database/tables/messages.ts'
import { sends } from '../../../database/tables/sends.ts'
import type { Deps } from '../../../deps.ts'
import { AppError, invalid } from '../../../errors.ts'
import { insertSends } from '../../../messages/sends/queries.ts'
import { requireTextOrFiles } from '../../../tickets/messages.ts'
import type { Changes, PossibleChanges, Send, SentMessage } from '../../channel.ts'
import { isByTelegram, newTelegramSend, type TelegramSend } from './plan-telegram.ts'
import { deletionOf, isUntouched, MAX_DELETABLE_MS, possibleChanges, sentParts } from './sent-parts.ts'
import { editedParts, telegramParts } from './telegram-content.ts'
import { findTelegramWay, type TelegramWay } from './telegram-way.ts'

type OfTicket = { orgId: string; ticketId: string }
type Written = Pick<SentMessage, 'text' | 'format'>

/** Messages in a chat can be changed and removed there, as long as Telegram allows it. */
export const telegramChanges: Changes = {
  async possible(deps, read, { messages: all, ...ofTicket }) {
    const newest = await readTelegramSends(
      read,
      ofTicket,
      all.map(({ id }) => id),
    )
    const now = deps.clock.now()
    const possible = new Map<string, PossibleChanges>()
    for (const { id, createdAt } of all) {
      const changes = possibleChanges(newest.get(id), { sentAt: createdAt, now })
      if (changes) possible.set(id, changes)
    }
    return possible
  },

  async edit(deps, tx, { message, send: newest, text, format }) {
    const way = await wayOf(tx, message, newest)
    if (!way) return undefined
    const { send } = way
    const possible = possibleChanges(send, { sentAt: message.createdAt, now: deps.clock.now() })
    if (!possible?.canEdit) throw isUnfinished(send) ? beingSent() : notSent()
    requireTextOrFiles({ text, attachments: Array<string>(message.attachmentCount).fill('') })
    if (text === message.text && format === message.format) return { isChanged: false }
    const changed = { isChanged: true }
    if (!isUntouched(send)) {
      await planEdit(deps, tx, message, way, { text, format })
      return changed
    }
    const files =
      message.attachmentCount === 0
        ? []
        : await findAttachmentsOf(tx, { orgId: message.orgId, ownerId: message.id })
    const content = { ...send.content, parts: telegramParts({ text, format, files }) }
    const [replaced] = await tx.update(sends).set({ content }).where(isStillWaiting(send)).returning()
    if (!replaced) throw beingSent()
    return changed
  },

  async remove(deps, tx, { message, send: newest }) {
    const way = await wayOf(tx, message, newest)
    if (!way) return undefined
    const { send } = way
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
  },
}

type WayOfSend = TelegramWay & { send: TelegramSend }

/** Undefined for a message that wasn't sent by the bot of its ticket. Throws 409 if that was removed. */
async function wayOf(
  tx: Transaction,
  { orgId, ticketId }: SentMessage,
  send: Send,
): Promise<WayOfSend | undefined> {
  const way = await findTelegramWay(tx, { orgId, ticketId })
  if (!isByTelegram(send) || !way || way.bot.id !== send.laneId) return undefined
  if (way.bot.deletedAt !== null) {
    throw new AppError(409, 'no_transport', `The bot @${way.bot.username} was removed.`)
  }
  return { ...way, send }
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

/** Changes it in the chat once more. */
async function planEdit(
  deps: Deps,
  tx: Transaction,
  message: SentMessage,
  way: WayOfSend,
  written: Written,
): Promise<void> {
  const before = sentParts(way.send)
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
  await tx
    .update(messages)
    .set({ sending: 'queued', sendError: edit.error || null })
    .where(matches(messages, { orgId: message.orgId, id: message.id }))
}

/** A failed change isn't retried once there is a newer one. */
async function replaceFailed(tx: Transaction, send: TelegramSend): Promise<void> {
  const { orgId, messageId } = send
  await tx.delete(sends).where(matches(sends, { orgId, messageId: messageId ?? '', state: 'failed' }))
  await insertSends(tx, [send])
}

function isStillWaiting({ orgId, id }: TelegramSend) {
  return matches(sends, { orgId, id, state: 'waiting' })
}

function isUnfinished({ state }: TelegramSend): boolean {
  return state === 'waiting' || state === 'sending'
}

/** The newest send of each of these messages of a ticket, if it left by Telegram. */
async function readTelegramSends(
  read: Reader,
  { orgId, ticketId }: OfTicket,
  messageIds: string[],
): Promise<Map<string, Send>> {
  const found = await read
    .select()
    .from(sends)
    .where(
      and(
        eq(sends.orgId, orgId),
        eq(sends.ticketId, ticketId),
        eq(sends.channel, 'telegram'),
        inArray(sends.messageId, messageIds),
      ),
    )
    .orderBy(asc(sends.id))
  return new Map(found.map((send) => [send.messageId ?? '', send]))
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
