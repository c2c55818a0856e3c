import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { events } from '../../database/tables/events.ts'
import { messages } from '../../database/tables/messages.ts'
import { organizations } from '../../database/tables/organizations.ts'
import { attempts, deliveries, endpoints, resendJobs } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { firstIdAt } from '../../ids.ts'
import { startPruning } from '../../jobs/pruning.ts'
import type { Loop } from '../../loop.ts'
import { CANCEL_SLICE, cancelPending, endpointAccounts } from '../endpoints/endpoints.ts'

const DAY_MS = 86_400_000
/** For headers, bodies and details of attempts. */
const DETAILS_MS = 30 * DAY_MS
/** For deliveries, attempts and events. */
const SUMMARIES_MS = 90 * DAY_MS
const RUN_EVERY_MS = 3_600_000
const SLICE = 500

/** Cleans up one slice after a cursor. Returns the next cursor, or null when there is no more. */
type Step = (deps: Deps, cursor: string) => Promise<string | null>

const STEPS: Step[] = [cancelLeftovers, stripAttempts, removeDeliveries, removeEvents, removeJobs]

/** Deletes old data every hour, a slice at a time. Keeps pending and held deliveries of any age. */
export function startRetention(deps: Deps): Loop {
  let step = 0
  let cursor = ''

  async function slice(): Promise<boolean> {
    const next = await STEPS[step]?.(deps, cursor)
    cursor = next ?? ''
    if (typeof next !== 'string') step = (step + 1) % STEPS.length
    return step !== 0 || cursor !== ''
  }

  return startPruning(deps, 'retention', { everyMs: RUN_EVERY_MS, slice })
}

/** Deleting an endpoint cancels its first `CANCEL_SLICE` deliveries. This cancels the rest. */
async function cancelLeftovers(deps: Deps): Promise<string | null> {
  const hasPending = sql`exists (select 1 from deliveries where endpoint_id = ${endpoints.id} and state = 'pending')`
  const [endpoint] = await deps.database.read
    .select({ id: endpoints.id })
    .from(endpoints)
    .where(and(isNotNull(endpoints.deletedAt), hasPending))
    .limit(1)
  if (!endpoint) return null
  const now = deps.clock.now()
  await deps.database.write(undefined, (tx) =>
    cancelPending(tx, { endpointId: endpoint.id, now, limit: CANCEL_SLICE }),
  )
  return 'more'
}

async function stripAttempts(deps: Deps, cursor: string): Promise<string | null> {
  const before = deps.clock.now() - DETAILS_MS
  const slice = await deps.database.read
    .select({
      id: attempts.deliveryId,
      startedAt: attempts.startedAt,
      isFull: isNotNull(attempts.requestHeaders),
    })
    .from(attempts)
    .where(and(gt(attempts.deliveryId, cursor), lt(attempts.deliveryId, firstIdAt('dlv', before))))
    .orderBy(asc(attempts.deliveryId))
    .limit(SLICE)
  const last = slice.at(-1)
  if (!last) return null
  if (slice.some((attempt) => attempt.isFull && attempt.startedAt < before)) {
    const isInSlice = and(gt(attempts.deliveryId, cursor), lte(attempts.deliveryId, last.id))
    const nothing = { requestHeaders: null, responseHeaders: null, responseBody: null, detail: null }
    await deps.database.write(undefined, async (tx) => {
      await tx
        .update(attempts)
        .set(nothing)
        .where(and(isInSlice, isNotNull(attempts.requestHeaders), lt(attempts.startedAt, before)))
    })
  }
  return last.id
}

async function removeDeliveries(deps: Deps, cursor: string): Promise<string | null> {
  const before = deps.clock.now() - SUMMARIES_MS
  const slice = await deps.database.read
    .select({ id: deliveries.id, finishedAt: deliveries.finishedAt })
    .from(deliveries)
    .where(and(gt(deliveries.id, cursor), lt(deliveries.id, firstIdAt('dlv', before))))
    .orderBy(asc(deliveries.id))
    .limit(SLICE)
  const last = slice.at(-1)
  if (!last) return null
  const old = slice.filter(({ finishedAt }) => finishedAt !== null && finishedAt < before).map(({ id }) => id)
  if (old.length > 0) await deleteDeliveries(deps, old, before)
  return last.id
}

/**
 * An agent may be resending one of them at the same time, so this starts with an update that checks them again. It
 * waits for the other unit, sees its change, and locks the row until it is deleted.
 */
async function deleteDeliveries(deps: Deps, ids: string[], before: number): Promise<void> {
  await deps.database.write(undefined, async (tx) => {
    const isOver = sql`state in ('succeeded', 'failed', 'cancelled')`
    const rows = await tx
      .update(deliveries)
      .set({ finishedAt: sql`${deliveries.finishedAt}` })
      .where(and(inArray(deliveries.id, ids), isOver, lt(deliveries.finishedAt, before)))
      .returning({ id: deliveries.id })
    const old = rows.map(({ id }) => id)
    if (old.length === 0) return
    await tx.delete(attempts).where(inArray(attempts.deliveryId, old))
    await tx.delete(deliveries).where(inArray(deliveries.id, old))
  })
}

