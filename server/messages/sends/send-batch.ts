import type { Send, SendingAccount } from '../../channels/channel.ts'
import type { Transaction } from '../../database/database.ts'
import type { Deps } from '../../deps.ts'
import { lockOrganization, type NewEvent, recordEvents } from '../../events/events.ts'
import type { LaneTask } from '../../jobs/run-attempts.ts'
import { failedThrough, type HealthChange, sentThrough } from './account-health.ts'
import { type Account, claimSends, findDueOf, recoverSends, releaseSend, resumeSends } from './claim-sends.ts'
import { changeTicket, UNTIL_RESUMED } from './queries.ts'
import {
  type FinishedAttempt,
  failSend,
  openRecipients,
  recordAttempt,
  saveProgress,
} from './record-attempt.ts'

/** The most further sends that one unit stops, fails, or postpones. */
const MAX_TOGETHER = 200

/** An attempt that has ended, with the wall clock at its start. */
export interface EndedAttempt extends FinishedAttempt {
  startedAt: number
}

/** What a batch does for a mailbox or bot. */
type Task = LaneTask<Send, EndedAttempt> & Account

/**
 * Records results, claims the next sends, and tells open pages. Locks organizations first, then tickets. `stopped`: those
 * that were found paused or refused, so that their sends wait.
 */
export async function processSends(
  deps: Deps,
  tx: Transaction,
  tasks: Task[],
  { isRunning, now }: { isRunning: (sendId: string) => boolean; now: number },
): Promise<{ claimed: Send[]; stopped: Account[] }> {
  for (const orgId of [...new Set(tasks.map((task) => task.orgId))].sort())
    await lockOrganization(tx, { orgId })
  const changes = new Changes()
  const batch: { claimed: Send[]; stopped: Account[] } = { claimed: [], stopped: [] }
  for (const { laneId, mustRecover, finished } of tasks) {
    if (mustRecover) await recoverSends(tx, { laneId, now, isRunning })
    for (const { job, result } of finished) if (result === 'unsent') await releaseSend(tx, job)
  }
  const ended = tasks.flatMap(({ finished }) => finished.map(({ result }) => result))
  await recordFinished(
    deps,
    tx,
    ended.filter((result) => result !== 'unsent'),
    changes,
    now,
  )
  for (const task of tasks) {
    if (!task.mustRecover && task.claims === 0) continue
    const { laneId, orgId, channel, claims } = task
    const account = await deps.channels.sending(channel).findAccount(tx, laneId)
    const isGone = !account || account.deletedAt !== null
    const reason = isGone ? `The ${account?.label ?? 'mailbox'} was removed.` : account.waits
    if (task.mustRecover && (isGone || reason === undefined)) await resumeSends(tx, laneId, now)
    if (reason !== undefined) await stopSends(deps, tx, { laneId, isGone, reason, changes, now })
    else if (claims > 0) batch.claimed.push(...(await claimSends(tx, { laneId, now, limit: claims })))
    if (reason !== undefined && !isGone) batch.stopped.push({ laneId, orgId, channel })
  }
  await changes.record(deps, tx, now)
  return batch
}

type OfMessage = Pick<Send, 'orgId' | 'ticketId' | 'messageId'>

/** Collects what open pages must load again. */
class Changes {
  /** Messages with their tickets, by organization. */
  readonly #messages = new Map<string, Map<string, string>>()
  /** Their organizations, undefined for those that are gone. Also tickets whose message has moved to another one. */
  readonly #locked = new Map<string, string | undefined>()
  readonly #workspaces = new Set<string>()
  readonly #health: HealthChange[] = []

