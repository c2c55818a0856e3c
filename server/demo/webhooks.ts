import type { WebhookEvent } from '../database/tables/events.ts'
import type { Actor, Deps } from '../deps.ts'
import { type DeliveryJob, processEndpoint } from '../webhooks/deliveries/process-endpoint.ts'
import type { AttemptResult } from '../webhooks/deliveries/record-result.ts'
import { findEarliestDue } from '../webhooks/deliveries/schedule.ts'
import { createHeaders } from '../webhooks/deliveries/send-delivery.ts'
import { signatureHeaders } from '../webhooks/deliveries/signature.ts'
import { createEndpoint, type Endpoint } from '../webhooks/endpoints/endpoints.ts'
import { depsAt } from './organization.ts'
import type { Random } from './plan.ts'
import { CRM_ERROR } from './receiver.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** From when a delivery is due until its attempt begins. */
const START_MS = 300
const ATTEMPTS_AT_ONCE = 8

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
 * Makes the attempts that the endpoint's deliveries would have had, each when it was due. From `brokenSince` on they all
 * fail, until the endpoint is turned off.
 */
export async function seedDeliveries(
  deps: Deps,
  { orgId, id }: Endpoint,
  { random, brokenSince }: { random: Random; brokenSince: number },
): Promise<void> {
  const now = deps.clock.now()
  let at = 0
  const headersOf = createHeaders({ ...deps, clock: { ...deps.clock, now: () => at } })
  const attempt = ({ delivery, endpoint }: DeliveryJob): AttemptResult => {
    const { headers, signing } = headersOf(endpoint, delivery)
    const signatures = signatureHeaders(signing, at, delivery.body ?? new Uint8Array())
    return {
      ...resultOf(random, at, brokenSince),
      requestHeaders: { ...headers, ...signatures },
      isBodyCut: false,
    }
  }
  await deps.database.write(orgId, async (tx) => {
    let finished: { job: DeliveryJob; result: AttemptResult }[] = []
    do {
      const claims = at < now ? ATTEMPTS_AT_ONCE : 0
      const task = { laneId: id, claims, mustRecover: false, finished }
      const processed = await processEndpoint(depsAt(deps, at), tx, task, {
        isRunning: () => false,
        now: at,
      })
      if (!processed) throw new Error(`The endpoint ${id} of ${orgId} is missing.`)
      const { endpoint, claimed } = processed
      finished = claimed
        .map((delivery) => ({ id: delivery.id, delivery, endpoint }))
        .map((job) => ({ job, result: attempt(job) }))
      const [next] = endpoint.offAt === null ? await findEarliestDue(tx, { endpointId: id }) : []
      const endedAt = finished.map(({ result }) => result.endedAt)
      at = endedAt.length > 0 ? Math.max(...endedAt) : Math.max(at, (next?.dueAt ?? now) + START_MS)
    } while (at < now || finished.length > 0)
  })
}

const RESPONSES = {
  succeeded: {
    status: 200,
    responseHeaders: { 'content-type': 'application/json' },
    responseBody: Buffer.from('{"received":true}'),
  },
  http_5xx: {
    status: 503,
    responseHeaders: { 'content-type': 'text/plain' },
    responseBody: Buffer.from(CRM_ERROR),
  },
  timeout: { status: null, responseHeaders: null, responseBody: null },
}

function resultOf(random: Random, startedAt: number, brokenSince: number) {
  const isFailing = startedAt >= brokenSince || random.chance(0.04)
  const outcome = !isFailing ? 'succeeded' : random.chance(0.7) ? 'http_5xx' : 'timeout'
  const durationMs = outcome === 'timeout' ? 10_000 : random.between(28, 240)
  return { startedAt, outcome, ...RESPONSES[outcome], durationMs, endedAt: startedAt + durationMs } as const
}
