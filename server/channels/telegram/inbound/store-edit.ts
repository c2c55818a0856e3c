import type { Message } from '@grammyjs/types'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { messages } from '../../../database/tables/messages.ts'
import type { Deps } from '../../../deps.ts'
import { recordTicketChange } from '../../../messages/sends/queries.ts'
import { saveEdit } from '../../../tickets/message-edits.ts'
import { lockTicket } from '../../../tickets/queries.ts'
import type { Bot } from '../bots/bot-rows.ts'
import { findMessage, saveFile } from './chats.ts'
import type { FetchedFile } from './fetch-file.ts'
import { addFetched } from './late-files.ts'
import type { MessageContent } from './message-content.ts'
import type { UpdateOutcome } from './updates.ts'

interface Edit {
  bot: Bot
  message: Message
  content: MessageContent | undefined
  /** The file that replaces the previous one, if there is a new one. */
  fetched: FetchedFile[]
}

/**
 * Stores a customer's edit: the message shows the new text, and keeps the previous one. A new file is added below the
 * old one, which agents may have seen. An edit reopens nothing and isn't a webhook event. Returns undefined if the
 * message isn't known.
 */
export async function storeEdit(
  deps: Deps,
  tx: Transaction,
  { bot, message, content, fetched }: Edit,
): Promise<UpdateOutcome | undefined> {
  const chatId = String(message.chat.id)
  const stored = await findMessage(tx, bot, { chatId, telegramMessageId: message.message_id })
  if (!stored) return undefined
  const { orgId, ticketId, messageId } = stored
  if (ticketId === null || messageId === null) return ignored("The message isn't in a ticket.")
  const [ticket] = await lockTicket(tx, { orgId, id: ticketId })
  const isMessage = matches(messages, { orgId, id: messageId })
  const [before] = ticket ? await tx.select().from(messages).where(isMessage) : []
  if (!before) return ignored("The message isn't in a ticket.")
  // Otherwise there would be a new text every few seconds.
  if (message.location) return ignored('A live location has moved.')
  const { text = '', format = 'plain' } = content ?? {}
  // Telegram also reports what no one can see, such as the preview of a link.
  const isSame = text === before.text && format === before.format
  // The album has one text for all its parts. One without a text is not the one that was edited.
  const isElsewhere = stored.album !== null && text === ''
  if (fetched.length === 0 && isSame) return ignored('The text is the same.')
  if (fetched.length === 0 && isElsewhere) return ignored("The album's text belongs to another item.")
  const now = deps.clock.now()
  if (!isSame && !isElsewhere) await saveEdit(tx, before, { text, format, now })
  if (fetched.length > 0) {
    await addFetched(deps, tx, { bot, fetched }, { orgId, ticketId, messageId })
    await tx.update(messages).set({ editedAt: now }).where(isMessage)
    await saveFile(tx, stored, message)
  }
  await recordTicketChange(deps, tx, { orgId, ticketId, messageId })
  return { outcome: 'done' }
}

function ignored(reason: string): UpdateOutcome {
  return { outcome: 'ignored', reason }
}
