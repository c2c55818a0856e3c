import type { ClockJump } from '../clock-jump.ts'
import type { Transaction } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { type NewEvent, recordEvents } from '../events/events.ts'
import { claimSend, clampSends, findDueOfLane, recoverSends, shiftSends, unparkLane } from './claim-sends.ts'
import { changeTicket, PARKED, type Send } from './queries.ts'
import {
  type FinishedAttempt,
  failSend,
  openRecipients,
  recordAttempt,
  saveProgress,
} from './record-attempt.ts'
import { recipientsOf } from './send-content.ts'
import {
  failedThrough,
  findLane,
  type HealthChange,
  type Lane,
  reasonToWait,
  sentThrough,
} from './send-lanes.ts'

/** The most further sends that one unit parks, fails, or postpones. */
const MAX_TOGETHER = 200

/** What one unit of the sending loop does. */
interface BatchTask {
  finished: EndedAttempt[]
  /** Ids of sends to claim, by their lane. */
  claims: Map<string, string[]>
  /** Lanes whose parked sends continue. */
  opened: string[]
  clockJump: ClockJump | null
  /** Whether rows may be marked as being sent that are not in `inFlight`. */
  mustRecover: boolean
  inFlight: ReadonlySet<string>
}

/** An attempt that has ended, with the wall clock at its start. */
export interface EndedAttempt extends FinishedAttempt {
  startedAt: number
}

interface Batch {
  claimed: Send[]
  /** Lanes that were found paused or refused: their sends are parked. */
  parked: string[]
}

/** Records results, claims the next sends, and tells open pages. Locks tickets first, organizations last. */
export async function processBatch(deps: Deps, tx: Transaction, task: BatchTask): Promise<Batch> {
  const now = deps.clock.now()
  const changes = new Changes()
  if (task.clockJump) await shiftSends(tx, task.clockJump)
  if (task.mustRecover) await recoverSends(tx, task.inFlight)
  if (task.clockJump || task.mustRecover) await clampSends(tx, now)
  await recordFinished(tx, task.finished, changes, now)
  for (const laneId of task.opened) await unparkLane(tx, laneId, now)
  const batch: Batch = { claimed: [], parked: [] }
  for (const [laneId, ids] of [...task.claims].sort(byId)) {
    const lane = await findLane(tx, laneId)
    const isReady = await stopUnlessReady(tx, { laneId, lane, changes, now })
    if (!isReady) batch.parked.push(laneId)
    for (const id of isReady ? ids : []) {
      const send = await claimSend(tx, id, now)
      if (send) batch.claimed.push(send)
    }
  }
  await changes.record(deps, tx, now)
  return batch
}

type OfTicket = Pick<Send, 'orgId' | 'ticketId'>

/** Collects what open pages must load again. */
class Changes {
  readonly #tickets = new Map<string, Set<string>>()
  readonly #locked = new Set<string>()
  readonly #workspaces = new Set<string>()
  readonly #health: HealthChange[] = []

  /** Locks a ticket whose messages change. `/v1` shows their state, so its version changes too. */
  async lock(tx: Transaction, { orgId, ticketId }: OfTicket, now: number): Promise<void> {
    if (ticketId === '' || this.#locked.has(ticketId)) return
    this.#locked.add(ticketId)
    await changeTicket(tx, { orgId, id: ticketId, at: now })
  }

  /** A greeting or notice of a bot belongs to none. */
  addTicket({ orgId, ticketId }: OfTicket): void {
    if (ticketId === '') return
    this.#tickets.set(orgId, (this.#tickets.get(orgId) ?? new Set()).add(ticketId))
  }

  addHealth(orgId: string, health: HealthChange): void {
    if (health.isVisible) this.#workspaces.add(orgId)
    this.#health.push(health)
  }

  async record(deps: Deps, tx: Transaction, createdAt: number): Promise<void> {
    for (const orgId of [...new Set([...this.#tickets.keys(), ...this.#workspaces])].sort()) {
      const changed = [...(this.#tickets.get(orgId) ?? [])].sort()
      for (const ticketId of changed) await this.lock(tx, { orgId, ticketId }, createdAt)
      const events: NewEvent[] = changed.map((ticketId) => ({ type: 'ticket.updated', ticketId, createdAt }))
      if (this.#workspaces.has(orgId)) events.push({ type: 'workspace.changed', ticketId: '', createdAt })
      await recordEvents(deps, tx, orgId, events)
    }
    for (const health of this.#health) await health.save(tx)
  }
}

async function recordFinished(
  tx: Transaction,
  finished: EndedAttempt[],
  changes: Changes,
  now: number,
): Promise<void> {
  const locks = new Map(finished.map(({ send }) => [send.ticketId, send.orgId]))
  for (const [ticketId, orgId] of [...locks].sort(byId)) await changes.lock(tx, { orgId, ticketId }, now)
  for (const attempt of finished) {
    const saved = await recordAttempt(tx, attempt, now)
    if (saved) changes.addTicket(saved)
  }
  const byLane = Map.groupBy(finished, ({ send }) => send.laneId)
  for (const [laneId, attempts] of [...byLane].sort(byId)) {
    const lane = await findLane(tx, laneId)
    const health = lane && (await healthAfter(tx, { lane, attempts, changes, now }))
    if (health) changes.addHealth(lane.orgId, health)
  }
}

/** The newest attempt decides. A fault of the lane postpones its other due sends, so that they don't fail as well. */
async function healthAfter(
  tx: Transaction,
  { lane, attempts, changes, now }: { lane: Lane; attempts: EndedAttempt[]; changes: Changes; now: number },
): Promise<HealthChange | undefined> {
  const last = attempts.findLast(({ result }) => result.fault !== 'interrupted')
  if (!last) return undefined
  const { fault, error } = last.result
  if (fault === 'lane' || fault === 'lane limited') {
    for (const send of await findDueOfLane(tx, { laneId: lane.id, now, limit: MAX_TOGETHER })) {
      const recipients = openRecipients(recipientsOf(send), send.outcomes)
      const saved = await recordAttempt(
        tx,
        { send, recipients, result: { ...last.result, outcomes: [] } },
        now,
      )
      if (saved) changes.addTicket(saved)
    }
  }
  if (fault === 'lane' || fault === 'sign in') {
    return failedThrough(lane, { error, isRefused: fault === 'sign in', startedAt: last.startedAt, now })
  }
  const hasSent = attempts.some(({ result }) => result.outcomes.some(({ state }) => state === 'sent'))
  return hasSent ? sentThrough(lane, now) : undefined
}

/** Parks the due sends of a paused or refused lane, and fails those of a removed one. */
async function stopUnlessReady(
  tx: Transaction,
  { laneId, lane, changes, now }: { laneId: string; lane: Lane | undefined; changes: Changes; now: number },
): Promise<boolean> {
  const isGone = !lane || lane.deletedAt !== null
  const reason = isGone ? `The ${lane?.label ?? 'mailbox'} was removed.` : reasonToWait(lane)
  if (reason === undefined) return true
  for (const send of await findDueOfLane(tx, { laneId, now, limit: MAX_TOGETHER })) {
    const open = openRecipients(recipientsOf(send), send.outcomes)
    if (isGone) await failSend(tx, send, open, reason, now)
    else await saveProgress(tx, { ...send, dueAt: PARKED, error: reason })
    if (isGone || send.error !== reason) changes.addTicket(send)
  }
  return false
}

function byId([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1
}
