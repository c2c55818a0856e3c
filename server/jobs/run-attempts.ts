import type { PgTable } from 'drizzle-orm/pg-core'
import type { Reader, Transaction } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { startLoop } from '../loop.ts'
import { type ClockJump, watchClock } from './clock-jump.ts'

const MAX_WAIT_MS = 60_000
const WAIT_AFTER_STORAGE_ERROR_MS = 1_000
const SHUTDOWN_TIMEOUT_MS = 10_000
/** Jobs claimed in one batch, and jobs queued in all: with fewer, a fast lane waits for commits. */
const MAX_BATCH = 128
/** Queued jobs, as a multiple of what the lane finished since the last batch: above 1, so that it can grow. */
const QUEUE_GROWTH = 2
/** How long a result may wait to share a commit with others while its lane has this many jobs queued. */
const SHARED_COMMIT_MS = 20
const ENOUGH_QUEUED = 8
/** This share of each limit is only for organizations that have fewer attempts in progress than `FEW`. */
const RESERVED_SHARE = 3 / 16
const FEW = 4

/** What has its jobs attempted by one holder: a webhook endpoint, a mailbox, a bot. */
export interface AttemptLane {
  id: string
  orgId: string
  /** Attempts at the same time. */
  atOnce: number
  /** Its newest attempt got no response. */
  isUnresponsive?: boolean
  /** Some more jobs are claimed and queued, in proportion to how many finish, so that sockets don't wait for the disk. */
  isQueued?: boolean
  /** Jobs that can be claimed, if that is known. */
  claimable?: number
  /** Something other than claims and results is to be done for it. */
  mustRecover?: boolean
}

/** Attempts in progress that share a limit. `earlier`: attempts of the same lane that were already in progress. */
interface Limit {
  size: number
  counts(lane: AttemptLane, earlier: number): boolean
}

/** `unsent`: it was claimed, but returned before its attempt began. */
interface FinishedJob<J, R> {
  job: J
  result: R | 'unsent'
}

/** What a batch does for one lane. */
export interface LaneTask<J, R> {
  laneId: string
  finished: FinishedJob<J, R>[]
  /** How many jobs it may claim. */
  claims: number
  /** Rows may be marked as in progress that no attempt belongs to: after a crash, or a commit of unknown outcome. */
  mustRecover: boolean
}

interface Batch<J> {
  claimed: { lane: AttemptLane; jobs: J[] }[]
  /** Runs after the commit. */
  afterCommit?: () => void
}

/** A kind of job whose attempts have an effect outside, so that a claim and a result are rows. */
interface AttemptKind<J extends { id: string }, R> {
  /** Name in the log. */
  name: string
  /** Commits that write one of these may make a job due. */
  tables: PgTable[]
  limits: Limit[]
  /**
   * Lanes with due jobs, the one that has waited longest first. At most `limit`, so that those without a free slot
   * can't hide one that has one. `full`: by limit, the organizations that have no room in it.
   */
  findDue(read: Reader, wanted: { now: number; limit: number; full: string[][] }): Promise<AttemptLane[]>
  /** When the next job becomes due after `now`. */
  findNextDueAt(read: Reader, now: number): Promise<number | undefined>
  /** Lanes with rows that a crash left in progress, or due times that only a wrong clock can have written. */
  findDisturbed(read: Reader): Promise<string[]>
  /**
   * Records results, recovers, and claims, each lane's in this order. A result counts only for the attempt that is still
   * current. `isRunning`: whether an attempt of this server belongs to a job.
   */
  process(tx: Transaction, tasks: LaneTask<J, R>[], isRunning: (jobId: string) => boolean): Promise<Batch<J>>
  /** Makes one attempt. Never rejects: a failure is a result. */
  run(job: J): Promise<R>
  hasFailed(result: R): boolean
  /** Shifts due times with the clock. */
  shift(tx: Transaction, jump: ClockJump): Promise<void>
  /** Ends what attempts use, so that those in progress end at once. */
  close(): Promise<void> | void
  /** How a storage error is logged. */
  notSaved: string
}

