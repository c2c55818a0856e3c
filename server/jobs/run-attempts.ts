import type { PgTable } from 'drizzle-orm/pg-core'
import { partitionOf } from '../cluster/partitions.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { type Fence, PartitionLost, withFence } from '../database/postgresql/fence.ts'
import type { Deps } from '../deps.ts'
import { startLoop } from '../loop.ts'
import {
  type AttemptLane,
  type BusyLane,
  fullOrganizations,
  type Limit,
  MAX_BATCH,
  shareOfClaims,
} from './capacity.ts'
import { type ClockJump, watchClock } from './clock-jump.ts'

const MAX_WAIT_MS = 60_000
const WAIT_AFTER_STORAGE_ERROR_MS = 1_000
const SHUTDOWN_TIMEOUT_MS = 10_000
/** When the other nodes know that the clock was set back: they ask each second, and a dead connection is noticed within five. */
const CLOCK_KNOWN_MS = [2_000, 8_000]
/** How long a result may wait to share a commit with others while its lane has this many jobs queued. */
const SHARED_COMMIT_MS = 20
const ENOUGH_QUEUED = 8

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
   * can't hide one that has one. `full`: by limit, the organizations that have no room in it. `held`: the last characters
   * of the ids of lanes that are this node's.
   */
  findDue(
    read: Reader,
    wanted: { now: number; limit: number; full: string[][]; held: string },
  ): Promise<AttemptLane[]>
  /** When the next job becomes due after `now`. */
  findNextDueAt(read: Reader, wanted: { now: number; held: string }): Promise<number | undefined>
  /**
   * Lanes with rows that a crash left in progress, or due times that only a wrong clock can have written. Only those whose
   * ids end with one of `held`.
   */
  findDisturbed(read: Reader, held: string): Promise<string[]>
  /**
   * Records results, recovers, and claims, each lane's in this order. A result counts only for the attempt that is still
   * current. `isRunning`: whether an attempt of this server belongs to a job. Due times are reckoned from `now`.
   */
  process(
    tx: Transaction,
    tasks: LaneTask<J, R>[],
    by: { isRunning: (jobId: string) => boolean; now: number },
  ): Promise<Batch<J>>
  /**
   * Makes one attempt, and waits before while `atOnce` attempts of its lane are in progress. After a failure, those of the
   * lane that wait end as `unsent`. Never rejects: a failure is a result.
   */
  run(job: J, atOnce: number): Promise<R | 'unsent'>
  hasFailed(result: R): boolean
  /** Shifts the due times of lanes with the clock, whose ids end with one of `held`. */
  shift(tx: Transaction, jump: ClockJump, held: string): Promise<void>
  /** Ends attempts that wait, of a kind with lanes that are queued. */
  withdraw?(): void
  /** Ends what attempts use, so that those in progress and those that wait end at once. */
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

interface HeldLane {
  lane: AttemptLane
  /** Attempts in progress, and those that wait. */
  size: number
  /** Another node may do its work now. */
  isLost?: true
}

/**
 * Attempts what is due, in batches. A batch is one transaction that records the results of finished attempts and claims
 * the next jobs; their attempts start after the commit. Only claimed jobs are in memory. After a storage error, results
 * stay there until they are on disk.
 */
