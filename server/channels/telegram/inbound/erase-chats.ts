import { and, eq, inArray } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import {
  telegramChats,
  telegramConversations,
  telegramFiles,
  telegramMessages,
  telegramUpdates,
} from '../../../database/tables/bots.ts'
import { sends } from '../../../database/tables/sends.ts'
import type { Erasure } from '../../channel.ts'

export const telegramErasure: Erasure = { tickets: eraseTickets, customer: eraseChats }

/**
 * Detaches Telegram data from tickets that are being erased, whose rows are locked. The messages remain as tombstones, so
 * that the same message delivered again opens no ticket.
 */
async function eraseTickets(
  tx: Transaction,
  { orgId, ticketIds }: { orgId: string; ticketIds: string[] },
): Promise<void> {
  await tx
    .update(telegramMessages)
    .set({ ticketId: null, messageId: null })
    .where(and(eq(telegramMessages.orgId, orgId), inArray(telegramMessages.ticketId, ticketIds)))
  await tx
    .update(telegramChats)
    .set({ ticketId: null })
    .where(and(eq(telegramChats.orgId, orgId), inArray(telegramChats.ticketId, ticketIds)))
  for (const table of [telegramConversations, telegramFiles]) {
    await tx.delete(table).where(and(eq(table.orgId, orgId), inArray(table.ticketId, ticketIds)))
  }
}

/**
 * Deletes the chats of a customer, with everything that Telegram delivered from them, and unsent greetings and notices.
 */
async function eraseChats(
  tx: Transaction,
  { orgId, customerId }: { orgId: string; customerId: string },
): Promise<void> {
  const chats = await tx
    .delete(telegramChats)
    .where(matches(telegramChats, { orgId, customerId }))
    .returning({ botId: telegramChats.botId, chatId: telegramChats.chatId })
  for (const { botId, chatId } of chats) {
    for (const table of [telegramMessages, telegramUpdates]) {
      await tx.delete(table).where(matches(table, { orgId, botId, chatId }))
    }
    // Greetings and notices belong to no ticket.
    await tx.delete(sends).where(matches(sends, { orgId, conversation: `${botId}:${chatId}` }))
  }
}
