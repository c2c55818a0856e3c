import { and, eq, gt, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../database/database.ts'
import { integerParameter, statement, textParameter } from '../../database/statement.ts'
import { deliveries, endpoints } from '../../database/tables/webhooks.ts'

/** `dueAt` of a delivery that a person waits for: before everything else of its endpoint. */
export const AT_ONCE = 0

/** An endpoint that has deliveries due. */
export interface Candidate {
  id: string
  connectFailures: number
  isSteady: boolean
  nextTurnAt: number
}

/** Endpoints that answer, and all others. */
interface Lane {
  isSteady: boolean
}

/** Endpoints of one lane whose turn it is, the one that has waited longest first. */
export function findCandidates(
  read: Reader,
  { isSteady, ...wanted }: Lane & { now: number; limit: number },
): Promise<Candidate[]> {
  return isSteady ? steadyCandidates(read, wanted) : otherCandidates(read, wanted)
}

/** The first turn of one lane that is still to come. */
export function findNextTurn(
  read: Reader,
  { isSteady, ...from }: Lane & { now: number },
): Promise<{ at: number }[]> {
  return isSteady ? nextSteadyTurn(read, from) : nextOtherTurn(read, from)
}

// These run at every turn, so no parameter is bare (see `integerParameter`). The lane stands in the query, for no cast
// of it would suit both engines; the limit stands in the order, for Drizzle would bind it bare, even a constant.
const isInSteadyLane = sql`${endpoints.isSteady} = true`
const isInOtherLane = sql`${endpoints.isSteady} = false`

const steadyCandidates = candidatesIn('turns_candidates_steady', isInSteadyLane)
const otherCandidates = candidatesIn('turns_candidates_other', isInOtherLane)
const nextSteadyTurn = nextTurnIn('turns_next_steady', isInSteadyLane)
const nextOtherTurn = nextTurnIn('turns_next_other', isInOtherLane)

function candidatesIn(name: string, isInLane: SQL) {
  return statement<{ now: number; limit: number }, Candidate[], Reader>(name, (read, p) =>
    read
      .select({
        id: endpoints.id,
        connectFailures: endpoints.connectFailures,
        isSteady: endpoints.isSteady,
        nextTurnAt: sql<number>`${endpoints.nextTurnAt}`.mapWith(Number),
      })
      .from(endpoints)
      .where(and(isInLane, lte(endpoints.nextTurnAt, integerParameter(p.now))))
      .orderBy(sql`${endpoints.nextTurnAt} limit ${integerParameter(p.limit)}`),
  )
}

function nextTurnIn(name: string, isInLane: SQL) {
  return statement<{ now: number }, { at: number }[], Reader>(name, (read, p) =>
    read
      .select({ at: sql<number>`${endpoints.nextTurnAt}`.mapWith(Number) })
      .from(endpoints)
      .where(and(isInLane, gt(endpoints.nextTurnAt, integerParameter(p.now))))
      .orderBy(sql`${endpoints.nextTurnAt} limit 1`),
  )
}

/** When the earliest pending delivery of an endpoint is due. */
export const findHead = statement<{ endpointId: string }, { dueAt: number }[]>('turns_head', (tx, p) =>
  tx
    .select({ dueAt: deliveries.dueAt })
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, textParameter(p.endpointId)), sql`state = 'pending'`))
    .orderBy(sql`${deliveries.dueAt} limit 1`),
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
