import { type ClockJump, watchClock } from '../clock-jump.ts'
import type { SendChannel } from '../database/tables/sends.ts'
import type { Deps } from '../deps.ts'
import { startLoop } from '../loop.ts'
import { findClaimable, findFirstDue, findNextDue, findNextLane, findParkedLanes } from './claim-sends.ts'
import type { Send } from './queries.ts'
import { openRecipients } from './record-attempt.ts'
import { type EndedAttempt, processBatch } from './send-batch.ts'
import { recipientsOf } from './send-content.ts'
import { channelOf, findLane, reasonToWait } from './send-lanes.ts'
import type { AttemptResult, Transport } from './transport.ts'

/**
 * The most attempts at the same time. Many mail servers allow few connections. Attempts of a bot are for different
 * chats, and each waits until its chat can get the next message.
 */
const MAX_PER_LANE: Record<SendChannel, number> = { email: 4, telegram: 32 }
/** The same for a mailbox or bot whose newest attempt failed, so that it occupies one connection at most. */
const MAX_PER_FAILING_LANE = 1
/** Attempts of all lanes. */
const MAX_IN_FLIGHT = 256
const MAX_WAIT_MS = 60_000
const WAIT_AFTER_STORAGE_ERROR_MS = 1_000
const SHUTDOWN_TIMEOUT_MS = 10_000

/** Each is loaded when there is something to send. */
type Transports = Record<SendChannel, () => Promise<Transport>>

interface SendingLoop {
  /** Claims nothing more, waits for attempts in progress (at most 10 s) and records the results. */
  stop(): Promise<void>
}

/**
 * Sends due messages in batches. One unit records the results of finished attempts and claims the next sends, and their
 * attempts start after its commit. Everything in memory is also a row, so that a crash loses nothing. Lanes don't wait
 * for each other. `onAttempt` is called with `sent`, or with what went wrong.
 */
