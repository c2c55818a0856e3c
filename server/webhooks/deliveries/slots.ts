import type { Endpoint } from '../endpoints/endpoints.ts'
import type { ClaimedDelivery } from './claim.ts'
import type { AttemptResult } from './record-result.ts'
import type { DueEndpoint } from './schedule.ts'

/** Attempts in progress, over all endpoints. */
const MAX_ATTEMPTS = 128
/**
 * Of those, attempts to endpoints that are new or whose newest attempt failed. The rest is reserved for healthy
 * endpoints, so that they never wait for endpoints that hang.
 */
const MAX_UNHEALTHY_ATTEMPTS = 96
const MAX_ATTEMPTS_PER_ENDPOINT = 8
/** After this many failures in a row to connect, an endpoint gets one attempt at a time: it may cost one socket. */
const UNREACHABLE_AFTER = 3
/** Queued deliveries, as a multiple of what the endpoint finished since the last batch: above 1, so that it can grow. */
const QUEUE_GROWTH = 2
/** Deliveries claimed in one batch, and deliveries queued in all: with fewer, a fast endpoint waits for commits. */
const MAX_BATCH = 128

/** A claimed delivery, from its claim until its result is on disk. */
export interface DeliveryInFlight {
  delivery: ClaimedDelivery
  endpoint: Endpoint
  /** `unsent`: it was queued and returned before it was sent. */
  result: AttemptResult | 'unsent' | null
}

interface Slots {
  has(deliveryId: string): boolean
  /** Starts the attempt, or queues it until its endpoint has a free slot. */
  add(inFlight: DeliveryInFlight): void
  /** Ends an attempt and starts the endpoint's next one. After a failure, the endpoint's queue is returned unsent. */
  finish(inFlight: DeliveryInFlight, result: AttemptResult): void
  /** Returns everything that is queued, unsent. */
  returnQueued(): void
  queuedFor(endpointId: string): number
  /** Deliveries whose result is not on disk yet. */
  finished(): DeliveryInFlight[]
  remove(done: DeliveryInFlight[]): void
  /** How many due endpoints to read so that those without a free slot cannot hide one that has one. */
  endpointsWanted(): number
  /** How many deliveries each of these endpoints may claim now, by its id. */
  share(due: DueEndpoint[]): Map<string, number>
  /** Settles when no attempt is in progress. */
  untilIdle(): Promise<void>
}

interface EndpointSlots {
  isHealthy: boolean
  capacity: number
  used: number
  queue: DeliveryInFlight[]
}

/**
 * Limits the attempts in progress. A healthy endpoint has some more deliveries claimed and queued, in proportion to
 * how many it finished since the last batch, so that its connections need not wait for the disk.
 */
