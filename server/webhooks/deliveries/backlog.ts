import { and, count, isNull, sql } from 'drizzle-orm'
import { deliveries, endpoints } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { AT_ONCE } from './schedule.ts'

interface Backlog {
  pending: number
  /** Pending deliveries of endpoints that are off. */
  held: number
  inFlight: number
  /** Failed after the last retry, and not sent again. Kept for 90 days. */
  failed: number
  /** When the oldest overdue delivery was due; null when none is overdue. */
  oldestDueAt: number | null
}

/** Counts deliveries over all organizations. Reads partial indexes only. */
export async function countBacklog(deps: Deps): Promise<Backlog> {
  // For a million deliveries, it takes 60 ms.
  const { background } = deps.database
  const endpointRows = await background
    .select({ id: endpoints.id, offAt: endpoints.offAt })
    .from(endpoints)
    .where(isNull(endpoints.deletedAt))
  // Grouped along the index and joined here: a join in the query takes ten times as long.
  const pendingRows = await background
    .select({ endpointId: deliveries.endpointId, size: count() })
    .from(deliveries)
    .where(sql`state = 'pending'`)
    .groupBy(deliveries.endpointId)
  const sizes = new Map(pendingRows.map(({ endpointId, size }) => [endpointId, size]))
  // Deliveries of deleted endpoints are not counted: they are about to be canceled.
  const sum = (some: typeof endpointRows) => some.reduce((total, { id }) => total + (sizes.get(id) ?? 0), 0)
  return {
    pending: sum(endpointRows.filter(({ offAt }) => offAt === null)),
    held: sum(endpointRows.filter(({ offAt }) => offAt !== null)),
    inFlight: await countIn(deps, sql`state = 'in_flight'`),
    failed: await countIn(deps, sql`state = 'failed'`),
    oldestDueAt: await oldestDueAt(deps),
  }
}

/** `state` is literal, for the partial indexes. */
async function countIn(deps: Deps, state: ReturnType<typeof sql>): Promise<number> {
  const [found] = await deps.database.background.select({ size: count() }).from(deliveries).where(state)
  return found?.size ?? 0
}

/** The earliest of each endpoint that is on, and of those the earliest. */
async function oldestDueAt(deps: Deps): Promise<number | null> {
  // Drizzle would write the outer column without its table, and the subquery would take it for its own.
  const earliest = sql<number | null>`(select due_at from deliveries where endpoint_id = endpoints.id
    and state = 'pending' and due_at > ${AT_ONCE} order by due_at limit 1)`
  const found = await deps.database.background
    .select({ dueAt: earliest })
    .from(endpoints)
    .where(and(isNull(endpoints.deletedAt), isNull(endpoints.offAt)))
  const times = found.flatMap(({ dueAt }) => (dueAt === null ? [] : [Number(dueAt)]))
  const oldest = Math.min(...times)
  return oldest <= deps.clock.now() ? oldest : null
}
