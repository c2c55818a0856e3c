import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { engine } from '../../database/columns.ts'
import type { Reader, Transaction } from '../../database/database.ts'
import { integer, statement, text } from '../../database/statement.ts'
import { deliveries, endpoints } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { type ClockJump, shiftOfDueTimes } from '../../jobs/clock-jump.ts'
import { isHeld } from '../../jobs/held.ts'

/** `dueAt` of a delivery that an agent is waiting for: before everything else of its endpoint. */
export const AT_ONCE = 0
/** `Retry-After` may double a delay, and there is up to 2 s of jitter. */
const MAX_DELAY_FACTOR = 2
const MAX_JITTER_MS = 2_000

// These run for every batch, so no parameter is bare (see statement.ts). `isHealthy` is a literal, because no cast
// of a boolean works on both engines. The limits are part of the order, because Drizzle would bind them bare.
const isHealthy = sql`${endpoints.isHealthy} = true`
const isUnhealthy = sql`${endpoints.isHealthy} = false`

/**
 * Due endpoints, the one that has waited longest first: at most `limit` whose newest attempt succeeded, of those it did
 * not reach, and of all others. `without`: ids of organizations, or of those whose unresponsive endpoints are left out.
 */
export const findDueEndpoints = statement(
  'schedule_due',
  { now: integer, limit: integer, held: text, without: text, withoutUnresponsive: text },
  (read: Reader, p) => {
    const due = (condition: SQL, without: SQL) => sql`select * from (
    select id, org_id, connect_failures, last_error, is_healthy, next_delivery_at from ${endpoints}
    where ${condition} and ${endpoints.nextDeliveryAt} <= ${p.now}
      and ${without} not like '%' || ${endpoints.orgId} || '%' and ${isHeld(endpoints.id, p.held)}
    order by ${endpoints.nextDeliveryAt} limit ${p.limit}) waiting`
    const groups = sql.join(
      [
        due(isHealthy, p.without),
        due(sql`${isUnhealthy} and ${endpoints.connectFailures} = 0`, p.without),
        due(sql`${isUnhealthy} and ${endpoints.connectFailures} > 0`, p.withoutUnresponsive),
      ],
      sql` union all `,
    )
    return read
      .select({
        id: sql<string>`id`,
        orgId: sql<string>`org_id`,
        connectFailures: sql<number>`connect_failures`.mapWith(Number),
        lastError: sql<string | null>`last_error`,
        isHealthy: sql<boolean>`is_healthy`.mapWith(Boolean),
      })
      .from(sql`(${groups}) due`)
      .orderBy(sql`next_delivery_at`)
  },
)

/** When the next endpoint, healthy or not, becomes due after `now`. */
export const findNextDueAt = statement('schedule_next', { now: integer, held: text }, (read: Reader, p) => {
  const next = (condition: SQL) => sql<number | null>`(select ${endpoints.nextDeliveryAt} from ${endpoints}
    where ${condition} and ${endpoints.nextDeliveryAt} > ${p.now} and ${isHeld(endpoints.id, p.held)}
    order by ${endpoints.nextDeliveryAt} limit 1)`
  return read
    .select({ healthy: next(isHealthy).mapWith(Number), unhealthy: next(isUnhealthy).mapWith(Number) })
    .from(sql`(select 1) one`)
})

/** When the earliest pending delivery of an endpoint is due. */
export const findEarliestDue = statement('schedule_earliest_due', { endpointId: text }, (tx, p) =>
  tx
    .select({ dueAt: deliveries.dueAt })
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, p.endpointId), sql`state = 'pending'`))
    .orderBy(sql`${deliveries.dueAt} limit 1`),
)

/** Endpoints with deliveries in flight, or due times that only a wrong clock can have written. At start. */
export async function findDisturbed(deps: Deps, read: Reader, held: string): Promise<string[]> {
  const now = deps.clock.now()
  const pending = sql`select 1 from deliveries where endpoint_id = ${endpoints.id} and state = 'pending'`
  const isDisturbed = sql`exists (select 1 from deliveries where endpoint_id = ${endpoints.id} and state = 'in_flight')
    or exists (${pending} and due_at > ${now} and attempt = 0)
    or exists (${pending} and due_at > ${now + maxDelayMs(deps)})`
  const found = await read
    .select({ id: endpoints.id })
    .from(endpoints)
    .where(sql`${isHeld(endpoints.id, sql`${held}`)} and (${isDisturbed})`)
  return found.map(({ id }) => id)
}

/** A due time later than any delay allows was written by a wrong clock: a first attempt is due now, a retry soon. */
export async function clampDueTimes(
  deps: Deps,
  tx: Transaction,
  { endpointId, now }: { endpointId: string; now: number },
): Promise<void> {
  const latest = now + maxDelayMs(deps)
  const isTheirs = and(eq(deliveries.endpointId, endpointId), sql`state = 'pending'`)
  await tx
    .update(deliveries)
    .set({ dueAt: now })
    .where(and(isTheirs, sql`attempt = 0 and due_at > ${now}`))
  await tx
    .update(deliveries)
    .set({ dueAt: latest })
    .where(and(isTheirs, sql`due_at > ${latest}`))
}

function maxDelayMs({ config }: Deps): number {
  return Math.max(0, ...config.webhookRetriesMs) * MAX_DELAY_FACTOR + MAX_JITTER_MS
}

/**
 * Shifts due times with the clock, of endpoints whose ids end with one of `held`. Endpoints are switched off after days
 * of failures: the time that the clock skipped is not one of them. On PostgreSQL, a statement that waits for a row still sees
 * the deliveries as they were when it began, and would miss those it waited for, so one locks the endpoints before, in the
 * order of other units.
 */
export async function shiftSchedule(
  tx: Transaction,
  jump: ClockJump,
  { now, held }: { now: number; held: string },
): Promise<void> {
  const isThere = and(isNull(endpoints.deletedAt), isHeld(endpoints.id, sql`${held}`))
  if (engine === 'postgresql') {
    await tx
      .select({ id: endpoints.id })
      .from(endpoints)
      .where(isThere)
      .orderBy(asc(endpoints.id))
      .for('update')
  }
  const { dueAt, where } = shiftOfDueTimes(jump, { now, isRetry: sql`attempt > 0` })
  // By endpoint, so that the index of pending deliveries is used: it finds only the rows that move.
  const ids = sql`(select ${endpoints.id} from ${endpoints} where ${isThere})`
  await tx
    .update(deliveries)
    .set({ dueAt })
    .where(and(sql`endpoint_id in ${ids}`, sql`state = 'pending'`, where))
  if (jump.by > 0) {
    await tx
      .update(endpoints)
      .set({ failingSince: sql`failing_since + ${jump.by}` })
      .where(and(isThere, sql`failing_since <= ${jump.checkedAt}`))
  }
  // An endpoint that is off is due for a test delivery only.
  const earliest = sql`(select due_at from deliveries where endpoint_id = ${endpoints.id} and state = 'pending'
    and (${endpoints.offAt} is null or (due_at = ${AT_ONCE} and event_number = 0)) order by due_at limit 1)`
  await tx.update(endpoints).set({ nextDeliveryAt: earliest }).where(isThere)
}
