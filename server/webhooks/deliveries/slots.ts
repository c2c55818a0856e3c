import type { Endpoint } from '../endpoints/queries.ts'
import type { ClaimedWithBody } from './claim.ts'
import type { AttemptResult } from './record-result.ts'
import type { Candidate } from './schedule.ts'
import { deal } from './share-slots.ts'

/** Attempts under way in all. */
const MOST_ATTEMPTS = 128
/**
 * Of those, attempts to endpoints whose newest attempt did not succeed, or that are new. The rest is kept for
 * endpoints that answer: however many others hang, these do not wait for them.
 */
const MOST_UNSTEADY = 96
const MOST_FOR_ENDPOINT = 8
/** An endpoint that so many attempts in a row could not reach gets one at a time: it may cost one socket. */
const UNREACHABLE_AFTER = 3
/** How many times what an endpoint took since the last turn it may have claimed ahead: above 1, so that it can grow. */
const PACE = 2
/** Deliveries claimed in one turn, and claimed ahead of a free socket in all. */
const MOST_IN_TURN = 64

/** A claimed delivery, from its claim until what came of it is on disk. */
export interface Flight {
  delivery: ClaimedWithBody
  endpoint: Endpoint
  /** `unsent`: it was claimed ahead and given back before it was sent. */
  result: AttemptResult | 'unsent' | null
}

export interface InFlight {
  has(deliveryId: string): boolean
  /** Starts the attempt, or lets it wait for a socket of its endpoint. */
  add(flight: Flight): void
  /** Ends an attempt and starts the next one. After a failure, what was claimed ahead is given back. */
  finish(flight: Flight, result: AttemptResult): void
  /** Gives back everything that was claimed ahead. */
  giveBack(): void
  /** How many are claimed ahead for an endpoint. */
  waitingFor(endpointId: string): number
  /** Flights whose end is not on disk yet. */
  finished(): Flight[]
  forget(flights: Flight[]): void
  /** How many candidates to read so that those without room cannot hide one that has room. */
  candidatesWanted(): number
  /** How many deliveries each of these endpoints may claim now, by its id: each one in turn, then a second one. */
  allot(candidates: Candidate[]): Map<string, number>
  /** Settles when no attempt is under way. */
  untilIdle(): Promise<void>
}

interface Lane {
  isSteady: boolean
  sockets: number
  open: number
  waiting: Flight[]
}

/**
 * The attempts under way and the room for more. An endpoint that answers has some deliveries claimed ahead, by
 * how many it took since the last turn, so that its sockets need not wait for the disk.
 */
export function createInFlight(start: (flight: Flight) => void): InFlight {
  const flights = new Map<string, Flight>()
  const finished = new Set<Flight>()
  const lanes = new Map<string, Lane>()
  let open = 0
  let openUnsteady = 0
  let waiting = 0
  const onIdle: (() => void)[] = []

  function laneOf({ endpoint }: Flight): Lane {
    const { id, isSteady } = endpoint
    const lane = lanes.get(id) ?? { isSteady, sockets: 0, open: 0, waiting: [] }
    lanes.set(id, lane)
    return lane
  }

  function begin(lane: Lane, flight: Flight): void {
    lane.open++
    open++
    if (!lane.isSteady) openUnsteady++
    start(flight)
  }

  function end(lane: Lane): void {
    lane.open--
    open--
    if (!lane.isSteady) openUnsteady--
  }

  function giveBackOf(lane: Lane): void {
    for (const flight of lane.waiting.splice(0)) {
      waiting--
      flight.result = 'unsent'
      finished.add(flight)
    }
  }

  return {
    has: (deliveryId) => flights.has(deliveryId),
    add(flight) {
      flights.set(flight.delivery.id, flight)
      const lane = laneOf(flight)
      if (lane.open === 0)
        Object.assign(lane, { isSteady: flight.endpoint.isSteady, sockets: socketsOf(flight.endpoint) })
      if (lane.open < lane.sockets) return begin(lane, flight)
      lane.waiting.push(flight)
      waiting++
    },
    finish(flight, result) {
      const lane = laneOf(flight)
      flight.result = result
      finished.add(flight)
      end(lane)
      if (result.outcome !== 'succeeded') giveBackOf(lane)
      const next = lane.waiting.shift()
      if (next) {
        waiting--
        begin(lane, next)
      } else if (lane.open === 0) lanes.delete(flight.endpoint.id)
      if (open > 0) return
      for (const tell of onIdle.splice(0)) tell()
    },
    giveBack() {
      for (const lane of lanes.values()) giveBackOf(lane)
    },
    waitingFor: (endpointId) => lanes.get(endpointId)?.waiting.length ?? 0,
    finished: () => [...finished],
    forget(done) {
      for (const flight of done) {
        finished.delete(flight)
        flights.delete(flight.delivery.id)
      }
    },
    candidatesWanted: () => MOST_IN_TURN + lanes.size,
    allot(candidates) {
      const pace = Map.groupBy(finished, (flight) => flight.endpoint.id)
      const seats = candidates.map((candidate) => {
        const lane = lanes.get(candidate.id)
        return {
          ...candidate,
          free: socketsOf(candidate) - (lane?.open ?? 0),
          ahead: candidate.isSteady
            ? PACE * (pace.get(candidate.id)?.length ?? 0) - (lane?.waiting.length ?? 0)
            : 0,
        }
      })
      return deal(seats, {
        claims: MOST_IN_TURN,
        attempts: MOST_ATTEMPTS - open,
        unsteady: MOST_UNSTEADY - openUnsteady,
        ahead: MOST_IN_TURN - waiting,
      })
    },
    untilIdle() {
      return open === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))
    },
  }
}

function socketsOf({ connectFailures }: Pick<Candidate, 'connectFailures'>): number {
  return connectFailures >= UNREACHABLE_AFTER ? 1 : MOST_FOR_ENDPOINT
}
