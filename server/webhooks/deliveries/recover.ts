import { sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { statement } from '../../database/statement.ts'
import { deliveries } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { type Claim, claimColumns } from './claim.ts'
import { interruptedResult, recordResult } from './record-result.ts'

/**
 * Records attempts as interrupted that are in flight in the database but not in `current`. At start, a crash cut them
 * off; after a storage error, the outcome of their commit is unknown.
 */
export async function recoverInterrupted(
  deps: Deps,
  tx: Transaction,
  current: { has(deliveryId: string): boolean },
): Promise<void> {
  const interrupted = (await deliveriesInFlight(tx, {})).filter(({ id }) => !current.has(id))
  for (const delivery of interrupted) {
    await recordResult(deps, tx, delivery, interruptedResult(deps.clock.now()))
  }
}

const deliveriesInFlight = statement<Record<string, never>, Claim[]>('deliveries_in_flight', (tx) =>
  tx.select(claimColumns).from(deliveries).where(sql`state = 'in_flight'`),
)