export interface Attempts {
  /** Claims nothing more, waits for attempts in progress (at most 10 s) and records the results. */
  stop(): Promise<void>
}

/** A claimed job, from its claim until its result is on disk. */
interface Claimed<J, R> {
  job: J
  laneId: string
  result?: R | 'unsent'
}

interface HeldLane<J, R> {
  lane: AttemptLane
  running: number
  queue: Claimed<J, R>[]
}

/**
 * Attempts what is due, in batches. A batch is one transaction that records the results of finished attempts and claims
 * the next jobs; their attempts start after the commit. Only claimed jobs are in memory. After a storage error, results
 * stay there until they are on disk.
 */
export function runAttempts<J extends { id: string }, R>(deps: Deps, kind: AttemptKind<J, R>): Attempts {
  const { clock, database } = deps
  const checkClock = watchClock(clock)
  const jobs = new Map<string, Claimed<J, R>>()
  const finished = new Set<Claimed<J, R>>()
  /** Those with attempts in progress. */
  const lanes = new Map<string, HeldLane<J, R>>()
  /** Lanes to recover; unknown at start. */
  let disturbed: Set<string> | undefined
  let jump: ClockJump | null = null
  let isStopping = false
  /** When results that wait to share a commit must be recorded. */
  let recordBy = Number.POSITIVE_INFINITY
  let waitUntil = Number.NEGATIVE_INFINITY
  const onIdle: (() => void)[] = []

  async function run(): Promise<number> {
    const wait = waitUntil - clock.monotonic()
    if (wait > 0) return wait
    jump = checkClock() ?? jump
    if (jump && !(await shift(jump))) return WAIT_AFTER_STORAGE_ERROR_MS
    disturbed ??= new Set(await kind.findDisturbed(database.read))
    const now = clock.now()
    const due = isStopping ? [] : await findDue(now)
    const tasks = plan(due)
    const untilRecord = recordBy - clock.monotonic()
    if (tasks.length === 0 || (untilRecord > 0 && tasks.every(hasEnoughQueued))) {
      const nextDueAt = await kind.findNextDueAt(database.read, now)
      const untilDue = (nextDueAt ?? Number.POSITIVE_INFINITY) - clock.now()
      return Math.min(untilDue, untilRecord, MAX_WAIT_MS)
    }
    return (await commitBatch(due)) ? 0 : WAIT_AFTER_STORAGE_ERROR_MS
  }

  async function shift(by: ClockJump): Promise<boolean> {
    const isShifted = await saved(() => database.write((tx) => kind.shift(tx, by)))
    if (isShifted) jump = null
    return isShifted
  }

  async function findDue(now: number): Promise<AttemptLane[]> {
    const usage = currentUsage()
    const organizations = [...new Set([...lanes.values()].map(({ lane }) => lane.orgId))]
    const full = usage.map((used, at) =>
      organizations.filter((orgId) => !hasRoom(kind.limits[at], used, orgId)),
    )
    const due = await kind.findDue(database.read, { now, limit: MAX_BATCH + lanes.size, full })
    for (const lane of due) if (lane.mustRecover) disturbed?.add(lane.id)
    return due
  }

  /** By lane id, the order in which every unit locks the rows of several lanes. */
  function plan(due: AttemptLane[]): LaneTask<J, R>[] {
    const claims = share(due)
    const byLane = Map.groupBy(finished, ({ laneId }) => laneId)
    const laneIds = new Set([...claims.keys(), ...byLane.keys(), ...(disturbed ?? [])])
    return [...laneIds].sort().map((laneId) => ({
      laneId,
      finished: (byLane.get(laneId) ?? []).flatMap(({ job, result }) => (result ? [{ job, result }] : [])),
      claims: claims.get(laneId) ?? 0,
      mustRecover: disturbed?.has(laneId) ?? false,
    }))
  }

  async function commitBatch(due: AttemptLane[]): Promise<boolean> {
    let tasks: LaneTask<J, R>[] = []
    const isSaved = await saved(async () => {
      const batch = await database.write((tx) => {
        // Planned here and not before, to include results that came while the unit was queued.
        recordBy = Number.POSITIVE_INFINITY
        tasks = plan(isStopping ? [] : due)
        return kind.process(tx, tasks, (id) => jobs.has(id))
      })
      for (const { laneId, finished: recorded, mustRecover } of tasks) {
        if (mustRecover) disturbed?.delete(laneId)
        for (const { job } of recorded) forget(job)
      }
      for (const { lane, jobs: claimed } of batch.claimed) {
        for (const job of claimed) add(lane, job)
      }
      batch.afterCommit?.()
    })
    if (!isSaved) for (const { laneId } of tasks) disturbed?.add(laneId)
    return isSaved
  }

  async function saved(write: () => Promise<void>): Promise<boolean> {
    try {
      await write()
      return true
    } catch (error) {
      deps.log.error(kind.notSaved, { error, waiting: finished.size })
      waitUntil = clock.monotonic() + WAIT_AFTER_STORAGE_ERROR_MS
      return false
    }
  }

  function forget({ id }: J): void {
    const claimed = jobs.get(id)
    if (claimed) finished.delete(claimed)
    jobs.delete(id)
  }

  /** Starts the attempt, or queues it until its lane has a free slot. */
  function add(lane: AttemptLane, job: J): void {
    const claimed: Claimed<J, R> = { job, laneId: lane.id }
    jobs.set(job.id, claimed)
    const held = lanes.get(lane.id) ?? { lane, running: 0, queue: [] }
    lanes.set(lane.id, held)
    if (held.running === 0) held.lane = lane
    if (held.running < held.lane.atOnce) void attempt(held, claimed)
    else held.queue.push(claimed)
  }

  /** Makes an attempt, and then the lane's next one. After a failure, the lane's queue is returned unsent. */
  async function attempt(held: HeldLane<J, R>, claimed: Claimed<J, R>): Promise<void> {
    held.running++
    const result = await kind.run(claimed.job)
    held.running--
    claimed.result = result
    finished.add(claimed)
    if (kind.hasFailed(result)) returnQueue(held)
    const next = held.queue.shift()
    if (next) void attempt(held, next)
    else if (held.running === 0) lanes.delete(claimed.laneId)
    if (lanes.size === 0) for (const call of onIdle.splice(0)) call()
    recordWithin(held.queue.length >= ENOUGH_QUEUED ? SHARED_COMMIT_MS : 0)
  }

  function returnQueue({ queue }: HeldLane<J, R>): void {
    for (const claimed of queue.splice(0)) {
      claimed.result = 'unsent'
      finished.add(claimed)
    }
  }

  /** Each commit costs as much as several jobs, so results of a lane with a long queue wait for others. */
  function hasEnoughQueued({ laneId }: LaneTask<J, R>): boolean {
    return (lanes.get(laneId)?.queue.length ?? 0) >= ENOUGH_QUEUED
  }

  function recordWithin(milliseconds: number): void {
    const at = clock.monotonic() + milliseconds
    if (at >= recordBy) return
    recordBy = at
    if (milliseconds === 0) loop.wake()
    else clock.after(milliseconds, loop.wake)
  }

  /**
   * How many jobs each of these lanes may claim now. Organizations take turns, and lanes within one: one claim for each
   * in order, then a second one, until nothing is left or wanted.
   */
  function share(due: AttemptLane[]): Map<string, number> {
    const finishedBy = Map.groupBy(finished, ({ laneId }) => laneId)
    const usage = currentUsage()
    const queued = [...lanes.values()].reduce((sum, { queue }) => sum + queue.length, 0)
    const left = { claims: MAX_BATCH, queue: MAX_BATCH - queued }
    const claims = new Map<string, number>()
    // What a lane may claim after a failure is known when that is recorded.
    const isKnown = ({ id }: AttemptLane) => !finishedBy.get(id)?.some(endedInFailure)
    let open = inTurns(due.filter(isKnown)).map((lane) => {
      const { running: used, queue } = lanes.get(lane.id) ?? { running: 0, queue: [] }
      const growth = QUEUE_GROWTH * (finishedBy.get(lane.id)?.length ?? 0) - queue.length
      return {
        lane,
        used,
        wanted: lane.claimable ?? Number.POSITIVE_INFINITY,
        queue: lane.isQueued ? growth : 0,
      }
    })
    while (open.length > 0 && left.claims > 0) {
      open = open.filter((one) => {
        if (left.claims <= 0 || one.wanted <= 0) return false
        if (one.used < one.lane.atOnce) {
          if (!reserve(usage, one.lane, one.used)) return false
          one.used++
        } else {
          if (one.queue <= 0 || left.queue <= 0) return false
          one.queue--
          left.queue--
        }
        one.wanted--
        left.claims--
        claims.set(one.lane.id, (claims.get(one.lane.id) ?? 0) + 1)
        return true
      })
    }
    return claims
  }

  function endedInFailure({ result }: Claimed<J, R>): boolean {
    return result !== undefined && result !== 'unsent' && kind.hasFailed(result)
  }

  /** Attempts in progress by limit and organization. */
  function currentUsage(): Usage[] {
    const usage = kind.limits.map((): Usage => ({ total: 0, byOrganization: new Map() }))
    for (const { lane, running: used } of lanes.values()) {
      for (let earlier = 0; earlier < used; earlier++) count(usage, lane, earlier)
    }
    return usage
  }

  function count(usage: Usage[], lane: AttemptLane, earlier: number): void {
    for (const [at, limit] of kind.limits.entries()) {
      const used = usage[at]
      if (!used || !limit.counts(lane, earlier)) continue
      used.total++
      used.byOrganization.set(lane.orgId, (used.byOrganization.get(lane.orgId) ?? 0) + 1)
    }
  }

  /** Counts one more attempt of a lane, unless a limit has no room for it. */
  function reserve(usage: Usage[], lane: AttemptLane, earlier: number): boolean {
    const isFull = kind.limits.some(
      (limit, at) => limit.counts(lane, earlier) && !hasRoom(limit, usage[at], lane.orgId),
    )
    if (!isFull) count(usage, lane, earlier)
    return !isFull
  }

  function untilIdle(): Promise<void> {
    return lanes.size === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))
  }

  const loop = startLoop(deps, kind.name, kind.tables, run)
  return {
    async stop() {
      isStopping = true
      for (const lane of lanes.values()) returnQueue(lane)
      const timeout = Promise.withResolvers<void>()
      const cancelTimeout = clock.after(SHUTDOWN_TIMEOUT_MS, timeout.resolve)
      await Promise.race([untilIdle(), timeout.promise])
      cancelTimeout()
      await kind.close()
      await loop.stop()
      // The last batch may have started more attempts, which end at once now.
      for (const lane of lanes.values()) returnQueue(lane)
      await untilIdle()
      if (finished.size > 0) await commitBatch([])
    },
  }
}

interface Usage {
  total: number
  byOrganization: Map<string, number>
}

/** An organization can't take a whole limit. */
function hasRoom(limit: Limit | undefined, used: Usage | undefined, orgId: string): boolean {
  if (!limit || !used) return true
  const hasFew = (used.byOrganization.get(orgId) ?? 0) < FEW
  return used.total < limit.size * (hasFew ? 1 : 1 - RESERVED_SHARE)
}

/** The first lane of each organization, then the second of each. */
function inTurns(due: AttemptLane[]): AttemptLane[] {
  const rounds: AttemptLane[][] = []
  const seen = new Map<string, number>()
  for (const lane of due) {
    const round = seen.get(lane.orgId) ?? 0
    seen.set(lane.orgId, round + 1)
    rounds[round] ??= []
    rounds[round].push(lane)
  }
  return rounds.flat()
}
