import { sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { statement } from '../../database/statement.ts'
import { deliveries } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { type Claimed, claimedColumns } from './claim.ts'
import { type AttemptResult, recordResult } from './record-result.ts'

/**
 * Ends the attempts that nobody is carrying out: in flight in the rows, but not in `known`. At a start those are the
 * ones a crash has cut off; after a fault of the storage, those of a commit whose answer was lost.
 */
export async function endInterrupted(
  deps: Deps,
  tx: Transaction,
  known: { has(deliveryId: string): boolean },
): Promise<void> {
  const lost = (await inFlightRows(tx, {})).filter((delivery) => !known.has(delivery.id))
  for (const delivery of lost) await recordResult(deps, tx, delivery, interrupted(deps.clock.now()))
}

function interrupted(endedAt: number): AttemptResult {
  return {
    outcome: 'interrupted',
    status: null,
    endedAt,
    durationMs: null,
    requestHeaders: null,
    responseHeaders: null,
    responseBody: null,
    isBodyCut: false,
  }
}

const inFlightRows = statement<Record<string, never>, Claimed[]>('interrupted_find', (tx) =>
  tx.select(claimedColumns).from(deliveries).where(sql`state = 'in_flight'`),
)