export function runAttempts<J extends { id: string }, R>(deps: Deps, kind: AttemptKind<J, R>): Attempts {
  const { clock, database } = deps
  const { partitions } = deps.cluster
  const checkClock = watchClock(clock)
  /**
   * Ids only. A Map or Set that always gains and loses entries leaves old tables behind, which keep what was in them, and
   * each other, until a full garbage collection: with jobs in them, tens of megabytes.
   */
  const jobs = new Set<string>()
  let finished: Claimed<J, R>[] = []
  /** Those with attempts in progress. */
  const lanes = new Map<string, HeldLane>()
  /** Lanes to recover. */
  const disturbed = new Set<string>()
  /** Partitions in which these have been found. */
  let searched = ''
  /** Of the batch that is being committed. */
  let committing: Fence | undefined
  /** A jump of the clock that due times don't show yet. */
  let jump: ClockJump | null = null
  /**
   * Partitions that this node already had at the last look at the clock before a jump: it shifts their due times. Those of
   * another one are as its holder left them. A node that takes one knows the time from then at the latest.
   */
  let followed = partitions.held()
  let isStopping = false
  /** When results that wait to share a commit must be recorded. */
  let recordBy = Number.POSITIVE_INFINITY
  let waitUntil = Number.NEGATIVE_INFINITY
  const onIdle: (() => void)[] = []

  async function run(): Promise<number> {
    const wait = waitUntil - clock.monotonic()
    if (wait > 0) return wait
    if (!(await followClock())) return WAIT_AFTER_STORAGE_ERROR_MS
    if (partitions.held() === '' && finished.length === 0) return MAX_WAIT_MS
    await findDisturbed()
    const [now, askedAt] = [clock.now(), clock.monotonic()]
    const due = isStopping || partitions.held() === '' ? [] : await findDue(now)
    const tasks = plan(due)
    if (tasks.length === 0) recordBy = Number.POSITIVE_INFINITY
    const untilRecord = recordBy - clock.monotonic()
    if (tasks.length === 0 || (untilRecord > 0 && tasks.every(hasEnoughQueued))) {
      const nextDueAt = await kind.findNextDueAt(database.read, { now, held: partitions.held() })
      const untilDue = (nextDueAt ?? Number.POSITIVE_INFINITY) - now - (clock.monotonic() - askedAt)
      return Math.min(untilDue, untilRecord, MAX_WAIT_MS)
    }
    return (await commitBatch(due)) ? 0 : WAIT_AFTER_STORAGE_ERROR_MS
  }

  /** Each node shifts the due times of its partitions, before it claims anything by the new time. False after a storage error. */
  async function followClock(): Promise<boolean> {
    const by = unshiftedJump()
    if (!by) return true
    const shift = () => database.write(undefined, (tx) => kind.shift(tx, by, followed))
    if (followed !== '' && !(await saved(() => withFence(partitions.fenceOf(followed), shift)))) return false
    jump = null
    if (by.by < 0) for (const milliseconds of CLOCK_KNOWN_MS) clock.after(milliseconds, searchAgain)
    return true
  }

  function unshiftedJump(): ClockJump | null {
    jump ??= checkClock()
    if (!jump) followed = partitions.held()
    return jump
  }

  /** What others wrote by a time before the clock was set back is due too late. */
  function searchAgain(): void {
    searched = ''
    loop.wake()
  }

  async function findDue(now: number): Promise<AttemptLane[]> {
    const full = fullOrganizations(kind.limits, busyLanes())
    const wanted = { now, limit: MAX_BATCH + lanes.size, full, held: partitions.held() }
    const due = await kind.findDue(database.read, wanted)
    for (const lane of due) if (lane.mustRecover) disturbed.add(lane.id)
    return due
  }

  /** At start, and after this node has taken partitions. */
  async function findDisturbed(): Promise<void> {
    const found = [...partitions.held()].filter((partition) => !searched.includes(partition)).join('')
    if (found === '') return
    // Before, so that those that are lost meanwhile are searched again.
    searched += found
    try {
      for (const id of await kind.findDisturbed(database.read, found)) {
        if (partitions.has(id)) disturbed.add(id)
      }
    } catch (error) {
      searched = [...searched].filter((partition) => !found.includes(partition)).join('')
      throw error
    }
  }

  /** Another node finds out what has become of the attempts in progress, and makes those that wait. */
  function forgetLost(): void {
    for (const { job, laneId } of finished) if (!partitions.owns(laneId)) jobs.delete(job.id)
    finished = finished.filter(({ job }) => jobs.has(job.id))
    for (const [id, held] of lanes) {
      if (partitions.owns(id)) continue
      held.isLost = true
      lanes.delete(id)
    }
    if (lanes.size === 0) endIdleWaits()
    searched = [...searched].filter((partition) => partitions.has(partition)).join('')
    followed = [...followed].filter((partition) => partitions.owns(partition)).join('')
    for (const id of disturbed) if (!partitions.has(id)) disturbed.delete(id)
    if ([...lanes.keys()].some((id) => !partitions.has(id))) kind.withdraw?.()
    loop.wake()
  }

  /** By lane id, the order in which every unit locks the rows of several lanes. */
  function plan(due: AttemptLane[], isOurs = partitions.owns): LaneTask<J, R>[] {
    const claims = share(due.filter(({ id }) => isOurs(id)))
    const byLane = Map.groupBy(finished, ({ laneId }) => laneId)
    const laneIds = new Set([...claims.keys(), ...byLane.keys(), ...disturbed])
    return [...laneIds]
      .filter(isOurs)
      .sort()
      .map((laneId) => ({
        laneId,
        finished: (byLane.get(laneId) ?? []).flatMap(({ job, result }) => (result ? [{ job, result }] : [])),
        claims: claims.get(laneId) ?? 0,
        mustRecover: disturbed.has(laneId),
      }))
  }

  async function commitBatch(due: AttemptLane[]): Promise<boolean> {
    let tasks: LaneTask<J, R>[] = []
    const fence = partitions.fenceOf(involved(due))
    const isFenced = (id: string) => fence?.has(partitionOf(id)) ?? true
    committing = fence
    const isSaved = await saved(async () => {
      const batch = await withFence(fence, () =>
        database.write(undefined, (tx) => {
          // Planned here and not before, to include results that came while the unit was queued.
          recordBy = Number.POSITIVE_INFINITY
          // By another time than the due times, it would send retries early, or have them come late.
          tasks = unshiftedJump() ? [] : plan(isStopping ? [] : due, isFenced)
          return kind.process(tx, tasks, { isRunning: (id) => jobs.has(id), now: clock.now() })
        }),
      )
      for (const { laneId, finished: recorded, mustRecover } of tasks) {
        if (mustRecover) disturbed.delete(laneId)
        for (const { job } of recorded) jobs.delete(job.id)
      }
      finished = finished.filter(({ job }) => jobs.has(job.id))
      for (const { lane, jobs: claimed } of batch.claimed) {
        for (const job of claimed) add(lane, job)
      }
      batch.afterCommit?.()
    })
    committing = undefined
    if (!isSaved) for (const { laneId } of tasks) disturbed.add(laneId)
    return isSaved
  }

  /** The lanes that the next batch can be about. */
  function* involved(due: AttemptLane[]): Generator<string> {
    for (const { id } of due) if (partitions.has(id)) yield id
    const ids = [lanes.keys(), disturbed, finished.map(({ laneId }) => laneId)]
    for (const each of ids) for (const id of each) if (partitions.owns(id)) yield id
  }

  async function saved(write: () => Promise<void>): Promise<boolean> {
    try {
      await write()
      return true
    } catch (error) {
      waitUntil = clock.monotonic() + WAIT_AFTER_STORAGE_ERROR_MS
      // What it has lost, it learns within seconds.
      if (error instanceof PartitionLost) return false
      deps.log.error(kind.notSaved, { error, waiting: finished.length })
      return false
    }
  }

  function add(lane: AttemptLane, job: J): void {
    const claimed: Claimed<J, R> = { job, laneId: lane.id }
    jobs.add(job.id)
    const held = lanes.get(lane.id) ?? { lane, size: 0 }
    lanes.set(lane.id, held)
    void attempt(held, claimed)
  }

  async function attempt(held: HeldLane, claimed: Claimed<J, R>): Promise<void> {
    const { job, laneId } = claimed
    held.size++
    const fence = partitions.fenceOf([laneId])
    claimed.result = await withFence(fence, () => kind.run(job, held.lane.atOnce))
    held.size--
    if (held.isLost) {
      jobs.delete(job.id)
      // If it is this node's again, it was recovered without this job.
      if (partitions.has(laneId)) disturbed.add(laneId)
      loop.wake()
      return
    }
    finished.push(claimed)
    if (held.size === 0) lanes.delete(laneId)
    if (lanes.size === 0) endIdleWaits()
    recordWithin(hasEnoughQueued(claimed) ? SHARED_COMMIT_MS : 0)
  }

  /** Each commit costs as much as several jobs, so results of a lane with a long queue wait for others. */
  function hasEnoughQueued({ laneId }: { laneId: string }): boolean {
    const held = lanes.get(laneId)
    return held !== undefined && held.size - held.lane.atOnce >= ENOUGH_QUEUED
  }

  function recordWithin(milliseconds: number): void {
    const at = clock.monotonic() + milliseconds
    if (at >= recordBy) return
    recordBy = at
    if (milliseconds === 0) loop.wake()
    else clock.after(milliseconds, loop.wake)
  }

  /** How many jobs each of these lanes may claim now. */
  function share(due: AttemptLane[]): Map<string, number> {
    const byLane = Map.groupBy(finished, ({ laneId }) => laneId)
    // What a lane may claim after a failure is known when that is recorded.
    const claiming = due.filter(({ id }) => !byLane.get(id)?.some(endedInFailure))
    return shareOfClaims(kind.limits, claiming, busyLanes(), ({ id }) => byLane.get(id)?.length ?? 0)
  }

  function endedInFailure({ result }: Claimed<J, R>): boolean {
    return result !== undefined && result !== 'unsent' && kind.hasFailed(result)
  }

  function busyLanes(): BusyLane[] {
    return [...lanes.values()].map(({ lane, size }) => {
      const running = Math.min(size, lane.atOnce)
      return { lane, running, queued: size - running }
    })
  }

  function endIdleWaits(): void {
    for (const call of onIdle.splice(0)) call()
  }

  function untilIdle(): Promise<void> {
    return lanes.size === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))
  }

  const loop = startLoop(deps, kind.name, kind.tables, run)
  const stopFollowing = partitions.follow({
    onChange: forgetLost,
    isBusy: (partition) =>
      jump !== null ||
      committing?.has(partition) === true ||
      [...lanes.keys(), ...finished.map(({ laneId }) => laneId)].some((id) => partitionOf(id) === partition),
  })
  return {
    async stop() {
      isStopping = true
      kind.withdraw?.()
      const timeout = Promise.withResolvers<void>()
      const cancelTimeout = clock.after(SHUTDOWN_TIMEOUT_MS, timeout.resolve)
      await Promise.race([untilIdle(), timeout.promise])
      // Its last batch may still have started attempts, and what an endpoint got would be sent again.
      await loop.stop()
      kind.withdraw?.()
      await Promise.race([untilIdle(), timeout.promise])
      cancelTimeout()
      await kind.close()
      await untilIdle()
      if (finished.length > 0 && (await followClock())) await commitBatch([])
      stopFollowing()
    },
  }
}
