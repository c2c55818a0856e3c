import { and, inArray, lt, sql } from 'drizzle-orm'
import { BucketError } from '../../attachments/bucket.ts'
import type { AttemptResult, Send, Transport } from '../../channels/channel.ts'
import type { ChannelKind } from '../../channels/kinds.ts'
import type { Reader } from '../../database/database.ts'
import { sends } from '../../database/tables/sends.ts'
import type { Deps } from '../../deps.ts'
import type { AttemptLane } from '../../jobs/capacity.ts'
import { startPruning } from '../../jobs/pruning.ts'
import { type Attempts, runAttempts } from '../../jobs/run-attempts.ts'
import type { Loop } from '../../loop.ts'
import {
  type Account,
  findClaimable,
  findDisturbed,
  findFirstDue,
  findNextAccount,
  findNextDue,
  findStoppedAccounts,
  shiftSends,
} from './claim-sends.ts'
import { openRecipients } from './record-attempt.ts'
import { type EndedAttempt, processSends, recipientsOf } from './send-batch.ts'

/** Attempts at the same time of a mailbox or bot whose newest attempt failed, so that it occupies one connection at most. */
const MAX_PER_FAILING_ACCOUNT = 1
/** Attempts of all mailboxes and bots. */
const MAX_ATTEMPTS = 256
/** While the bucket with its files can't be reached. */
const RETRY_FILES_MS = 30_000
/** After one of these, what else is due of the account is postponed. */
const ACCOUNT_FAULTS: AttemptResult['fault'][] = ['account', 'account limited', 'sign in']

/**
 * Sends due messages. Mailboxes and bots don't wait for each other. `onAttempt` is called with `sent`, or with what went
 * wrong.
 */
