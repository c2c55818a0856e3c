/** Jobs claimed in one batch, and jobs queued in all: with fewer, a fast lane waits for commits. */
export const MAX_BATCH = 128
/** Queued jobs, as a multiple of what the lane finished since the last batch: above 1, so that it can grow. */
const QUEUE_GROWTH = 2
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
export interface Limit {
  size: number
  counts(lane: AttemptLane, earlier: number): boolean
}

/** A lane with attempts in progress. */
export interface BusyLane {
  lane: AttemptLane
  running: number
  queued: number
}

/** Attempts in progress that count in a limit. */
interface Usage {
  total: number
  byOrganization: Map<string, number>
}

/** By limit, the organizations that have no room in it. */
export function fullOrganizations(limits: Limit[], busy: BusyLane[]): string[][] {
  const usage = usageOf(limits, busy)
  const organizations = [...new Set(busy.map(({ lane }) => lane.orgId))]
  return limits.map((limit, at) => organizations.filter((orgId) => !hasRoom(limit, usage[at], orgId)))
}

/**
 * How many jobs each of these lanes may claim now. Organizations take turns, and lanes within one: one claim for each in
 * order, then a second one, until nothing is left or wanted. `finishedOf`: how many attempts of a lane have ended since
 * the last batch.
 */
export function shareOfClaims(
  limits: Limit[],
  due: AttemptLane[],
  busy: BusyLane[],
  finishedOf: (lane: AttemptLane) => number,
): Map<string, number> {
  const usage = usageOf(limits, busy)
  const busyById = new Map(busy.map((one) => [one.lane.id, one]))
  const left = { claims: MAX_BATCH, queue: MAX_BATCH - busy.reduce((sum, { queued }) => sum + queued, 0) }
  const claims = new Map<string, number>()
  let open = byTurns(due).map((lane) => {
    const { running, queued } = busyById.get(lane.id) ?? { running: 0, queued: 0 }
    return {
      lane,
      running,
      wanted: lane.claimable ?? Number.POSITIVE_INFINITY,
      queue: lane.isQueued ? QUEUE_GROWTH * finishedOf(lane) - queued : 0,
    }
  })
  while (open.length > 0 && left.claims > 0) {
    open = open.filter((one) => {
      if (left.claims <= 0 || one.wanted <= 0) return false
      if (one.running < one.lane.atOnce) {
        if (!reserve(limits, usage, one.lane, one.running)) return false
        one.running++
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

/** The first lane of each organization, then the second of each. */
function byTurns(due: AttemptLane[]): AttemptLane[] {
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

function usageOf(limits: Limit[], busy: BusyLane[]): Usage[] {
  const usage = limits.map((): Usage => ({ total: 0, byOrganization: new Map() }))
  for (const { lane, running } of busy) {
    for (let earlier = 0; earlier < running; earlier++) count(limits, usage, lane, earlier)
  }
  return usage
}

/** Counts one more attempt of a lane, unless a limit has no room for it. */
function reserve(limits: Limit[], usage: Usage[], lane: AttemptLane, earlier: number): boolean {
  const isFull = limits.some(
    (limit, at) => limit.counts(lane, earlier) && !hasRoom(limit, usage[at], lane.orgId),
  )
  if (!isFull) count(limits, usage, lane, earlier)
  return !isFull
}

function count(limits: Limit[], usage: Usage[], lane: AttemptLane, earlier: number): void {
  for (const [at, limit] of limits.entries()) {
    const used = usage[at]
    if (!used || !limit.counts(lane, earlier)) continue
    used.total++
    used.byOrganization.set(lane.orgId, (used.byOrganization.get(lane.orgId) ?? 0) + 1)
  }
}

/** An organization can't take a whole limit. */
function hasRoom(limit: Limit, used: Usage | undefined, orgId: string): boolean {
  if (!used) return true
  const hasFew = (used.byOrganization.get(orgId) ?? 0) < FEW
  return used.total < limit.size * (hasFew ? 1 : 1 - RESERVED_SHARE)
}