  /** Locks a ticket whose messages change. `/v1` shows their state, so its version changes too. */
  async lock(tx: Transaction, { orgId, ticketId }: Omit<OfMessage, 'messageId'>, now: number): Promise<void> {
    if (ticketId === '' || this.#locked.has(ticketId)) return
    const isThere = await changeTicket(tx, { orgId, id: ticketId, at: now })
    this.#locked.set(ticketId, isThere ? orgId : undefined)
  }

  /** A greeting or notice of a bot belongs to none. */
  addMessage({ orgId, ticketId, messageId }: OfMessage): void {
    if (ticketId === '' || messageId === null) return
    this.#messages.set(orgId, (this.#messages.get(orgId) ?? new Map()).set(messageId, ticketId))
  }

  addHealth(orgId: string, health: HealthChange): void {
    if (health.isVisible) this.#workspaces.add(orgId)
    this.#health.push(health)
  }

  async record(deps: Deps, tx: Transaction, createdAt: number): Promise<void> {
    const ofTickets = [...this.#locked.values()].filter((orgId) => orgId !== undefined)
    for (const orgId of [...new Set([...this.#messages.keys(), ...this.#workspaces, ...ofTickets])].sort()) {
      const changed = [...(this.#messages.get(orgId) ?? [])]
      for (const ticketId of new Set(changed.map(([, ticketId]) => ticketId).sort())) {
        await this.lock(tx, { orgId, ticketId }, createdAt)
      }
      const events: NewEvent[] = changed.map(([messageId, ticketId]) => ({
        type: 'message.updated',
        ticketId,
        messageId,
        createdAt,
      }))
      const withMessage = new Set(changed.map(([, ticketId]) => ticketId))
      for (const [ticketId, ofOrg] of this.#locked) {
        if (ofOrg !== orgId || withMessage.has(ticketId)) continue
        events.push({ type: 'ticket.updated', ticketId, createdAt, changes: {} })
      }
      if (this.#workspaces.has(orgId)) events.push({ type: 'workspace.changed', ticketId: '', createdAt })
      recordEvents(deps, tx, orgId, events)
    }
    for (const health of this.#health) await health.save(tx)
  }
}

async function recordFinished(
  deps: Deps,
  tx: Transaction,
  finished: EndedAttempt[],
  changes: Changes,
  now: number,
): Promise<void> {
  const locks = new Map(finished.map(({ send }) => [send.ticketId, send.orgId]))
  for (const [ticketId, orgId] of [...locks].sort(byId)) await changes.lock(tx, { orgId, ticketId }, now)
  for (const attempt of finished) {
    const saved = await recordAttempt(deps, tx, attempt, now)
    if (saved) changes.addMessage(saved)
  }
  const byLane = Map.groupBy(finished, ({ send }) => send.laneId)
  for (const [laneId, attempts] of [...byLane].sort(byId)) {
    const channel = attempts[0]?.send.channel
    const account = channel && (await deps.channels.sending(channel).findAccount(tx, laneId))
    const health = account && (await healthAfter(deps, tx, { account, attempts, changes, now }))
    if (health) changes.addHealth(account.orgId, health)
  }
}

/** The newest attempt decides. A fault of the account postpones its other due sends, so that they don't fail as well. */
async function healthAfter(
  deps: Deps,
  tx: Transaction,
  of: { account: SendingAccount; attempts: EndedAttempt[]; changes: Changes; now: number },
): Promise<HealthChange | undefined> {
  const { account, attempts, changes, now } = of
  const last = attempts.findLast(({ result }) => result.fault !== 'interrupted')
  if (!last) return undefined
  const { fault, error } = last.result
  if (fault === 'account' || fault === 'account limited') {
    for (const send of await findDueOf(tx, { laneId: account.id, now, limit: MAX_TOGETHER })) {
      const recipients = openRecipients(recipientsOf(deps, send), send.outcomes)
      const saved = await recordAttempt(
        deps,
        tx,
        { send, recipients, result: { ...last.result, outcomes: [] } },
        now,
      )
      if (saved) changes.addMessage(saved)
    }
  }
  if (fault === 'account' || fault === 'sign in') {
    return failedThrough(account, { error, isRefused: fault === 'sign in', startedAt: last.startedAt, now })
  }
  const hasSent = attempts.some(({ result }) => result.outcomes.some(({ state }) => state === 'sent'))
  return hasSent ? sentThrough(account, now) : undefined
}

/** Lets the due sends of a paused or refused mailbox or bot wait, or fails those of a removed one. */
async function stopSends(
  deps: Deps,
  tx: Transaction,
  of: { laneId: string; isGone: boolean; reason: string; changes: Changes; now: number },
): Promise<void> {
  const { laneId, isGone, reason, changes, now } = of
  for (const send of await findDueOf(tx, { laneId, now, limit: MAX_TOGETHER })) {
    const open = openRecipients(recipientsOf(deps, send), send.outcomes)
    if (isGone) await failSend(tx, send, open, reason, now)
    else await saveProgress(tx, { ...send, dueAt: UNTIL_RESUMED, error: reason })
    if (isGone || send.error !== reason) changes.addMessage(send)
  }
}

/** Whom a send goes to. */
export function recipientsOf({ channels }: Pick<Deps, 'channels'>, send: Send): string[] {
  return channels.sending(send.channel).recipientsOf(send)
}

function byId([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1
}
