import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { idempotencyKeys } from '../database/schema.ts'

/** Where the id stands in a stored answer: every answer that is kept begins with `{"id":"…"`. */
const ID_START = '{"id":"'.length + 1
const ID_LENGTH = 30

/** Forgets the stored answers that hold one of these tickets or messages. */
export async function forgetAnswers(tx: Transaction, orgId: string, ids: string[]): Promise<void> {
  const id = sql`substr(${idempotencyKeys.body}, ${ID_START}, ${ID_LENGTH})`
  await tx.delete(idempotencyKeys).where(and(eq(idempotencyKeys.orgId, orgId), inArray(id, ids)))
}
