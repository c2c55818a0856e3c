import type { ClaimedWithBody } from './claim.ts'
import type { Endpoint } from './endpoint-rows.ts'
import type { AttemptResult } from './results.ts'
import type { Candidate } from './turns.ts'

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
/** Deliveries claimed in one turn. */
const MOST_IN_TURN = 64

/** A claimed delivery, from its claim until its result is on disk. */
export interface Flight {
  delivery: ClaimedWithBody
  endpoint: Endpoint
  result: AttemptResult | null
}

export interface InFlight {
  has(deliveryId: string): boolean
  add(flight: Flight): void
  finish(flight: Flight, result: AttemptResult): void
  /** Attempts that have a result which is not on disk yet. */
  finished(): Flight[]
  /** Their results are on disk. */
  forget(flights: Flight[]): void
  /** How many candidates to read so that those that have no room cannot hide one that has. */
  candidatesWanted(): number
  /** How many deliveries each of these endpoints may claim now, by its id: each one in turn, then a second one. */
  allot(candidates: Candidate[]): Map<string, number>
  /** Settles when no attempt is under way. */
  untilIdle(): Promise<void>
}

/** The attempts under way and the room there is for more. */
export function createInFlight(): InFlight {
  const flights = new Map<string, Flight>()
  const finished = new Set<Flight>()
  const busy = new Map<string, number>()
  let unsteady = 0
  let onIdle: (() => void)[] = []

  function count(flight: Flight, by: 1 | -1): void {
    const { id, isSteady } = flight.endpoint
    const now = (busy.get(id) ?? 0) + by
    if (now > 0) busy.set(id, now)
    else busy.delete(id)
    if (!isSteady) unsteady += by
  }
  const underWay = () => flights.size - finished.size

  return {
    has: (deliveryId) => flights.has(deliveryId),
    add(flight) {
      flights.set(flight.delivery.id, flight)
      count(flight, 1)
    },
    finish(flight, result) {
      flight.result = result
      finished.add(flight)
      count(flight, -1)
      if (underWay() > 0) return
      for (const tell of onIdle) tell()
      onIdle = []
    },
    finished: () => [...finished],
    forget(done) {
      for (const flight of done) {
        finished.delete(flight)
        flights.delete(flight.delivery.id)
      }
    },
    candidatesWanted: () => MOST_IN_TURN + busy.size,
    allot(candidates) {
      const room = candidates.map((candidate) => roomOf(candidate) - (busy.get(candidate.id) ?? 0))
      const alloted = new Map<string, number>()
      let left = Math.min(MOST_IN_TURN, MOST_ATTEMPTS - underWay())
      let unsteadyLeft = MOST_UNSTEADY - unsteady
      for (let round = 1; round <= MOST_FOR_ENDPOINT; round++) {
        for (const [position, { id, isSteady }] of candidates.entries()) {
          if (left <= 0) return alloted
          if ((room[position] ?? 0) < round || (!isSteady && unsteadyLeft <= 0)) continue
          alloted.set(id, round)
          left--
          if (!isSteady) unsteadyLeft--
        }
      }
      return alloted
    },
    untilIdle() {
      return underWay() === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))
    },
  }
}

function roomOf(endpoint: Pick<Candidate, 'connectFailures'>): number {
  return endpoint.connectFailures >= UNREACHABLE_AFTER ? 1 : MOST_FOR_ENDPOINT
}
