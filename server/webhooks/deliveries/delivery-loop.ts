import { type ClockJump, watchClock } from '../../clock-jump.ts'
import type { Transaction } from '../../database/database.ts'
import type { Deps } from '../../deps.ts'
import { recordWorkspaceChange } from '../../events/events.ts'
import { startLoop } from '../../loop.ts'
import { createAddressPolicy } from '../../network/address-policy.ts'
import type { Resolve } from '../../network/checked-lookup.ts'
import { type EndpointTask, type ProcessedEndpoint, processEndpoint } from './process-endpoint.ts'
import { recoverInterrupted } from './record-result.ts'
import {
  clearSchedule,
  type DueEndpoint,
  type EndpointGroup,
  findDueEndpoints,
  findNextDueAt,
  rebuildSchedule,
} from './schedule.ts'
import { createSender } from './send.ts'
import { createHeaders, sendDelivery } from './send-delivery.ts'
import { clampDueTimes, shiftDueTimes } from './shift-due-times.ts'
import { createSlots, type DeliveryInFlight } from './slots.ts'

const MAX_WAIT_MS = 60_000
const WAIT_AFTER_STORAGE_ERROR_MS = 1_000
const SHUTDOWN_TIMEOUT_MS = 10_000
/** How long a result may wait to share a commit with others while its endpoint has this many deliveries queued. */
const SHARED_COMMIT_MS = 20
const ENOUGH_QUEUED = 8

export interface DeliveryLoop {
  /** Claims nothing more, waits for attempts in progress (at most 10 s) and records the results. */
  stop(): Promise<void>
}

/**
 * Sends what is due, in batches. A batch is one transaction that records the results of finished attempts and claims
 * the next deliveries; their attempts start after the commit. Only claimed deliveries are in memory. `resolve` replaces
 * DNS in tests; `onAttempt` is called with the outcome of each attempt.
 */
