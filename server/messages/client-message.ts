import { eq } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { messages } from '../database/tables/messages.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import { requireFreshId } from '../requests/client-id.ts'
import { findMessage, type StoredMessage } from './queries.ts'

/** A message that is sent immediately, under an id that the page generated. */
interface ClientMessage {
  id: string
  /** SHA-256 of the request. */
  requestHash: string
}

/**
 * The message that the same request stored before, or undefined for a new one. Throws 400 for an invalid id, and 409 if it
 * belongs to another message.
 */
export async function findRepeated(
  tx: Transaction,
  orgId: string,
  { id, requestHash, now }: ClientMessage & { now: number },
): Promise<StoredMessage | undefined> {
  const known = isId('msg', id) ? await findMessage(tx, { orgId, id }) : undefined
  if (known) {
    if (known.requestHash !== requestHash) throw idTaken()
    return known
  }
  requireFreshId('msg', id, { now, parameter: 'messageId' })
  // In any organization: an id is used only once.
  const [stored] = await tx.select({ id: messages.id }).from(messages).where(eq(messages.id, id))
  const [scheduled] = await tx
    .select({ id: scheduledMessages.id })
    .from(scheduledMessages)
    .where(eq(scheduledMessages.id, id))
  if (stored || scheduled) throw idTaken()
  return undefined
}

/** Contains only what the client sent: the same request always has the same hash. */
export function hashOfRequest(request: unknown): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(request)).digest('hex')
}

export function idTaken(): AppError {
  const detail = 'This id belongs to another message. Make a new id for each message.'
  return new AppError(409, 'message_id_taken', detail)
}
