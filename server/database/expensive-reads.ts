import { AppError } from '../errors.ts'
import { yieldToEventLoop } from '../loop.ts'

/** Reads of one agent that may be expensive at the same time. */
const MAX_PER_AGENT = 2
/** A read counts as expensive after this many rows. Lists and most searches examine fewer. */
const EXPENSIVE_ROWS = 1_000
/** Rows that one read may examine: less than a second of work. */
const DEFAULT_MAX_ROWS = 30_000

const OUTCOMES = ['finished', 'too_broad', 'disconnected', 'superseded', 'stopped', 'failed'] as const
type Outcome = (typeof OUTCOMES)[number]

/** A read that works in slices, for one request. */
export interface ExpensiveRead {
  /**
   * Call this after each slice, with the number of rows it examined, whether they matched or not. Lets other requests
   * run. Throws when the client has disconnected, the server is stopping, or two newer expensive reads of the same
   * agent are running.
   */
  examined(rows: number): Promise<void>
  /** The read has examined as many rows as it may. Return what was found so far, and say that there may be more. */
  readonly isSpent: boolean
}

interface Caller {
  /** The id of the agent who asks, whose expensive reads are limited. */
  agentId?: string
  /** The request's signal. Always pass it: work for a client that has disconnected slows down the others. */
  signal?: AbortSignal
  /** Rows that the read may examine. */
  maxRows?: number
}

export interface ExpensiveReads {
  run<T>(caller: Caller, work: (read: ExpensiveRead) => Promise<T>): Promise<T>
  /** Since the start. */
  counts(): { running: number; rows: number; outcomes: Record<Outcome, number> }
  /** Ends all reads at their next slice and refuses new ones. */
  stop(): void
}

/** Stops reads that may examine many rows when their request ends, and keeps them from slowing down other requests. */
export function createExpensiveReads(): ExpensiveReads {
  let isStopped = false
  let running = 0
  let rows = 0
  const outcomes: Record<Outcome, number> = {
    finished: 0,
    too_broad: 0,
    disconnected: 0,
    superseded: 0,
    stopped: 0,
    failed: 0,
  }
  /** The expensive reads of each agent, the oldest first. */
  const expensive = new Map<string, { isSuperseded: boolean }[]>()

  async function run<T>(
    { agentId, signal, maxRows = DEFAULT_MAX_ROWS }: Caller,
    work: (read: ExpensiveRead) => Promise<T>,
  ): Promise<T> {
    const state = { isSuperseded: false }
    let examined = 0
    let isExpensive = false
    let ended: Outcome | undefined

    function requireWanted(): void {
      ended = isStopped
        ? 'stopped'
        : signal?.aborted
          ? 'disconnected'
          : state.isSuperseded
            ? 'superseded'
            : undefined
      if (ended) throw refusals[ended]()
    }

    const read: ExpensiveRead = {
      async examined(more) {
        rows += more
        examined += more
        requireWanted()
        if (agentId !== undefined && !isExpensive && examined > EXPENSIVE_ROWS) {
          isExpensive = true
          start(agentId, state)
        }
        await yieldToEventLoop()
        requireWanted()
      },
      get isSpent() {
        return examined >= maxRows
      },
    }
    running += 1
    try {
      requireWanted()
      const result = await work(read)
      ended = read.isSpent ? 'too_broad' : 'finished'
      return result
    } finally {
      running -= 1
      outcomes[ended ?? 'failed'] += 1
      if (agentId !== undefined && isExpensive) end(agentId, state)
    }
  }

  /** The newest wins: its results are the ones the agent is looking at. */
  function start(agentId: string, state: { isSuperseded: boolean }): void {
    const own = [...(expensive.get(agentId) ?? []), state]
    expensive.set(agentId, own)
    for (const older of own.slice(0, -MAX_PER_AGENT)) older.isSuperseded = true
  }

  function end(agentId: string, state: { isSuperseded: boolean }): void {
    const others = (expensive.get(agentId) ?? []).filter((one) => one !== state)
    if (others.length > 0) expensive.set(agentId, others)
    else expensive.delete(agentId)
  }

  return {
    run,
    counts: () => ({ running, rows, outcomes: { ...outcomes } }),
    stop() {
      isStopped = true
    },
  }
}

const refusals = {
  stopped: () =>
    new AppError(503, 'stopping', 'The server is restarting. Try again in a few seconds.', {
      headers: { 'retry-after': '5' },
    }),
  // No client receives this. The status is nginx's, and appears in the metrics.
  disconnected: () => new AppError(499, 'client_disconnected', 'The client closed the connection.'),
  superseded: () =>
    new AppError(
      429,
      'superseded',
      'You started newer searches while this one was running, so it was stopped. Try again when they are done.',
      { headers: { 'retry-after': '1' } },
    ),
} satisfies Partial<Record<Outcome, () => AppError>>
