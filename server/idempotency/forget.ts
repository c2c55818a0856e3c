import { and, eq, inArray, or, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { idempotencyKeys } from '../database/tables/idempotency.ts'

/** Where the id stands in a stored answer of `/v1`: every one begins with `{"id":"…"`. */
const ID_START = '{"id":"'.length + 1
const ID_LENGTH = 30

/** Forgets the stored answers that hold one of these tickets or messages, or name one of the places. */
export async function forgetAnswers(
  tx: Transaction,
  orgId: string,
  { ids, locations }: { ids: string[]; locations: string[] },
): Promise<void> {
  const id = sql`substr(${idempotencyKeys.body}, ${ID_START}, ${ID_LENGTH})`
  await tx
    .delete(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.orgId, orgId),
        or(inArray(id, ids), inArray(idempotencyKeys.location, locations)),
      ),
    )
}
