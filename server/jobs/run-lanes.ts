import type { PgTable } from 'drizzle-orm/pg-core'
import { partitionOf } from '../cluster/partitions.ts'
import type { Reader } from '../database/database.ts'
import { PartitionLost, withFence } from '../database/postgresql/fence.ts'
import type { Deps } from '../deps.ts'
import { createErrorLog, type Loop, startLoop, yieldToEventLoop } from '../loop.ts'

const MAX_WAIT_MS = 60_000
const REST_AFTER_ERROR_MS = 1_000

/** A line of jobs that run one after the other, such as the mails of a mailbox. */
interface Lane {
  id: string
  /** Wall clock, in milliseconds; 0 for at once. */
  dueAt: number
}

interface Running {
  /** Another node is to do the lane's work. */
  lost: AbortController
  done: Promise<void>
}

/** A kind of work in lanes. What one run does is a unit of its own: a crash before it ends loses nothing. */
interface LaneKind<L extends Lane> {
  /** Name in the log. */
  name: string
  /** Commits that write one of these may make a lane due. */
  tables: PgTable[]
  /** Lanes that run at the same time. */
  atOnce: number
  /**
   * Lanes with jobs, at most `limit`: those that are due first, or in the order of their ids after `after`. It may
   * include some that are running. `held`: the last characters of the ids that are this node's.
   */
  find(read: Reader, wanted: { limit: number; after: string; held: string }): Promise<L[]>
  /** Whether `find` goes by ids. Then the lanes take turns, in a circle. */
  takesTurns?: boolean
  /** Does some of the lane's jobs. Nothing else runs the lane meanwhile. Returns for how many ms the lane rests. */
  run(lane: L, signal: AbortSignal): Promise<number>
  /** How a failure is logged. */
  failure: string
  /** For how long a lane rests after a failure. */
  restAfterErrorMs?: number
}

/**
 * Runs lanes as they become due. A lane that fails or takes long delays only itself. Stopping aborts the signal and
 * waits for what is running.
 */
export function runLanes<L extends Lane>(deps: Deps, kind: LaneKind<L>): Loop {
  const { clock, database } = deps
  const { partitions } = deps.cluster
  const running = new Map<string, Running>()
  /** Until when lanes rest, on the monotonic clock. Those whose rest is over stay here until they run again. */
  const resting = new Map<string, number>()
  const logError = createErrorLog(deps, kind.failure)
  const stopping = new AbortController()
  /** The lane that began last. */
  let last = ''

  const loop = startLoop(deps, kind.name, kind.tables, async () => {
    const lanes = await findLanes()
    const [now, monotonic] = [clock.now(), clock.monotonic()]
    // `wait`: in how many ms it may run; negative for since when.
    const waiting = lanes.flatMap((lane) => {
      if (running.has(lane.id)) return []
      const untilRested = (resting.get(lane.id) ?? Number.NEGATIVE_INFINITY) - monotonic
      return [{ lane, wait: Math.max(lane.dueAt - now, untilRested) }]
    })
    // A lane that rested comes after those that became due meanwhile: many that fail delay no one else.
    if (!kind.takesTurns) waiting.sort((one, other) => one.wait - other.wait)
    for (const { lane, wait } of waiting) {
      if (running.size >= kind.atOnce || stopping.signal.aborted) break
      if (wait > 0 || !partitions.has(lane.id)) continue
      last = lane.id
      begin(lane)
    }
    return Math.min(...waiting.flatMap(({ wait }) => (wait > 0 ? [wait] : [])), MAX_WAIT_MS)
  })

  /** Those that are running, rest or have rested are among them, so that they don't hide others. */
  async function findLanes(): Promise<L[]> {
    const limit = 2 * kind.atOnce + running.size + resting.size
    const after = kind.takesTurns ? last : ''
    const held = partitions.held()
    if (held === '') return []
    const found = after === '' ? [] : await kind.find(database.read, { limit, after, held })
    if (found.length === limit) return found
    const first = await kind.find(database.read, { limit, after: '', held })
    if (first.length < limit) endRests(first)
    const known = new Set(found.map(({ id }) => id))
    return [...found, ...first.filter(({ id }) => !known.has(id))]
  }

  /** Forgets the rests that are over of lanes without jobs. `lanes` are all that have some. */
  function endRests(lanes: L[]): void {
    const known = new Set(lanes.map(({ id }) => id))
    const now = clock.monotonic()
    for (const [id, until] of resting) if (until <= now && !known.has(id)) resting.delete(id)
  }

  function begin(lane: L): void {
    const lost = new AbortController()
    const signal = AbortSignal.any([stopping.signal, lost.signal])
    const done = withFence(partitions.fenceOf([lane.id]), () => runLane(lane, signal))
    running.set(lane.id, { lost, done })
  }

  async function runLane(lane: L, signal: AbortSignal): Promise<void> {
    resting.delete(lane.id)
    const rest = await kind.run(lane, signal).catch((error) => {
      if (!(signal.aborted || error instanceof PartitionLost)) logError({ lane: lane.id, error })
      return kind.restAfterErrorMs ?? REST_AFTER_ERROR_MS
    })
    // A run that only reads ends in the same turn, and a lane that is due again must not keep requests waiting.
    await yieldToEventLoop()
    if (rest > 0) resting.set(lane.id, clock.monotonic() + rest)
    running.delete(lane.id)
    loop.wake()
  }

  const stopFollowing = partitions.follow({
    onChange() {
      // As when the server stops: what is given back ends soon.
      for (const [id, { lost }] of running) if (!partitions.has(id)) lost.abort()
      loop.wake()
    },
    isBusy: (partition) => [...running.keys()].some((id) => partitionOf(id) === partition),
  })

  return {
    wake: loop.wake,
    async stop() {
      stopping.abort()
      await loop.stop()
      await Promise.all([...running.values()].map(({ done }) => done))
      stopFollowing()
    },
  }
}
