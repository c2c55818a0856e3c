import { and, asc, eq, gt, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { deliveries, endpoints } from '../database/schema.ts'
import { command, statement } from '../database/statement.ts'

/** `dueAt` of a delivery that a person waits for: before everything else of its endpoint. */
export const AT_ONCE = 0

/** An endpoint that has deliveries due. */
export interface Candidate {
  id: string
  connectFailures: number
  isSteady: boolean
  nextTurnAt: number
}

/**
 * Tells the delivery loop that something of this endpoint is due then. Takes the endpoint's row in any case: a loop
 * that is just taking the turn away has to end first.
 */
export const callTurn = command<{ endpointId: string; at: number }>('turns_call', (tx, p) => {
  const isSooner = sql`${endpoints.nextTurnAt} is null or ${endpoints.nextTurnAt} > ${p.at}`
  return tx
    .update(endpoints)
    .set({ nextTurnAt: sql`case when ${isSooner} then ${p.at} else ${endpoints.nextTurnAt} end` })
    .where(eq(endpoints.id, p.endpointId))
})

/** Endpoints of one lane whose turn it is, the one that has waited longest first. */
export const findCandidates = statement<
  { isSteady: boolean; now: number; limit: number },
  Candidate[],
  Reader
>('turns_candidates', (read, p) =>
  read
    .select({
      id: endpoints.id,
      connectFailures: endpoints.connectFailures,
      isSteady: endpoints.isSteady,
      nextTurnAt: sql<number>`${endpoints.nextTurnAt}`.mapWith(Number),
    })
    .from(endpoints)
    .where(and(eq(endpoints.isSteady, p.isSteady), lte(endpoints.nextTurnAt, p.now)))
    .orderBy(asc(endpoints.nextTurnAt))
    .limit(p.limit),
)

/** The first turn of one lane that is still to come. */
export const findNextTurn = statement<{ isSteady: boolean; now: number }, { at: number }[], Reader>(
  'turns_next',
  (read, p) =>
    read
      .select({ at: sql<number>`${endpoints.nextTurnAt}`.mapWith(Number) })
      .from(endpoints)
      .where(and(eq(endpoints.isSteady, p.isSteady), gt(endpoints.nextTurnAt, p.now)))
      .orderBy(asc(endpoints.nextTurnAt))
      .limit(1),
)

/** When the earliest pending delivery of an endpoint is due. */
export const findHead = statement<{ endpointId: string }, { dueAt: number }[]>('turns_head', (tx, p) =>
  tx
    .select({ dueAt: deliveries.dueAt })
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, p.endpointId), sql`state = 'pending'`))
    .orderBy(asc(deliveries.dueAt))
    .limit(1),
)

/**
 * Takes every endpoint's row, before `rebuildTurns`. It must be a statement of its own: on PostgreSQL one that waits
 * for a row still sees the deliveries as they were when it began, and would miss those it waited for.
 */
export async function clearTurns(tx: Transaction): Promise<void> {
  await tx.update(endpoints).set({ nextTurnAt: null }).where(isNull(endpoints.deletedAt))
}

/**
 * Works out every turn from the pending deliveries: at a start, and after the clock has jumped. One look into an
 * index for each endpoint. An endpoint that is off has a turn for a test only.
 */
export async function rebuildTurns(tx: Transaction): Promise<void> {
  const head = sql`(select due_at from deliveries where endpoint_id = ${endpoints.id} and state = 'pending'
    order by due_at limit 1)`
  const test = sql`(select due_at from deliveries where endpoint_id = ${endpoints.id} and state = 'pending'
    and due_at = ${AT_ONCE} and event_number = 0 limit 1)`
  await tx
    .update(endpoints)
    .set({ nextTurnAt: head })
    .where(and(isNull(endpoints.deletedAt), isNull(endpoints.offAt)))
  await tx
    .update(endpoints)
    .set({ nextTurnAt: test })
    .where(and(isNull(endpoints.deletedAt), isNotNull(endpoints.offAt)))
}
