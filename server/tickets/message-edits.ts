import { and, asc, count, eq, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { type MessageFormat, messageEdits, messages } from '../database/tables/messages.ts'
import type { Message } from './queries.ts'

type OfMessage = { orgId: string; messageId: string }

/**
 * Gives a message another text, and keeps the previous one. Call it with the ticket locked; the caller records that it
 * changed.
 */
export async function saveEdit(
  tx: Transaction,
  { id: messageId, orgId, ticketId, text: textBefore, format: formatBefore }: Message,
  { text, format, now }: { text: string; format: MessageFormat; now: number },
): Promise<void> {
  const [known] = await tx.select({ edits: count() }).from(messageEdits).where(isOf({ orgId, messageId }))
  await tx.insert(messageEdits).values({
    messageId,
    version: (known?.edits ?? 0) + 1,
    orgId,
    ticketId,
    text: textBefore,
    format: formatBefore,
    editedAt: now,
  })
  await tx
    .update(messages)
    .set({ text, format, editedAt: now })
    .where(matches(messages, { orgId, id: messageId }))
}

/** How often each of these messages was edited. */
export async function countEdits(
  read: Reader,
  { orgId, messageIds }: { orgId: string; messageIds: string[] },
): Promise<Map<string, number>> {
  const found = await read
    .select({ messageId: messageEdits.messageId, edits: count() })
    .from(messageEdits)
    .where(and(eq(messageEdits.orgId, orgId), inArray(messageEdits.messageId, messageIds)))
    .groupBy(messageEdits.messageId)
  return new Map(found.map(({ messageId, edits }) => [messageId, edits]))
}

/** The texts before each edit, oldest first. */
export function readEdits(read: Reader, { orgId, messageId }: OfMessage) {
  return read
    .select({ text: messageEdits.text, format: messageEdits.format, editedAt: messageEdits.editedAt })
    .from(messageEdits)
    .where(isOf({ orgId, messageId }))
    .orderBy(asc(messageEdits.version))
}

function isOf({ orgId, messageId }: OfMessage) {
  return matches(messageEdits, { orgId, messageId })
}
