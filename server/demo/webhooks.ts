import { and, asc, eq } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { events, type WebhookEvent } from '../database/tables/events.ts'
import { attempts, deliveries, endpoints } from '../database/tables/webhooks.ts'
import type { Actor, Deps } from '../deps.ts'
import type { DeliveryError } from '../webhooks/deliveries/delivery-errors.ts'
import { createHeaders } from '../webhooks/deliveries/delivery-headers.ts'
import { healthAfter } from '../webhooks/endpoints/endpoint-health.ts'
import { createEndpoint } from '../webhooks/endpoints/endpoints.ts'
import type { Endpoint } from '../webhooks/endpoints/queries.ts'
import { at } from './at.ts'
import type { Random } from './random.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** When the attempts of a delivery start, behind the one before. */
const SCHEDULE_MS = [300, 30_000, 300_000, 1_800_000]
const ROWS_AT_ONCE = 200

interface Planned {
  delivery: typeof deliveries.$inferSelect
  number: number
  startedAt: number
  error: DeliveryError | null
  status: number | null
  durationMs: number
}

/** Makes the two endpoints of the demo, before there is anything to deliver. */
export async function addEndpoints(
  deps: Deps,
  orgId: string,
  { url, start, actor }: { url: string; start: number; actor: Actor },
): Promise<{ healthy: Endpoint; failing: Endpoint }> {
  const both: WebhookEvent[] = ['ticket.created', 'message.sent']
  const orders = {
    url: `${url}/orders`,
    events: both,
    description: 'Shop system: shows tickets beside the order',
  }
  const crm = {
    url: `${url}/crm`,
    events: ['ticket.created'],
    description: 'CRM: one contact for each ticket',
  }
  return {
    healthy: (await createEndpoint(at(deps, start + DAY_MS, actor), orgId, orders)).endpoint,
    failing: (await createEndpoint(at(deps, start + DAY_MS + HOUR_MS, actor), orgId, crm)).endpoint,
  }
}

/** Lets what is queued have been delivered in its time. From `brokenSince` on nothing arrives, until it is switched off. */
export async function deliverThen(
  deps: Deps,
  { orgId, id, createdAt }: Endpoint,
  { random, brokenSince }: { random: Random; brokenSince: number },
): Promise<void> {
  const now = deps.clock.now()
  await deps.database.write(async (tx) => {
    const isTheEndpoint = and(eq(endpoints.orgId, orgId), eq(endpoints.id, id))
    const [endpoint] = await tx.select().from(endpoints).where(isTheEndpoint)
    if (!endpoint) throw new Error(`The endpoint ${id} is missing.`)
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
    const made: Planned[] = []
    for (const attempt of planned) {
      if (updated.offAt !== null) break
      made.push(attempt)
      const endedAt = attempt.startedAt + attempt.durationMs
      updated = healthAfter(updated, { ...attempt, endedAt, isFinal: attempt.number === SCHEDULE_MS.length })
    }
    await insertAttempts(deps, tx, { endpoint, made })
    await moveDeliveries(tx, orgId, made)
    const nextDeliveryAt = updated.offAt === null ? now : null
    await tx
      .update(endpoints)
      .set({ ...updated, nextDeliveryAt, updatedAt: updated.offAt ?? createdAt })
      .where(isTheEndpoint)
  })
}

function attemptsOf(random: Random, delivery: Planned['delivery'], brokenSince: number): Planned[] {
  const planned: Planned[] = []
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
  { endpoint, made }: { endpoint: Endpoint; made: Planned[] },
): Promise<void> {
  let sentAt = 0
  const headersOf = createHeaders({ ...deps, clock: { ...deps.clock, now: () => sentAt } })
  const bodies = await bodiesOf(tx, endpoint.orgId)
  const rows = made.map(({ delivery, number, startedAt, error, status, durationMs }) => {
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
      responseBody: answerOf(status),
    }
  })
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    await tx.insert(attempts).values(rows.slice(start, start + ROWS_AT_ONCE))
  }
}

function answerOf(status: number | null): Uint8Array | null {
  if (status === null) return null
  return Buffer.from(status === 200 ? '{"received":true}' : 'The CRM is being maintained.')
}

/** Each stands as its newest attempt left it. */
async function moveDeliveries(tx: Transaction, orgId: string, made: Planned[]): Promise<void> {
  const newest = new Map(made.map((attempt) => [attempt.delivery.id, attempt]))
  for (const [id, { number, startedAt, error, status, durationMs }] of newest) {
    const endedAt = startedAt + durationMs
    const isOver = error === null || number === SCHEDULE_MS.length
    await tx
      .update(deliveries)
      .set({
        state: error === null ? 'succeeded' : isOver ? 'failed' : 'pending',
        attempt: number,
        retries: error === null ? number - 1 : number,
        dueAt: isOver ? startedAt : endedAt + (SCHEDULE_MS[number] ?? 0),
        lastError: error,
        lastStatus: status,
        finishedAt: isOver ? endedAt : null,
      })
      .where(and(eq(deliveries.orgId, orgId), eq(deliveries.id, id)))
  }
}

/** What was sent, by number of the event. */
async function bodiesOf(tx: Transaction, orgId: string): Promise<Map<number, Uint8Array>> {
  const found = await tx
    .select({ number: events.number, body: events.body })
    .from(events)
    .where(eq(events.orgId, orgId))
  return new Map(found.flatMap(({ number, body }) => (body ? [[number, body] as const] : [])))
}