export function startSending(
  deps: Deps,
  transports: Transports,
  onAttempt: (outcome: string) => void = () => {},
): SendingLoop {
  const { clock, database } = deps
  const checkClock = watchClock(clock)
  const loaded = new Map<SendChannel, Promise<Transport>>()
  /** From the claim until the result is on disk. */
  const inFlight = new Map<string, Send>()
  const ended = new Map<string, EndedAttempt>()
  const running = new Set<Promise<void>>()
  const failingLanes = new Set<string>()
  let parkedLanes: Set<string> | undefined
  let isStopping = false
  /** Rows may be marked as being sent that no attempt here belongs to: at start, and after an unknown commit. */
  let mustRecover = true
  let clockJump: ClockJump | null = null
  let waitUntil = Number.NEGATIVE_INFINITY

  async function run(): Promise<number> {
    const wait = waitUntil - clock.monotonic()
    if (wait > 0) return wait
    clockJump = checkClock() ?? clockJump
    const now = clock.now()
    const opened = await lanesToOpen()
    const hasToRepair = (mustRecover || clockJump !== null) && (await hasUnfinished())
    // After a jump of the clock, what looks due may not be.
    const mayClaim = !isStopping && !hasToRepair
    const claims = mayClaim ? await findClaims(now) : new Map<string, string[]>()
    if (!hasToRepair && ended.size === 0 && claims.size === 0 && opened.length === 0) {
      mustRecover = false
      clockJump = null
      return timeUntilNextDue(now)
    }
    return (await commitBatch(claims, opened)) ? 0 : WAIT_AFTER_STORAGE_ERROR_MS
  }

  async function hasUnfinished(): Promise<boolean> {
    return (await findNextLane(database.read, { after: '' })).length > 0
  }

  /** Parked lanes that are active again, or removed. Only these are queried at every commit. */
  async function lanesToOpen(): Promise<string[]> {
    parkedLanes ??= new Set((await findParkedLanes(database.read, {})).map(({ laneId }) => laneId))
    const opened: string[] = []
    for (const id of parkedLanes) {
      const lane = await findLane(database.read, id)
      const isParked = lane && lane.deletedAt === null && reasonToWait(lane) !== undefined
      if (!isParked) opened.push(id)
    }
    return opened
  }

  async function findClaims(now: number): Promise<Map<string, string[]>> {
    const claims = new Map<string, string[]>()
    const [first] = await findFirstDue(database.read, {})
    if (!first || first.dueAt > now) return claims
    const used = Map.groupBy(inFlight.values(), ({ laneId }) => laneId)
    let left = MAX_IN_FLIGHT - inFlight.size
    let [lane] = await findNextLane(database.read, { after: '' })
    while (lane && left > 0) {
      const { laneId } = lane
      const capacity = failingLanes.has(laneId) ? MAX_PER_FAILING_LANE : MAX_PER_LANE[channelOf(laneId)]
      const limit = Math.min(capacity - (used.get(laneId)?.length ?? 0), left)
      const ids = limit > 0 ? await findClaimable(database.read, { laneId, now, limit }) : []
      if (ids.length > 0)
        claims.set(
          laneId,
          ids.map(({ id }) => id),
        )
      left -= ids.length
      ;[lane] = await findNextLane(database.read, { after: laneId })
    }
    return claims
  }

  async function commitBatch(claims: Map<string, string[]>, opened: string[]): Promise<boolean> {
    const finished = [...ended.values()]
    const repairs = { clockJump, mustRecover, inFlight: new Set(inFlight.keys()) }
    try {
      const batch = await database.write((tx) =>
        processBatch(deps, tx, { finished, claims, opened, ...repairs }),
      )
      clockJump = null
      mustRecover = false
      for (const attempt of finished) noteResult(attempt)
      for (const laneId of opened) parkedLanes?.delete(laneId)
      for (const laneId of batch.parked) parkedLanes?.add(laneId)
      for (const send of batch.claimed) start(send)
      return true
    } catch (error) {
      // The results stay in memory until they are on disk.
      deps.log.error('sends_not_saved', { error, waiting: finished.length })
      mustRecover = true
      waitUntil = clock.monotonic() + WAIT_AFTER_STORAGE_ERROR_MS
      return false
    }
  }

  function noteResult({ send, result }: EndedAttempt): void {
    onAttempt(outcomeOf(result))
    ended.delete(send.id)
    inFlight.delete(send.id)
    if (result.fault === 'lane') failingLanes.add(send.laneId)
    else if (result.fault !== 'interrupted') failingLanes.delete(send.laneId)
    if (UNLOGGED.includes(result.fault)) return
    deps.log.warn('send_failed', {
      send: send.id,
      message: send.messageId,
      lane: send.laneId,
      fault: result.fault,
      reason: result.error,
    })
  }

  function start(send: Send): void {
    inFlight.set(send.id, send)
    const attempting = attempt(send).finally(() => running.delete(attempting))
    running.add(attempting)
  }

  async function attempt(send: Send): Promise<void> {
    const startedAt = clock.now()
    const recipients = openRecipients(recipientsOf(send), send.outcomes)
    const result = await transportOf(send.channel)
      .then((transport) => transport.attempt(send, recipients))
      .catch((error) => failedHere(send, error))
    ended.set(send.id, { send, recipients, result, startedAt })
    loop.wake()
  }

  function transportOf(channel: SendChannel): Promise<Transport> {
    const known = loaded.get(channel) ?? transports[channel]()
    loaded.set(channel, known)
    return known
  }

  /** A fault of this server. It is retried like one of the other side. */
  function failedHere(send: Send, error: unknown): AttemptResult {
    deps.log.error('send_not_attempted', { send: send.id, error })
    return { outcomes: [], error: "Bellhop couldn't send it. Check the server log.", fault: 'message' }
  }

  /** Counted from the time of the last query, so that nothing that became due since then is missed. */
  async function timeUntilNextDue(now: number): Promise<number> {
    const [next] = await findNextDue(database.read, { now })
    return Math.min(next ? next.dueAt - clock.now() : MAX_WAIT_MS, MAX_WAIT_MS)
  }

  const loop = startLoop(deps, 'send', run)
  return {
    async stop() {
      isStopping = true
      const timeout = Promise.withResolvers<void>()
      const cancelTimeout = clock.after(SHUTDOWN_TIMEOUT_MS, timeout.resolve)
      await Promise.race([untilIdle(), timeout.promise])
      cancelTimeout()
      await loop.stop()
      for (const transport of loaded.values()) await transport.then((each) => each.close()).catch(() => {})
      // The last batch may have started more attempts; the closed transport ends them at once.
      await untilIdle()
      if (ended.size > 0) await commitBatch(new Map(), [])
    },
  }

  async function untilIdle(): Promise<void> {
    while (running.size > 0) await Promise.all(running)
  }
}

/** Faults that are expected and not logged, such as Telegram's rate limits. */
const UNLOGGED: AttemptResult['fault'][] = ['none', 'interrupted', 'limited', 'lane limited']

const FAULTS = {
  none: 'sent',
  message: 'deferred',
  limited: 'limited',
  'lane limited': 'limited',
  lane: 'connection_failed',
  'sign in': 'sign_in_failed',
  interrupted: 'interrupted',
} as const

/** As a label of the metrics. `refused`: some recipient doesn't get it; `deferred`: it goes again. */
function outcomeOf({ fault, outcomes, error }: AttemptResult): string {
  const isRefused = error === '' && outcomes.some(({ state }) => state === 'failed')
  return isRefused ? 'refused' : FAULTS[fault]
}
