import { eq } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { telegramUpdates } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'

/** What became of an update. */
export interface Filed {
  outcome: 'done' | 'ignored'
  /** Why it was ignored, in plain words. */
  reason?: string
}

/** Keeps what became of updates, without their content: that is with the message now, or says nothing. */
export async function markProcessed(
  deps: Deps,
  tx: Transaction,
  updates: { id: string }[],
  { outcome, reason = '' }: Filed,
): Promise<void> {
  for (const { id } of updates) {
    await tx
      .update(telegramUpdates)
      .set({ state: outcome, reason, raw: null, processedAt: deps.clock.now() })
      .where(eq(telegramUpdates.id, id))
  }
}