export function startSending(deps: Deps, onAttempt: (outcome: string) => void = () => {}): Attempts {
  const { clock, channels } = deps
  const loaded = new Map<ChannelKind, Promise<Transport>>()
  const failing = new Set<string>()
  /** Mailboxes and bots with work. */
  const accounts = new Map<string, Account>()
  let stopped: Map<string, Account> | undefined

  function laneOf({ laneId, orgId, channel }: Account): AttemptLane {
    accounts.set(laneId, { laneId, orgId, channel })
    const { maxAtOnce } = channels.sending(channel)
    return { id: laneId, orgId, atOnce: failing.has(laneId) ? MAX_PER_FAILING_ACCOUNT : maxAtOnce }
  }

  /** Those whose sends wait, and that are active again or removed. Only these are read at every commit. */
  async function findOpened(read: Reader): Promise<AttemptLane[]> {
    stopped ??= new Map((await findStoppedAccounts(read, {})).map((account) => [account.laneId, account]))
    const opened: AttemptLane[] = []
    for (const account of stopped.values()) {
      if (!deps.cluster.partitions.has(account.laneId)) continue
      const now = await channels.sending(account.channel).findAccount(read, account.laneId)
      const isStopped = now?.deletedAt === null && now.waits !== undefined
      if (!isStopped) opened.push({ ...laneOf(account), claimable: 0, mustRecover: true })
    }
    return opened
  }

  async function findClaims(
    read: Reader,
    { now, held }: { now: number; held: string },
  ): Promise<AttemptLane[]> {
    const due: AttemptLane[] = []
    const [first] = await findFirstDue(read, { limit: 1, held })
    if (!first || first.dueAt > now) return due
    let [account] = await findNextAccount(read, { after: '', held })
    while (account) {
      const lane = laneOf(account)
      const { length } = await findClaimable(read, { laneId: lane.id, now, limit: lane.atOnce })
      if (length > 0) due.push({ ...lane, claimable: length })
      ;[account] = await findNextAccount(read, { after: lane.id, held })
    }
    return due
  }

  function note({ send, result }: EndedAttempt): void {
    onAttempt(outcomeOf(result))
    if (result.fault === 'account') failing.add(send.laneId)
    else if (result.fault !== 'interrupted') failing.delete(send.laneId)
    if (UNLOGGED.includes(result.fault)) return
    deps.log.warn('send_failed', {
      send: send.id,
      message: send.messageId,
      lane: send.laneId,
      fault: result.fault,
      reason: result.error,
    })
  }

  function transportOf(channel: ChannelKind): Promise<Transport> {
    const transport = loaded.get(channel) ?? channels.sending(channel).openTransport(deps)
    loaded.set(channel, transport)
    return transport
  }

  /** A fault of this server. It is retried like one of the other side. */
  function failedHere(send: Send, error: unknown): AttemptResult {
    deps.log.error('send_not_attempted', { send: send.id, error })
    if (error instanceof BucketError) {
      // It waits for its files, however long that takes.
      const retryAt = clock.now() + RETRY_FILES_MS
      return { outcomes: [], error: 'The server’s file storage can’t be reached.', fault: 'message', retryAt }
    }
    return { outcomes: [], error: "Bellhop couldn't send it. Check the server log.", fault: 'message' }
  }

  return runAttempts<Send, EndedAttempt>(deps, {
    name: 'send',
    tables: [sends, ...channels.accounts],
    limits: [{ size: MAX_ATTEMPTS, counts: () => true }],
    findDue: async (read, wanted) => [...(await findOpened(read)), ...(await findClaims(read, wanted))],
    async findNextDueAt(read, { now, held }) {
      const [next] = await findNextDue(read, { now, held })
      return next?.dueAt
    },
    async findDisturbed(read, held) {
      // Those that stopped in these are known anew, too.
      stopped = undefined
      return (await findDisturbed(read, { now: clock.now(), held })).map((account) => laneOf(account).id)
    },
    async process(tx, tasks, by) {
      const toDo = tasks.flatMap((task) => {
        const account = accounts.get(task.laneId)
        return account ? [{ ...task, ...account }] : []
      })
      const { claimed, stopped: nowStopped } = await processSends(deps, tx, toDo, by)
      return {
        claimed: claimed.map((send) => ({ lane: laneOf(send), jobs: [send] })),
        afterCommit() {
          for (const { finished } of tasks) {
            for (const { result } of finished) if (result !== 'unsent') note(result)
          }
          for (const { laneId, mustRecover } of toDo) if (mustRecover) stopped?.delete(laneId)
          for (const account of nowStopped) stopped?.set(account.laneId, account)
        },
      }
    },
    async run(send) {
      const startedAt = clock.now()
      const recipients = openRecipients(recipientsOf(deps, send), send.outcomes)
      const result = await transportOf(send.channel)
        .then((transport) => transport.attempt(send, recipients))
        .catch((error) => failedHere(send, error))
      return { send, recipients, result, startedAt }
    },
    hasFailed: ({ result }) => ACCOUNT_FAULTS.includes(result.fault),
    shift: (tx, jump, held) => shiftSends(tx, jump, { now: clock.now(), held }),
    async close() {
      for (const transport of loaded.values()) await transport.then((each) => each.close()).catch(() => {})
    },
    notSaved: 'sends_not_saved',
  })
}

/** Faults that are expected and not logged, such as Telegram's rate limits. */
const UNLOGGED: AttemptResult['fault'][] = ['none', 'interrupted', 'limited', 'account limited']

const FAULTS = {
  none: 'sent',
  message: 'deferred',
  limited: 'limited',
  'account limited': 'limited',
  account: 'connection_failed',
  'sign in': 'sign_in_failed',
  interrupted: 'interrupted',
} as const

/** As a label of the metrics. `refused`: some recipient doesn't get it; `deferred`: it goes again. */
function outcomeOf({ fault, outcomes, error }: AttemptResult): string {
  const isRefused = error === '' && outcomes.some(({ state }) => state === 'failed')
  return isRefused ? 'refused' : FAULTS[fault]
}

/** Delivery reports arrive within days. */
const KEPT_MS = 30 * 86_400_000
const RUN_EVERY_MS = 3_600_000
const SLICE = 500

/** Deletes sends 30 days after every recipient got them, a slice at a time. The text remains in the message. */
export function startPruningSends(deps: Deps): Loop {
  return startPruning(deps, 'prune_sends', {
    everyMs: RUN_EVERY_MS,
    slice: () =>
      deps.database.write(undefined, async (tx) => {
        const isOld = and(
          sql`state = 'sent' and error = ''`,
          lt(sends.finishedAt, deps.clock.now() - KEPT_MS),
        )
        const old = tx.select({ id: sends.id }).from(sends).where(isOld).limit(SLICE)
        const deleted = await tx.delete(sends).where(inArray(sends.id, old)).returning({ id: sends.id })
        return deleted.length === SLICE
      }),
  })
}
