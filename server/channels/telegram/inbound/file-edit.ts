import type { Message } from '@grammyjs/types'
import { and, eq } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { messages } from '../../../database/tables/messages.ts'
import type { Deps } from '../../../deps.ts'
import { recordEvents } from '../../../events/events.ts'
import { changeVersion } from '../../../sends/queries.ts'
import { saveEdit } from '../../../tickets/message-edits.ts'
import { lockTicket } from '../../../tickets/queries.ts'
import type { Bot } from '../bots/bot-rows.ts'
import { findMessage } from './chats.ts'
import type { MessageContent } from './message-content.ts'
import type { Filed } from './processed.ts'

/**
 * A customer has changed what they wrote: the message shows the new text, and keeps the one before. It reopens nothing and
 * is no event for webhooks. Undefined for a message that is not known.
 */
export async function fileEdit(
  deps: Deps,
  tx: Transaction,
  { bot, message, content }: { bot: Bot; message: Message; content: MessageContent | undefined },
): Promise<Filed | undefined> {
  const chatId = String(message.chat.id)
  const known = await findMessage(tx, bot, { chatId, telegramMessageId: message.message_id })
  if (!known) return undefined
  const { orgId, ticketId, messageId } = known
  if (ticketId === null || messageId === null) return ignored('The message is in no ticket.')
  const [ticket] = await lockTicket(tx, { orgId, id: ticketId })
  const isMessage = and(eq(messages.orgId, orgId), eq(messages.id, messageId))
  const [before] = ticket ? await tx.select().from(messages).where(isMessage) : []
  if (!before) return ignored('The message is in no ticket.')
  // It would be a new text every few seconds.
  if (message.location) return ignored('A live location has moved.')
  const { text = '', format = 'plain' } = content ?? {}
  // Telegram also reports what nobody can see, such as the preview of a link.
  if (text === before.text && format === before.format) return ignored('The text is the same.')
  // The album has one text for all its parts. One without a text is not the one that was edited.
  if (known.album !== null && text === '') return ignored('The text of the album is with another part.')
  const now = deps.clock.now()
  await saveEdit(tx, before, { text, format, now })
  await changeVersion(tx, { orgId, id: ticketId })
  await recordEvents(deps, tx, orgId, [{ type: 'ticket.updated', ticketId, createdAt: now }])
  return { outcome: 'done' }
}

function ignored(reason: string): Filed {
  return { outcome: 'ignored', reason }
}
