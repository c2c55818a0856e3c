import { and, asc, eq } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { events, type WebhookEvent } from '../database/tables/events.ts'
import { attempts, deliveries, endpoints } from '../database/tables/webhooks.ts'
import type { Actor, Deps } from '../deps.ts'
import type { DeliveryError } from '../webhooks/deliveries/delivery-errors.ts'
import { createHeaders } from '../webhooks/deliveries/send-delivery.ts'
import { healthAfter } from '../webhooks/endpoints/endpoint-health.ts'
import { createEndpoint, type Endpoint } from '../webhooks/endpoints/endpoints.ts'
import { depsAt } from './organization.ts'
import type { Random } from './plan.ts'
import { CRM_ERROR } from './receiver.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The wait before each attempt of a delivery, after the end of the previous one. */
const SCHEDULE_MS = [300, 30_000, 300_000, 1_800_000]
const ROWS_PER_INSERT = 200

interface PlannedAttempt {
  delivery: typeof deliveries.$inferSelect
  number: number
  startedAt: number
  error: DeliveryError | null
  status: number | null
  durationMs: number
}

/** Adds the two endpoints, before there is anything to deliver. */
export async function addEndpoints(
  deps: Deps,
  orgId: string,
  { url, start, actor }: { url: string; start: number; actor: Actor },
): Promise<{ healthy: Endpoint; failing: Endpoint }> {
  const both: WebhookEvent[] = ['ticket.created', 'message.sent']
  const orders = {
    url: `${url}/orders`,
    events: both,
    description: 'Shop system: shows tickets next to their order',
  }
  const crm = {
    url: `${url}/crm`,
    events: ['ticket.created'],
    description: 'CRM: adds a contact for each ticket',
  }
  return {
    healthy: (await createEndpoint(depsAt(deps, start + DAY_MS, actor), orgId, orders)).endpoint,
    failing: (await createEndpoint(depsAt(deps, start + DAY_MS + HOUR_MS, actor), orgId, crm)).endpoint,
  }
}

/**
 * Adds the attempts that the endpoint's queued deliveries would have had. From `brokenSince` on they all fail, until the
 * endpoint is turned off.
 */
export async function seedDeliveries(
  deps: Deps,
  { orgId, id, createdAt }: Endpoint,
  { random, brokenSince }: { random: Random; brokenSince: number },
): Promise<void> {
  const now = deps.clock.now()
  await deps.database.write(async (tx) => {
    const isThisEndpoint = and(eq(endpoints.orgId, orgId), eq(endpoints.id, id))
    const [endpoint] = await tx.select().from(endpoints).where(isThisEndpoint)
    if (!endpoint) throw new Error(`Endpoint ${id} is missing.`)
    const queued = await tx
      .select()
      .from(deliveries)
      .where(and(eq(deliveries.orgId, orgId), eq(deliveries.endpointId, id)))
      .orderBy(asc(deliveries.id))
    const planned = queued
      .flatMap((delivery) => attemptsOf(random, delivery, brokenSince))
      .filter(({ startedAt }) => startedAt < now)
      .sort((one, other) => one.startedAt - other.startedAt)
    let updated = endpoint
    const done: PlannedAttempt[] = []
    for (const attempt of planned) {
      if (updated.offAt !== null) break
      done.push(attempt)
      const endedAt = attempt.startedAt + attempt.durationMs
      updated = healthAfter(updated, { ...attempt, endedAt, isFinal: attempt.number === SCHEDULE_MS.length })
    }
    await insertAttempts(deps, tx, { endpoint, done })
    await updateDeliveries(tx, orgId, done)
    const nextDeliveryAt = updated.offAt === null ? now : null
    await tx
      .update(endpoints)
      .set({ ...updated, nextDeliveryAt, updatedAt: updated.offAt ?? createdAt })
      .where(isThisEndpoint)
  })
}

function attemptsOf(
  random: Random,
  delivery: PlannedAttempt['delivery'],
  brokenSince: number,
): PlannedAttempt[] {
  const planned: PlannedAttempt[] = []
  const isUnlucky = random.chance(0.04)
  const isLost = random.chance(0.004)
  let startedAt = delivery.createdAt
  for (const [place, wait] of SCHEDULE_MS.entries()) {
    startedAt += wait
    const isBroken = startedAt >= brokenSince
    const fails = isBroken || isLost || (isUnlucky && place === 0)
    const error = !fails ? null : random.chance(0.7) ? ('http_5xx' as const) : ('timeout' as const)
    const durationMs = error === 'timeout' ? 10_000 : random.between(28, 240)
    const status = error === null ? 200 : error === 'http_5xx' ? 503 : null
    planned.push({ delivery, number: place + 1, startedAt, error, status, durationMs })
    if (error === null) break
    startedAt += durationMs
  }
  return planned
}

async function insertAttempts(
  deps: Deps,
  tx: Transaction,
  { endpoint, done }: { endpoint: Endpoint; done: PlannedAttempt[] },
): Promise<void> {
  let sentAt = 0
  const headersOf = createHeaders({ ...deps, clock: { ...deps.clock, now: () => sentAt } })
  const bodies = await bodiesOf(tx, endpoint.orgId)
  const rows = done.map(({ delivery, number, startedAt, error, status, durationMs }) => {
    const body = bodies.get(delivery.eventNumber) ?? new Uint8Array()
    sentAt = startedAt
    const claimed = { ...delivery, attempt: number, kind: 'scheduled' as const, body }
    return {
      deliveryId: delivery.id,
      number,
      orgId: endpoint.orgId,
      kind: claimed.kind,
      url: endpoint.url,
      startedAt,
      durationMs,
      outcome: error ?? 'succeeded',
      status,
      requestHeaders: headersOf(endpoint, claimed, body),
      responseHeaders:
        status === null ? null : { 'content-type': status === 200 ? 'application/json' : 'text/plain' },
      responseBody: responseBodyOf(endpoint, status),
    }
  })
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    await tx.insert(attempts).values(rows.slice(start, start + ROWS_PER_INSERT))
  }
}

function responseBodyOf({ url }: Endpoint, status: number | null): Uint8Array | null {
  if (status === null) return null
  if (status === 200) return Buffer.from('{"received":true}')
  return Buffer.from(url.endsWith('/crm') ? CRM_ERROR : 'Service temporarily unavailable.')
}

/** Sets the deliveries to the result of their latest attempt. */
async function updateDeliveries(tx: Transaction, orgId: string, done: PlannedAttempt[]): Promise<void> {
  const newest = new Map(done.map((attempt) => [attempt.delivery.id, attempt]))
  for (const [id, { number, startedAt, error, status, durationMs }] of newest) {
    const endedAt = startedAt + durationMs
    const isFinal = error === null || number === SCHEDULE_MS.length
    await tx
      .update(deliveries)
      .set({
        state: error === null ? 'succeeded' : isFinal ? 'failed' : 'pending',
        attempt: number,
        retries: error === null ? number - 1 : number,
        dueAt: isFinal ? startedAt : endedAt + (SCHEDULE_MS[number] ?? 0),
        lastError: error,
        lastStatus: status,
        finishedAt: isFinal ? endedAt : null,
      })
      .where(and(eq(deliveries.orgId, orgId), eq(deliveries.id, id)))
  }
}

/** The bodies that were sent, by event number. */
async function bodiesOf(tx: Transaction, orgId: string): Promise<Map<number, Uint8Array>> {
  const found = await tx
    .select({ number: events.number, body: events.body })
    .from(events)
    .where(eq(events.orgId, orgId))
  return new Map(found.flatMap(({ number, body }) => (body ? [[number, body] as const] : [])))
}