/**
 * The cursor is an organization. An event is kept while it or an older event has a delivery. A replay makes deliveries of
 * events that are older than those of earlier deliveries, so each event is looked up too.
 */
async function removeEvents(deps: Deps, cursor: string): Promise<string | null> {
  const { read } = deps.database
  const [organization] = await read
    .select({ id: organizations.id, lastEvent: organizations.lastEvent })
    .from(organizations)
    .where(gte(organizations.id, cursor))
    .orderBy(asc(organizations.id))
    .limit(1)
  if (!organization) return null
  const orgId = organization.id
  const [oldest] = await read
    .select({ number: deliveries.eventNumber })
    .from(deliveries)
    .where(and(eq(deliveries.orgId, orgId), gt(deliveries.eventNumber, 0)))
    .orderBy(asc(deliveries.id))
    .limit(1)
  const kept = oldest?.number ?? organization.lastEvent + 1
  const isDelivered = sql`exists (select 1 from deliveries
    where org_id = ${events.orgId} and event_number = ${events.number})`
  const isRemovable = and(
    eq(events.orgId, orgId),
    lt(events.number, kept),
    sql`not ${isDelivered}`,
    lt(events.createdAt, deps.clock.now() - SUMMARIES_MS),
  )
  const some = await read
    .select({ number: events.number })
    .from(events)
    .where(isRemovable)
    .orderBy(asc(events.number))
    .limit(SLICE)
  const last = some.at(-1)
  if (!last) return `${orgId} `
  await deps.database.write(undefined, async (tx) => {
    await tx.delete(events).where(and(isRemovable, lte(events.number, last.number)))
  })
  return orgId
}

async function removeJobs(deps: Deps): Promise<string | null> {
  await deps.database.write(undefined, async (tx) => {
    await tx.delete(resendJobs).where(lt(resendJobs.finishedAt, deps.clock.now() - SUMMARIES_MS))
  })
  return null
}

/**
 * Erases the webhook data of tickets that are permanently deleted, and of events of other tickets (`moved`): bodies and
 * responses. Deliveries that have not
 * succeeded are canceled, and attempts in progress leave no result. The log keeps the time, target, and type of each
 * delivery. Locks endpoints. Call `saveDeferred` before: deliveries of this commit are among them.
 */
export async function eraseDeliveries(
  tx: Transaction,
  { orgId, ticketIds, moved, now }: { orgId: string; ticketIds: string[]; moved: number[]; now: number },
): Promise<void> {
  const withBody = (isOne: SQL) =>
    tx
      .select({ number: events.number })
      .from(events)
      // Literally, for the partial index.
      .where(and(eq(events.orgId, orgId), sql`body is not null`, isOne))
  const erased = withBody(inArray(events.ticketId, ticketIds)).union(withBody(inArray(events.number, moved)))
  const ofTickets = and(eq(deliveries.orgId, orgId), inArray(deliveries.eventNumber, erased))
  const affected = await tx.selectDistinct({ id: deliveries.endpointId }).from(deliveries).where(ofTickets)
  for (const id of affected.map((endpoint) => endpoint.id).sort()) await endpointAccounts.lock(tx, orgId, id)
  await tx
    .update(deliveries)
    .set({ state: 'cancelled', finishedAt: sql`coalesce(${deliveries.finishedAt}, ${now})` })
    .where(and(ofTickets, inArray(deliveries.state, ['pending', 'in_flight', 'failed'])))
  const isOfTickets = inArray(
    attempts.deliveryId,
    tx.select({ id: deliveries.id }).from(deliveries).where(ofTickets),
  )
  // An attempt that has an outcome accepts no result.
  await tx
    .update(attempts)
    .set({ outcome: 'interrupted' })
    .where(and(isOfTickets, isNull(attempts.outcome)))
  const nothing = { requestHeaders: null, responseHeaders: null, responseBody: null, detail: null }
  await tx.update(attempts).set(nothing).where(isOfTickets)
  // Last: an event's body tells that there may be deliveries.
  await tx
    .update(events)
    .set({ body: null })
    .where(and(eq(events.orgId, orgId), inArray(events.number, erased)))
}

/** Numbers of the events with bodies that are about customers, and not about a ticket. */
export async function eventsOfCustomers(
  tx: Transaction,
  { orgId, customerIds }: { orgId: string; customerIds: string[] },
): Promise<number[]> {
  const found = await tx
    .select({ number: events.number })
    .from(events)
    // Literally, for the partial index.
    .where(
      and(
        matches(events, { orgId, ticketId: '' }),
        sql`body is not null`,
        inArray(events.customerId, customerIds),
      ),
    )
  return found.map(({ number }) => number)
}

/** Numbers of the events that other tickets have of messages that are in these now: they were moved. */
export async function eventsOfMessages(
  tx: Transaction,
  { orgId, ticketIds, former }: { orgId: string; ticketIds: string[]; former: string[] },
): Promise<number[]> {
  const moved = tx
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.orgId, orgId), inArray(messages.ticketId, ticketIds)))
  const found = await tx
    .select({ number: events.number })
    .from(events)
    .where(
      and(
        eq(events.orgId, orgId),
        inArray(events.ticketId, former),
        // Literally, for the partial index.
        sql`body is not null`,
        inArray(events.messageId, moved),
      ),
    )
  return found.map(({ number }) => number)
}
