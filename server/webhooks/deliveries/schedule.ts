import { and, eq, gt, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../database/database.ts'
import { integerParameter, statement, textParameter } from '../../database/statement.ts'
import { deliveries, endpoints } from '../../database/tables/webhooks.ts'
import type { Endpoint } from '../endpoints/endpoints.ts'

/** `dueAt` of a delivery that an agent is waiting for: before everything else of its endpoint. */
export const AT_ONCE = 0

/** An endpoint that has deliveries due. */
export interface DueEndpoint
  extends Pick<Endpoint, 'id' | 'orgId' | 'connectFailures' | 'isHealthy' | 'lastError'> {
  nextDeliveryAt: number
}

/** Endpoints whose newest attempt succeeded, those it did not reach, and all others. */
export type EndpointGroup = 'healthy' | 'unresponsive' | 'other'

/** Due endpoints, except those of the organizations `without`, the one that has waited longest first. */
export function findDueEndpoints(
  read: Reader,
  group: EndpointGroup,
  { without, ...wanted }: { now: number; limit: number; without: string[] },
): Promise<DueEndpoint[]> {
  return DUE[group](read, { ...wanted, without: without.join() })
}

/** When the next endpoint, healthy or not, becomes due after `now`. */
export function findNextDueAt(
  read: Reader,
  { isHealthy, now }: { isHealthy: boolean; now: number },
): Promise<{ at: number }[]> {
  return isHealthy ? nextHealthy(read, { now }) : nextUnhealthy(read, { now })
}

// These run for every batch, so no parameter is bare (see `integerParameter`). `isHealthy` is a literal, because no cast
// of a boolean works on both engines. The limit is part of the order, because Drizzle would bind it bare.
const isHealthy = sql`${endpoints.isHealthy} = true`
const isUnhealthy = sql`${endpoints.isHealthy} = false`

const DUE = {
  healthy: dueEndpointsWhere('schedule_due_healthy', isHealthy),
  unresponsive: dueEndpointsWhere(
    'schedule_due_unresponsive',
    sql`${isUnhealthy} and ${endpoints.connectFailures} > 0`,
  ),
  other: dueEndpointsWhere('schedule_due_other', sql`${isUnhealthy} and ${endpoints.connectFailures} = 0`),
} satisfies Record<EndpointGroup, unknown>
const nextHealthy = nextDueWhere('schedule_next_healthy', isHealthy)
const nextUnhealthy = nextDueWhere('schedule_next_unhealthy', isUnhealthy)

function dueEndpointsWhere(name: string, condition: SQL) {
  type Wanted = { now: number; limit: number; without: string }
  return statement<Wanted, DueEndpoint[], Reader>(name, (read, p) => {
    const isWanted = sql`${textParameter(p.without)} not like '%' || ${endpoints.orgId} || '%'`
    return read
      .select({
        id: endpoints.id,
        orgId: endpoints.orgId,
        connectFailures: endpoints.connectFailures,
        isHealthy: endpoints.isHealthy,
        lastError: endpoints.lastError,
        nextDeliveryAt: sql<number>`${endpoints.nextDeliveryAt}`.mapWith(Number),
      })
      .from(endpoints)
      .where(and(condition, lte(endpoints.nextDeliveryAt, integerParameter(p.now)), isWanted))
      .orderBy(sql`${endpoints.nextDeliveryAt} limit ${integerParameter(p.limit)}`)
  })
}

function nextDueWhere(name: string, condition: SQL) {
  return statement<{ now: number }, { at: number }[], Reader>(name, (read, p) =>
    read
      .select({ at: sql<number>`${endpoints.nextDeliveryAt}`.mapWith(Number) })
      .from(endpoints)
      .where(and(condition, gt(endpoints.nextDeliveryAt, integerParameter(p.now))))
      .orderBy(sql`${endpoints.nextDeliveryAt} limit 1`),
  )
}

/** When the earliest pending delivery of an endpoint is due. */
export const findEarliestDue = statement<{ endpointId: string }, { dueAt: number }[]>(
  'schedule_earliest_due',
  (tx, p) =>
    tx
      .select({ dueAt: deliveries.dueAt })
      .from(deliveries)
      .where(and(eq(deliveries.endpointId, textParameter(p.endpointId)), sql`state = 'pending'`))
      .orderBy(sql`${deliveries.dueAt} limit 1`),
)

/**
 * Locks every endpoint's row, before `rebuildSchedule`. It must be its own statement: on PostgreSQL, a statement that
 * waits for a row still sees the deliveries as they were when it began, and would miss those it waited for.
 */
export async function clearSchedule(tx: Transaction): Promise<void> {
  await tx.update(endpoints).set({ nextDeliveryAt: null }).where(isNull(endpoints.deletedAt))
}

/**
 * Computes when each endpoint is due from its pending deliveries: at start, and after the clock has jumped. One index
 * lookup for each endpoint. An endpoint that is off is due for a test delivery only.
 */
export async function rebuildSchedule(tx: Transaction): Promise<void> {
  const earliest = sql`(select due_at from deliveries where endpoint_id = ${endpoints.id} and state = 'pending'
    order by due_at limit 1)`
  const test = sql`(select due_at from deliveries where endpoint_id = ${endpoints.id} and state = 'pending'
    and due_at = ${AT_ONCE} and event_number = 0 limit 1)`
  await tx
    .update(endpoints)
    .set({ nextDeliveryAt: earliest })
    .where(and(isNull(endpoints.deletedAt), isNull(endpoints.offAt)))
  await tx
    .update(endpoints)
    .set({ nextDeliveryAt: test })
    .where(and(isNull(endpoints.deletedAt), isNotNull(endpoints.offAt)))
}
