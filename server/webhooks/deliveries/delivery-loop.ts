import type { Transaction } from '../../database/database.ts'
import type { Deps } from '../../deps.ts'
import { recordWorkspaceChange } from '../../events/workspace-changed.ts'
import { startLoop } from '../../loop.ts'
import { createAddressPolicy } from '../public-address.ts'
import { clampDueTimes, type Jump, shiftDueTimes, watchClock } from './clock-jump.ts'
import type { Resolve } from './connection.ts'
import { createHeaders } from './delivery-headers.ts'
import { takeTurn, type Work, type WorkDone } from './process-endpoint.ts'
import { endInterrupted } from './recover.ts'
import { type Candidate, clearTurns, findCandidates, findNextTurn, rebuildTurns } from './schedule.ts'
import { createSender } from './send.ts'
import { sendFlight } from './send-delivery.ts'
import { createInFlight, type Flight } from './slots.ts'

const LONGEST_REST_MS = 60_000
const REST_AFTER_REFUSAL_MS = 1_000
const LONGEST_FAREWELL_MS = 10_000
/** How long a result may wait for others while its endpoint has this many deliveries claimed ahead. */
const SHARED_COMMIT_MS = 20
const FEW_WAITING = 8

export interface Delivering {
  /** Claims nothing more, waits for what is in flight (at most 10 s) and writes down the results. */
  stop(): Promise<void>
}

/**
 * Sends what is due. Each turn is one transaction that applies every finished attempt and claims the next ones; they
 * start when it is on disk. Only claimed deliveries are in memory. `resolve` replaces DNS in tests; `onAttempt` is
 * called with the outcome of each attempt.
 */