export function startDelivering(
  deps: Deps,
  given: { resolve?: Resolve; onAttempt?: (outcome: string) => void } = {},
): DeliveryLoop {
  const { config, clock } = deps
  const slots = createSlots((inFlight) => void attempt(inFlight))
  const checkClock = watchClock(clock)
  const headersOf = createHeaders(deps)
  const sender = createSender({
    clock,
    policy: createAddressPolicy(config.webhookAllow),
    timeoutMs: config.webhookTimeoutMs,
    ca: config.webhookCa,
    ...(given.resolve && { resolve: given.resolve }),
  })
  let isStopping = false
  /** When results that wait to share a commit must be recorded. */
  let recordBy = Number.POSITIVE_INFINITY
  /** Rows may be in flight that no attempt here belongs to: at start, and after a commit whose outcome is unknown. */
  let mustRecover = true
  let clockJump: ClockJump | null = null
  let waitUntil = Number.NEGATIVE_INFINITY

  async function run(): Promise<number> {
    const wait = waitUntil - clock.monotonic()
    if (wait > 0) return wait
    clockJump = checkClock() ?? clockJump
    const now = clock.now()
    const due = isStopping ? [] : await dueEndpoints(now)
    if (!mustRecover && !clockJump) {
      const tasks = planTasks(due)
      const untilRecord = recordBy - clock.monotonic()
      if (tasks.length === 0 || (untilRecord > 0 && tasks.every(hasEnoughQueued))) {
        const untilDue = Math.min(await timeUntilNextDue(now), untilRecord)
        return untilDue > 0 ? untilDue : run()
      }
    }
    return (await commitBatch(due)) ? 0 : WAIT_AFTER_STORAGE_ERROR_MS
  }

  /** All groups of endpoints together, the one that has waited longest first. */
  async function dueEndpoints(now: number): Promise<DueEndpoint[]> {
    const { limit, without } = slots.endpointsWanted()
    const find = (group: EndpointGroup) =>
      findDueEndpoints(deps.database.read, group, { now, limit, without: without[group] })
    const due = [...(await find('healthy')), ...(await find('other')), ...(await find('unresponsive'))]
    return due.sort((a, b) => a.nextDeliveryAt - b.nextDeliveryAt)
  }

  /**
   * By endpoint id, the order in which a ticket's unit locks endpoints (outbox.ts), so that the two never wait for each
   * other. There are two exceptions: `clearSchedule` locks endpoints in any order, and switching an endpoint off locks
   * its organization after the endpoint. There PostgreSQL may end one of the units, and `write` runs it again.
   */
  function planTasks(due: DueEndpoint[]): EndpointTask[] {
    const claims = slots.share(due)
    const finished = Map.groupBy(slots.finished(), ({ endpoint }) => endpoint.id)
    return [...new Set([...claims.keys(), ...finished.keys()])].sort().map((endpointId) => ({
      endpointId,
      finished: finished.get(endpointId) ?? [],
      claims: claims.get(endpointId) ?? 0,
    }))
  }

  async function commitBatch(due: DueEndpoint[]): Promise<boolean> {
    try {
      const { recorded, processed } = await deps.database.write((tx) => processBatch(tx, due))
      clockJump = null
      mustRecover = false
      slots.remove(recorded)
      for (const each of processed) startAttempts(each)
      logSwitchedOff(processed)
      return true
    } catch (error) {
      // The results stay in memory until they are on disk.
      deps.log.error('delivery_results_not_saved', { error, waiting: slots.finished().length })
      mustRecover = true
      waitUntil = clock.monotonic() + WAIT_AFTER_STORAGE_ERROR_MS
      return false
    }
  }

  async function processBatch(
    tx: Transaction,
    due: DueEndpoint[],
  ): Promise<{ recorded: DeliveryInFlight[]; processed: ProcessedEndpoint[] }> {
    if (clockJump || mustRecover) await clearSchedule(tx)
    if (clockJump) await shiftDueTimes(tx, clock.now(), clockJump)
    if (mustRecover) await recoverInterrupted(deps, tx, slots)
    if (clockJump || mustRecover) {
      await clampDueTimes(deps, tx)
      await rebuildSchedule(tx)
    }
    // Planned here and not before, to include results that came while the unit was queued.
    recordBy = Number.POSITIVE_INFINITY
    const tasks = planTasks(isStopping ? [] : due)
    const processed: ProcessedEndpoint[] = []
    for (const task of tasks) {
      const each = await processEndpoint(deps, tx, task)
      if (each) processed.push(each)
    }
    await recordSwitchedOff(tx, processed)
    return { recorded: tasks.flatMap((task) => task.finished), processed }
  }

  async function recordSwitchedOff(tx: Transaction, processed: ProcessedEndpoint[]): Promise<void> {
    const orgIds = processed.filter((each) => each.wasSwitchedOff).map(({ endpoint }) => endpoint.orgId)
    for (const orgId of [...new Set(orgIds)].sort()) await recordWorkspaceChange(deps, tx, orgId)
  }

  function logSwitchedOff(processed: ProcessedEndpoint[]): void {
    for (const { endpoint, wasSwitchedOff } of processed) {
      if (!wasSwitchedOff) continue
      deps.log.warn('endpoint_switched_off', { endpoint: endpoint.id, reason: endpoint.offReason })
    }
  }

  function startAttempts({ endpoint, claimed }: ProcessedEndpoint): void {
    for (const delivery of claimed) slots.add({ delivery, endpoint, result: null })
  }

  async function attempt(inFlight: DeliveryInFlight): Promise<void> {
    const result = await sendDelivery(deps, sender, headersOf, inFlight)
    given.onAttempt?.(result.outcome)
    slots.finish(inFlight, result)
    recordWithin(hasEnoughQueued({ endpointId: inFlight.endpoint.id }) ? SHARED_COMMIT_MS : 0)
  }

  /**
   * If so, its results wait a moment, because each commit costs as much as several deliveries and wakes every other
   * loop.
   */
  function hasEnoughQueued({ endpointId }: Pick<EndpointTask, 'endpointId'>): boolean {
    return slots.queuedFor(endpointId) >= ENOUGH_QUEUED
  }

  function recordWithin(milliseconds: number): void {
    const at = clock.monotonic() + milliseconds
    if (at >= recordBy) return
    recordBy = at
    if (milliseconds === 0) loop.wake()
    else clock.after(milliseconds, loop.wake)
  }

  /** Counted from the time of the last query, so that nothing that became due since then is missed. */
  async function timeUntilNextDue(now: number): Promise<number> {
    const [healthy] = await findNextDueAt(deps.database.read, { now, isHealthy: true })
    const [unhealthy] = await findNextDueAt(deps.database.read, { now, isHealthy: false })
    const at = Math.min(healthy?.at ?? Number.POSITIVE_INFINITY, unhealthy?.at ?? Number.POSITIVE_INFINITY)
    return Math.min(at - clock.now(), MAX_WAIT_MS)
  }

  const loop = startLoop(deps, 'deliver', run)
  return {
    async stop() {
      isStopping = true
      slots.returnQueued()
      const timeout = Promise.withResolvers<void>()
      const cancelTimeout = clock.after(SHUTDOWN_TIMEOUT_MS, timeout.resolve)
      await Promise.race([slots.untilIdle(), timeout.promise])
      cancelTimeout()
      sender.close()
      await loop.stop()
      // The last batch may have started more attempts; the closed sender ends them at once.
      slots.returnQueued()
      await slots.untilIdle()
      if (slots.finished().length > 0) await commitBatch([])
    },
  }
}
