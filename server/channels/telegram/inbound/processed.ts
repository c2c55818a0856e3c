import { eq, sql } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { bots, telegramUpdates } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'

/** What happened to an update. */
export interface Filed {
  /** `failed`: it could not be read, or not all of it. It is kept and counted. */
  outcome: 'done' | 'ignored' | 'failed'
  /** Why it was ignored or failed, in plain words. */
  reason?: string
}

/**
 * Saves the outcome of updates. The content of processed updates is deleted, because it is in the message now or was
 * empty. That of the others is kept, and the bot's page shows how many there are.
 */
export async function markProcessed(
  deps: Deps,
  tx: Transaction,
  updates: { id: string; botId: string }[],
  { outcome, reason = '' }: Filed,
): Promise<void> {
  const processedAt = deps.clock.now()
  for (const { id } of updates) {
    await tx
      .update(telegramUpdates)
      .set({ state: outcome, reason, processedAt, ...(outcome !== 'failed' && { raw: null }) })
      .where(eq(telegramUpdates.id, id))
  }
  const [first] = updates
  if (outcome !== 'failed' || !first) return
  await tx
    .update(bots)
    .set({ unknownUpdates: sql`${bots.unknownUpdates} + ${updates.length}` })
    .where(eq(bots.id, first.botId))
}