export function createSlots(start: (inFlight: DeliveryInFlight) => void): Slots {
  const all = new Map<string, DeliveryInFlight>()
  const finished = new Set<DeliveryInFlight>()
  const byEndpoint = new Map<string, EndpointSlots>()
  let used = 0
  let usedByUnhealthy = 0
  let queued = 0
  const onIdle: (() => void)[] = []

  function slotsOf({ endpoint }: DeliveryInFlight): EndpointSlots {
    const { id, isHealthy } = endpoint
    const slots = byEndpoint.get(id) ?? { isHealthy, capacity: 0, used: 0, queue: [] }
    byEndpoint.set(id, slots)
    return slots
  }

  function begin(slots: EndpointSlots, inFlight: DeliveryInFlight): void {
    slots.used++
    used++
    if (!slots.isHealthy) usedByUnhealthy++
    start(inFlight)
  }

  function end(slots: EndpointSlots): void {
    slots.used--
    used--
    if (!slots.isHealthy) usedByUnhealthy--
  }

  function returnQueue(slots: EndpointSlots): void {
    for (const inFlight of slots.queue.splice(0)) {
      queued--
      inFlight.result = 'unsent'
      finished.add(inFlight)
    }
  }

  return {
    has: (deliveryId) => all.has(deliveryId),
    add(inFlight) {
      all.set(inFlight.delivery.id, inFlight)
      const slots = slotsOf(inFlight)
      if (slots.used === 0) {
        const { endpoint } = inFlight
        Object.assign(slots, { isHealthy: endpoint.isHealthy, capacity: capacityOf(endpoint) })
      }
      if (slots.used < slots.capacity) return begin(slots, inFlight)
      slots.queue.push(inFlight)
      queued++
    },
    finish(inFlight, result) {
      const slots = slotsOf(inFlight)
      inFlight.result = result
      finished.add(inFlight)
      end(slots)
      if (result.outcome !== 'succeeded') returnQueue(slots)
      const next = slots.queue.shift()
      if (next) {
        queued--
        begin(slots, next)
      } else if (slots.used === 0) byEndpoint.delete(inFlight.endpoint.id)
      if (used > 0) return
      for (const call of onIdle.splice(0)) call()
    },
    returnQueued() {
      for (const slots of byEndpoint.values()) returnQueue(slots)
    },
    queuedFor: (endpointId) => byEndpoint.get(endpointId)?.queue.length ?? 0,
    finished: () => [...finished],
    remove(done) {
      for (const inFlight of done) {
        finished.delete(inFlight)
        all.delete(inFlight.delivery.id)
      }
    },
    endpointsWanted: () => MAX_BATCH + byEndpoint.size,
    share(due) {
      const finishedBy = Map.groupBy(finished, ({ endpoint }) => endpoint.id)
      const requests = due.map((endpoint) => {
        const slots = byEndpoint.get(endpoint.id)
        const queueLength = QUEUE_GROWTH * (finishedBy.get(endpoint.id)?.length ?? 0)
        return {
          id: endpoint.id,
          isHealthy: endpoint.isHealthy,
          free: capacityOf(endpoint) - (slots?.used ?? 0),
          queue: endpoint.isHealthy ? queueLength - (slots?.queue.length ?? 0) : 0,
        }
      })
      return shareCapacity(requests, {
        claims: MAX_BATCH,
        attempts: MAX_ATTEMPTS - used,
        unhealthyAttempts: MAX_UNHEALTHY_ATTEMPTS - usedByUnhealthy,
        queue: MAX_BATCH - queued,
      })
    },
    untilIdle() {
      return used === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))
    },
  }
}

function capacityOf({ connectFailures }: Pick<DueEndpoint, 'connectFailures'>): number {
  return connectFailures >= UNREACHABLE_AFTER ? 1 : MAX_ATTEMPTS_PER_ENDPOINT
}

/** What an endpoint could use: its free slots, and room in its queue. */
interface CapacityRequest {
  id: string
  isHealthy: boolean
  free: number
  queue: number
}

/** What all endpoints share. */
interface Capacity {
  claims: number
  attempts: number
  unhealthyAttempts: number
  queue: number
}

/** Round robin: one claim for each endpoint in order, then a second one, until nothing is left or wanted. */
function shareCapacity(requests: CapacityRequest[], capacity: Capacity): Map<string, number> {
  const left = { ...capacity }
  const claims = new Map<string, number>()
  let unmet = requests
  while (unmet.length > 0 && left.claims > 0) {
    unmet = unmet.filter((request) => {
      if (left.claims <= 0 || !reserve(request, left)) return false
      left.claims--
      claims.set(request.id, (claims.get(request.id) ?? 0) + 1)
      return true
    })
  }
  return claims
}

/** Reserves a free slot if there is one, or else a place in the endpoint's queue. */
function reserve(request: CapacityRequest, left: Capacity): boolean {
  if (request.free > 0 && left.attempts > 0 && (request.isHealthy || left.unhealthyAttempts > 0)) {
    request.free--
    left.attempts--
    if (!request.isHealthy) left.unhealthyAttempts--
    return true
  }
  if (request.free > 0 || request.queue <= 0 || left.queue <= 0) return false
  request.queue--
  left.queue--
  return true
}
