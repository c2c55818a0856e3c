import { type Responsiveness, responsivenessOf } from '../endpoints/endpoint-health.ts'
import type { Endpoint } from '../endpoints/endpoints.ts'
import type { ClaimedDelivery } from './claim.ts'
import type { AttemptResult } from './record-result.ts'
import type { DueEndpoint, EndpointGroup } from './schedule.ts'

/** Attempts in progress that share a limit. An attempt may count in several of these. */
interface Part {
  size: number
  /** The last ones are only for organizations that have less than `few`, so that one cannot take them all. */
  reserved: number
  few: number
}

/**
 * A receiver that hangs holds its sockets until the time limit, so no endpoint may need a socket that another one can
 * hold: each may have its first attempt, and only the attempts beyond that wait for others.
 */
const PARTS = {
  all: { size: 512, reserved: 96, few: 4 },
  /**
   * To an endpoint that has another one in progress. Bun does few handshakes per event loop tick, the newest first: after a
   * long stop, many of these would keep the first attempts of others waiting.
   */
  further: { size: 64, reserved: 16, few: 4 },
  /** To an endpoint that did not respond to its newest attempt. */
  unresponsive: { size: 128, reserved: 32, few: 2 },
} satisfies Record<string, Part>
type PartName = keyof typeof PARTS

/** An endpoint that is new or did not respond gets one: until it responds, it may cost one socket. */
const MAX_ATTEMPTS_PER_ENDPOINT = 8
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
  /**
   * Which due endpoints to read so that those without a free slot cannot hide one that has one: how many, and without
   * which organizations.
   */
  endpointsWanted(): { limit: number; without: Record<EndpointGroup, string[]> }
  /** How many deliveries each of these endpoints may claim now, by its id. */
  share(due: DueEndpoint[]): Map<string, number>
  /** Settles when no attempt is in progress. */
  untilIdle(): Promise<void>
}

interface EndpointSlots {
  orgId: string
  responsiveness: Responsiveness
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
  let queued = 0
  const onIdle: (() => void)[] = []

  function slotsOf({ endpoint }: DeliveryInFlight): EndpointSlots {
    const { id, orgId } = endpoint
    const fresh = { orgId, responsiveness: responsivenessOf(endpoint), used: 0, queue: [] }
    const slots = byEndpoint.get(id) ?? fresh
    byEndpoint.set(id, slots)
    return slots
  }

  function begin(slots: EndpointSlots, inFlight: DeliveryInFlight): void {
    slots.used++
    used++
    start(inFlight)
  }

  function end(slots: EndpointSlots): void {
    slots.used--
    used--
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
      if (slots.used === 0) slots.responsiveness = responsivenessOf(inFlight.endpoint)
      if (slots.used < capacityOf(slots)) return begin(slots, inFlight)
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
    endpointsWanted() {
      const usage = usageOf(byEndpoint.values())
      const organizations = [...usage.all.byOrganization.keys()]
      const without = (parts: PartName[]) =>
        organizations.filter((orgId) => !parts.every((part) => hasRoom(usage, part, orgId)))
      const full = without(['all'])
      return {
        limit: MAX_BATCH + byEndpoint.size,
        without: {
          healthy: full,
          other: full,
          unresponsive: without(['all', 'unresponsive']),
        },
      }
    },
    share(due) {
      const finishedBy = Map.groupBy(finished, ({ endpoint }) => endpoint.id)
      // What an endpoint may claim after a failure is known when that is recorded.
      const isKnown = ({ id }: DueEndpoint) => !finishedBy.get(id)?.some(hasFailed)
      const requests = due.filter(isKnown).map((endpoint) => {
        const slots = byEndpoint.get(endpoint.id)
        const queueLength = QUEUE_GROWTH * (finishedBy.get(endpoint.id)?.length ?? 0)
        return {
          id: endpoint.id,
          orgId: endpoint.orgId,
          responsiveness: responsivenessOf(endpoint),
          used: slots?.used ?? 0,
          queue: endpoint.isHealthy ? queueLength - (slots?.queue.length ?? 0) : 0,
        }
      })
      return shareCapacity(requests, {
        claims: MAX_BATCH,
        usage: usageOf(byEndpoint.values()),
        queue: MAX_BATCH - queued,
      })
    },
    untilIdle() {
      return used === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))
    },
  }
}

function hasFailed({ result }: DeliveryInFlight): boolean {
  return result !== null && result !== 'unsent' && result.outcome !== 'succeeded'
}

function capacityOf({ responsiveness }: Pick<EndpointSlots, 'responsiveness'>): number {
  return responsiveness === 'responsive' ? MAX_ATTEMPTS_PER_ENDPOINT : 1
}

/** Attempts in progress. */
type Usage = Record<PartName, { total: number; byOrganization: Map<string, number> }>

function usageOf(endpoints: Iterable<EndpointSlots>): Usage {
  const none = () => ({ total: 0, byOrganization: new Map<string, number>() })
  const usage: Usage = { all: none(), further: none(), unresponsive: none() }
  for (const { orgId, responsiveness, used } of endpoints) {
    for (let earlier = 0; earlier < used; earlier++) {
      for (const part of partsOf({ responsiveness, used: earlier })) add(usage, part, orgId)
    }
  }
  return usage
}

/** What one more attempt of an endpoint counts in. */
function partsOf({ responsiveness, used }: Pick<EndpointSlots, 'responsiveness' | 'used'>): PartName[] {
  const parts: PartName[] = ['all']
  if (used > 0) parts.push('further')
  if (responsiveness === 'unresponsive') parts.push('unresponsive')
  return parts
}

function add(usage: Usage, part: PartName, orgId: string): void {
  const { byOrganization } = usage[part]
  usage[part].total++
  byOrganization.set(orgId, (byOrganization.get(orgId) ?? 0) + 1)
}

function hasRoom(usage: Usage, part: PartName, orgId: string): boolean {
  const { size, reserved, few } = PARTS[part]
  const { total, byOrganization } = usage[part]
  const hasFew = (byOrganization.get(orgId) ?? 0) < few
  return total < (hasFew ? size : size - reserved)
}

/** What an endpoint has in use, and the room in its queue. */
interface CapacityRequest extends Pick<EndpointSlots, 'orgId' | 'responsiveness' | 'used'> {
  id: string
  queue: number
}

/** The capacity that all endpoints share. */
interface Capacity {
  claims: number
  usage: Usage
  queue: number
}

/** Round robin: one claim for each endpoint in order, then a second one, until nothing is left or wanted. */
function shareCapacity(requests: CapacityRequest[], left: Capacity): Map<string, number> {
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
  if (request.used < capacityOf(request)) {
    const parts = partsOf(request)
    if (!parts.every((part) => hasRoom(left.usage, part, request.orgId))) return false
    for (const part of parts) add(left.usage, part, request.orgId)
    request.used++
    return true
  }
  if (request.queue <= 0 || left.queue <= 0) return false
  request.queue--
  left.queue--
  return true
}