export function startDelivering(
  deps: Deps,
  given: {
    resolve?: Resolve
    onAttempt?: (outcome: string) => void
  } = {},
): Delivering {
  const { config, clock } = deps
  const inFlight = createInFlight((flight) => void carryOut(flight))
  const look = watchClock(clock)
  const headersOf = createHeaders(deps)
  const sender = createSender({
    clock,
    policy: createAddressPolicy(config.webhookAllow),
    timeoutMs: config.webhookTimeoutMs,
    ca: config.webhookCa,
    ...(given.resolve && { resolve: given.resolve }),
  })
  let isStopping = false
  let isWakingSoon = false
  /** Rows in flight may be nobody's: at a start, and after a commit whose answer was lost. */
  let isUnsure = true
  let jump: Jump | null = null
  let restUntil = Number.NEGATIVE_INFINITY

  async function turn(): Promise<number> {
    const rest = restUntil - clock.monotonic()
    if (rest > 0) return rest
    jump = look() ?? jump
    const now = clock.now()
    const candidates = isStopping ? [] : await dueCandidates(now)
    if (!isUnsure && !jump && planOf(candidates).length === 0) {
      const untilNext = await untilTurnAfter(now)
      return untilNext > 0 ? untilNext : turn()
    }
    return (await commitTurn(candidates)) ? 0 : REST_AFTER_REFUSAL_MS
  }

  /** Both lanes together, by how long they have waited. */
  async function dueCandidates(now: number): Promise<Candidate[]> {
    const wanted = { now, limit: inFlight.candidatesWanted() }
    const steady = await findCandidates(deps.database.read, { ...wanted, isSteady: true })
    const others = await findCandidates(deps.database.read, { ...wanted, isSteady: false })
    return [...steady, ...others].sort((a, b) => a.nextTurnAt - b.nextTurnAt)
  }

  /**
   * By id, as a ticket's unit locks endpoints (outbox.ts), so that the two never wait for each other. There are two
   * exceptions: `clearTurns` locks endpoints in any order, and an endpoint that is switched off locks its organization
   * after the endpoint. There PostgreSQL may end one of the units, and `write` runs it again.
   */
  function planOf(candidates: Candidate[]): Work[] {
    const allowances = inFlight.allot(candidates)
    const finished = Map.groupBy(inFlight.finished(), (flight) => flight.endpoint.id)
    return [...new Set([...allowances.keys(), ...finished.keys()])].sort().map((endpointId) => ({
      endpointId,
      finished: finished.get(endpointId) ?? [],
      allowance: allowances.get(endpointId) ?? 0,
    }))
  }

  async function commitTurn(candidates: Candidate[]): Promise<boolean> {
    try {
      const { applied, done } = await deps.database.write((tx) => applyTurn(tx, candidates))
      jump = null
      isUnsure = false
      inFlight.forget(applied)
      for (const each of done) startAttempts(each)
      logSwitchedOff(done)
      return true
    } catch (error) {
      // The results stay in memory until they are on disk.
      deps.log.error('deliveries_not_written', { error, waiting: inFlight.finished().length })
      isUnsure = true
      restUntil = clock.monotonic() + REST_AFTER_REFUSAL_MS
      return false
    }
  }

  async function applyTurn(
    tx: Transaction,
    candidates: Candidate[],
  ): Promise<{ applied: Flight[]; done: WorkDone[] }> {
    if (jump || isUnsure) await clearTurns(tx)
    if (jump) await shiftDueTimes(tx, clock.now(), jump)
    if (isUnsure) await endInterrupted(deps, tx, inFlight)
    if (jump || isUnsure) {
      await clampDueTimes(deps, tx)
      await rebuildTurns(tx)
    }
    // Planned here and not before: results that came while the unit was queued go with it.
    const plan = planOf(isStopping ? [] : candidates)
    const done: WorkDone[] = []
    for (const work of plan) {
      const each = await takeTurn(deps, tx, work)
      if (each) done.push(each)
    }
    for (const orgId of organizationsOf(done.filter(({ wasSwitchedOff }) => wasSwitchedOff))) {
      await recordWorkspaceChange(deps, tx, orgId)
    }
    return { applied: plan.flatMap((work) => work.finished), done }
  }

  function startAttempts({ endpoint, claimed }: WorkDone): void {
    for (const delivery of claimed) inFlight.add({ delivery, endpoint, result: null })
  }

  function logSwitchedOff(done: WorkDone[]): void {
    for (const { endpoint, wasSwitchedOff } of done) {
      if (!wasSwitchedOff) continue
      deps.log.warn('endpoint_switched_off', { endpoint: endpoint.id, reason: endpoint.offReason })
    }
  }

  async function carryOut(flight: Flight): Promise<void> {
    const result = await sendFlight(deps, sender, headersOf, flight)
    given.onAttempt?.(result.outcome)
    inFlight.finish(flight, result)
    // As long as its endpoint has enough to do, the result waits a moment for others to share a commit with.
    if (inFlight.waitingFor(flight.endpoint.id) < FEW_WAITING) loop.wake()
    else wakeSoon()
  }

  function wakeSoon(): void {
    if (isWakingSoon) return
    isWakingSoon = true
    clock.after(SHARED_COMMIT_MS, () => {
      isWakingSoon = false
      loop.wake()
    })
  }

  /** From the very moment that was looked at: what falls due meanwhile must not be passed over. */
  async function untilTurnAfter(now: number): Promise<number> {
    const [steady] = await findNextTurn(deps.database.read, { now, isSteady: true })
    const [other] = await findNextTurn(deps.database.read, { now, isSteady: false })
    const at = Math.min(steady?.at ?? Number.POSITIVE_INFINITY, other?.at ?? Number.POSITIVE_INFINITY)
    return Math.min(at - clock.now(), LONGEST_REST_MS)
  }

  const loop = startLoop(deps, 'deliver', turn)
  return {
    async stop() {
      isStopping = true
      inFlight.giveBack()
      const farewell = Promise.withResolvers<void>()
      const cancelFarewell = clock.after(LONGEST_FAREWELL_MS, farewell.resolve)
      await Promise.race([inFlight.untilIdle(), farewell.promise])
      cancelFarewell()
      sender.close()
      await loop.stop()
      // The last turn may have started some more; a closed sender ends them at once.
      inFlight.giveBack()
      await inFlight.untilIdle()
      if (inFlight.finished().length > 0) await commitTurn([])
    },
  }
}

/** In one order, in which every unit locks them. */
function organizationsOf(done: WorkDone[]): string[] {
  return [...new Set(done.map(({ endpoint }) => endpoint.orgId))].sort()
}
