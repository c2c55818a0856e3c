import { and, eq, inArray, or, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { idempotencyKeys } from '../database/tables/idempotency.ts'
import { messages } from '../database/tables/messages.ts'

/** Where the id stands in a stored answer of `/v1`: every one begins with `{"id":"…"`. */
const ID_START = '{"id":"'.length + 1
const ID_LENGTH = 30

/**
 * Forgets the stored answers that hold one of these tickets or a message of one, or name one of the places. The messages
 * must still be there: a ticket may have more of them than a query takes as parameters.
 */
export async function forgetAnswers(
  tx: Transaction,
  orgId: string,
  { ticketIds, locations }: { ticketIds: string[]; locations: string[] },
): Promise<void> {
  const id = sql`substr(${idempotencyKeys.body}, ${ID_START}, ${ID_LENGTH})`
  const messageIds = tx
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.orgId, orgId), inArray(messages.ticketId, ticketIds)))
  await tx
    .delete(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.orgId, orgId),
        or(inArray(id, ticketIds), inArray(id, messageIds), inArray(idempotencyKeys.location, locations)),
      ),
    )
}
