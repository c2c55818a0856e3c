import type { ChatMemberUpdated } from '@grammyjs/types'
import { and, eq } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { telegramChats } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import { recordEvents } from '../../../events/events.ts'
import { changeTicket } from '../../../messages/sends/queries.ts'
import { lockTicket } from '../../../tickets/queries.ts'
import type { Bot } from '../bots/bot-rows.ts'
import { findChat } from './chats.ts'
import { tellGroup } from './notices.ts'
import type { Filed } from './processed.ts'

/** Statuses of a bot that can't write to the chat. */
const OUT = ['left', 'kicked']

/**
 * Records that someone has blocked or unblocked the bot, or that a group has added or removed it. Agents see that
 * nothing can be sent to someone who has blocked the bot.
 */
export async function fileMembership(
  deps: Deps,
  tx: Transaction,
  { bot, member }: { bot: Bot; member: ChatMemberUpdated },
): Promise<Filed> {
  const { chat, new_chat_member: now } = member
  const isOut = OUT.includes(now.status)
  if (chat.type === 'channel') return { outcome: 'ignored', reason: 'It is about a channel.' }
  if (chat.type !== 'private') {
    return isOut
      ? { outcome: 'ignored', reason: 'A group removed the bot.' }
      : tellGroup(deps, tx, { bot, chat })
  }
  return setChatState(deps, tx, bot, { chatId: String(chat.id), state: isOut ? 'blocked' : 'active' })
}

async function setChatState(
  deps: Deps,
  tx: Transaction,
  bot: Bot,
  { chatId, state }: { chatId: string; state: 'active' | 'blocked' },
): Promise<Filed> {
  const { orgId, id: botId } = bot
  const known = await findChat(tx, bot, chatId)
  if (!known) return { outcome: 'ignored', reason: 'No one has written in this chat.' }
  if (known.state === state) return { outcome: 'ignored', reason: 'The chat is already in that state.' }
  const [ticket] = known.ticketId ? await lockTicket(tx, { orgId, id: known.ticketId }) : []
  const now = deps.clock.now()
  await tx
    .update(telegramChats)
    .set({ state, stateAt: now })
    .where(
      and(eq(telegramChats.orgId, orgId), eq(telegramChats.botId, botId), eq(telegramChats.chatId, chatId)),
    )
  if (!ticket) return { outcome: 'done' }
  await changeTicket(tx, { orgId, id: ticket.id, at: now })
  await recordEvents(deps, tx, orgId, [{ type: 'ticket.updated', ticketId: ticket.id, createdAt: now }])
  return { outcome: 'done' }
}
