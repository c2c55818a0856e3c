import { eq, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { command } from '../../database/statement.ts'
import { endpoints } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { type FinishedAttempt, type Health, healthAfter, healthOf } from '../endpoints/endpoint-health.ts'
import { type Endpoint, lockEndpointForTurn } from '../endpoints/queries.ts'
import { type ClaimedWithBody, claimDue, giveBack } from './claim.ts'
import { type AttemptResult, recordResult } from './record-result.ts'
import { AT_ONCE, findHead } from './schedule.ts'
import type { Flight } from './slots.ts'

/** What one endpoint has in a turn of the delivery loop. */
export interface Work {
  endpointId: string
  finished: Flight[]
  /** How many deliveries it may claim. */
  allowance: number
}

export interface WorkDone {
  endpoint: Endpoint
  claimed: ClaimedWithBody[]
  wasSwitchedOff: boolean
}

/** Writes down an endpoint's results, claims what it may send next, and says when it has its next turn. */
export async function takeTurn(deps: Deps, tx: Transaction, work: Work): Promise<WorkDone | null> {
  const [before] = await lockEndpointForTurn(tx, { id: work.endpointId })
  if (!before) return null
  let health: Health = before
  for (const { delivery, result } of work.finished) {
    if (!result) continue
    if (result === 'unsent') {
      await giveBack(tx, delivery)
      continue
    }
    const { isFinal } = await recordResult(deps, tx, delivery, result)
    if (saysSomething(delivery, result)) health = healthAfter(health, attemptOf(result, isFinal))
  }
  const endpoint = { ...before, ...health }
  const now = deps.clock.now()
  const mayClaim = work.allowance > 0 && endpoint.deletedAt === null
  const claimed = mayClaim ? await claimDue(tx, endpoint, now, work.allowance) : []
  await settleEndpoint(tx, {
    id: endpoint.id,
    ...healthOf(endpoint),
    nextTurnAt: await nextTurn(tx, endpoint, now),
  })
  return { endpoint, claimed, wasSwitchedOff: before.offAt === null && endpoint.offAt !== null }
}

/** What is due already waits for another turn, behind the endpoints that became due before now. */
async function nextTurn(tx: Transaction, endpoint: Endpoint, now: number): Promise<number | null> {
  if (endpoint.deletedAt !== null) return null
  const [head] = await findHead(tx, { endpointId: endpoint.id })
  if (!head) return null
  if (endpoint.offAt !== null) return head.dueAt === AT_ONCE ? now : null
  return Math.max(head.dueAt, now)
}

function saysSomething(delivery: ClaimedWithBody, result: AttemptResult): boolean {
  return delivery.kind !== 'test' && result.outcome !== 'interrupted'
}

function attemptOf(result: AttemptResult, isFinal: boolean): FinishedAttempt {
  const error = result.outcome === 'succeeded' ? null : result.outcome
  return { error, status: result.status, endedAt: result.endedAt, isFinal }
}

const settleEndpoint = command<Health & { id: string; nextTurnAt: number | null }>(
  'turn_settle_endpoint',
  (tx, p) =>
    tx
      .update(endpoints)
      .set({
        isSteady: sql`${sql.param(p.isSteady, endpoints.isSteady)}`,
        connectFailures: sql`${p.connectFailures}`,
        failingSince: sql`${p.failingSince}`,
        recentOutcomes: sql`${p.recentOutcomes}`,
        lastSuccessAt: sql`${p.lastSuccessAt}`,
        lastErrorAt: sql`${p.lastErrorAt}`,
        lastError: sql`${p.lastError}`,
        offAt: sql`${p.offAt}`,
        offReason: sql`${p.offReason}`,
        nextTurnAt: sql`${p.nextTurnAt}`,
      })
      .where(eq(endpoints.id, p.id)),
)
