import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { type FrozenTelegram, telegramMessages } from '../../../database/tables/bots.ts'
import { sends } from '../../../database/tables/sends.ts'
import type { Deps } from '../../../deps.ts'
import { findSends } from '../../../messages/sends/queries.ts'
import { lockTicket } from '../../../tickets/queries.ts'
import { saveChatState } from '../inbound/chats.ts'
import { isByTelegram, type TelegramSend } from './plan-telegram.ts'
import { deletionOf, sentParts } from './sent-parts.ts'

/**
 * Records that Telegram has a part of a send, with its ids there, or that one of its messages was deleted. Locks the ticket
 * first. Returns the content as it is then.
 */
export async function recordPart(
  deps: Deps,
  send: TelegramSend,
  ids: number[] | undefined,
): Promise<FrozenTelegram> {
  const { content, ticketId, orgId } = send
  if (!ids) return content
  const after = { ...content, done: [...content.done, ids], unanswered: 0 }
  await deps.database.write(orgId, async (tx) => {
    const [ticket] = ticketId === '' ? [] : await lockTicket(tx, { orgId, id: ticketId })
    // Its ticket was deleted meanwhile.
    if (ticketId !== '' && !ticket) return
    await saveContent(tx, send, after)
    if (content.action === 'send') await insertIds(deps, tx, send, ids)
  })
  return after
}

/** Adds the ids to the deletion of a message that was still being sent when it was taken back. */
export async function recordTargets(deps: Deps, deletion: TelegramSend): Promise<FrozenTelegram> {
  const { orgId, messageId, content } = deletion
  if (content.removed || messageId === null) return content
  return deps.database.write(orgId, async (tx) => {
    const [sent] = (await findSends(tx, { orgId, messageId })).filter(({ id }) => id !== deletion.id)
    const after = { ...content, removed: [], ...(sent && isByTelegram(sent) && deletionOf(sentParts(sent))) }
    await saveContent(tx, deletion, after)
    return after
  })
}

/** Records that the next part may have arrived. */
export async function recordUnanswered(deps: Deps, send: TelegramSend): Promise<void> {
  const { content } = send
  await deps.database.write(send.orgId, (tx) =>
    saveContent(tx, send, { ...content, unanswered: content.unanswered + 1 }),
  )
}

async function saveContent(
  tx: Transaction,
  { orgId, id }: TelegramSend,
  content: FrozenTelegram,
): Promise<void> {
  await tx.update(sends).set({ content }).where(matches(sends, { orgId, id }))
}

/** The ids lead a customer's reply to the message it answers. */
async function insertIds(
  deps: Deps,
  tx: Transaction,
  { orgId, laneId, messageId, ticketId, content }: TelegramSend,
  ids: number[],
): Promise<void> {
  const { chatId } = content
  const rows = ids.map((telegramMessageId) => ({
    orgId,
    botId: laneId,
    chatId,
    telegramMessageId,
    direction: 'out' as const,
    ticketId: ticketId || null,
    messageId,
    album: null,
    createdAt: deps.clock.now(),
  }))
  await tx.insert(telegramMessages).values(rows).onConflictDoNothing()
  // A chat that accepts messages is no longer blocked, even if the update that says so was missed.
  await saveChatState(deps, tx, { orgId, id: laneId }, { chatId, state: 'active' })
}
