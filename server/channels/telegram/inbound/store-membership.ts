import type { ChatMemberUpdated } from '@grammyjs/types'
import type { Transaction } from '../../../database/database.ts'
import type { Deps } from '../../../deps.ts'
import { lockTicket } from '../../../tickets/queries.ts'
import type { Bot } from '../bots/bot-rows.ts'
import { findChat, recordTicketChange, saveChatState } from './chats.ts'
import { tellGroup } from './notices.ts'
import type { UpdateOutcome } from './updates.ts'

/** Statuses of a bot that can't write to the chat. */
const OUT = ['left', 'kicked']

/**
 * Records that someone has blocked or unblocked the bot, or that a group has added or removed it. Agents see that
 * nothing can be sent to someone who has blocked the bot.
 */
export async function storeMembership(
  deps: Deps,
  tx: Transaction,
  { bot, member }: { bot: Bot; member: ChatMemberUpdated },
): Promise<UpdateOutcome> {
  const { chat, new_chat_member: now } = member
  const isOut = OUT.includes(now.status)
  if (chat.type === 'channel') return { outcome: 'ignored', reason: 'It is about a channel.' }
  if (chat.type !== 'private') {
    return isOut
      ? { outcome: 'ignored', reason: 'A group removed the bot.' }
      : tellGroup(deps, tx, { bot, chat })
  }
  return changeState(deps, tx, bot, { chatId: String(chat.id), state: isOut ? 'blocked' : 'active' })
}

async function changeState(
  deps: Deps,
  tx: Transaction,
  bot: Bot,
  change: { chatId: string; state: 'active' | 'blocked' },
): Promise<UpdateOutcome> {
  const { orgId } = bot
  const before = await findChat(tx, bot, change.chatId)
  if (!before) return { outcome: 'ignored', reason: 'No one has written in this chat.' }
  if (before.state === change.state)
    return { outcome: 'ignored', reason: 'The chat is already in that state.' }
  const [ticket] = before.ticketId ? await lockTicket(tx, { orgId, id: before.ticketId }) : []
  await saveChatState(deps, tx, bot, change)
  if (ticket) await recordTicketChange(deps, tx, { orgId, ticketId: ticket.id })
  return { outcome: 'done' }
}
