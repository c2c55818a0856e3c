import { getTableName, type SQL } from 'drizzle-orm'
import { partitionOf } from '../../cluster/partitions.ts'
import { PartitionLost, withFence } from '../../database/postgresql/fence.ts'
import type { Deps } from '../../deps.ts'
import { type Loop, startLoop } from '../../loop.ts'
import type { AccountRow, Accounts } from './accounts.ts'

/** The shortest pause between two reads of the rows after commits. */
const MIN_REST_MS = 500
const REST_MS = 60_000

interface Running {
  updatedAt: number
  abort: AbortController
  done: Promise<void>
  isDone?: true
}

/**
 * Receives from every account of this node that is active, by running `receive` until its signal aborts. One that is added,
 * changed, paused or removed is noticed within a second: `updatedAt` changes with its settings. One that goes to another
 * node is aborted at once.
 */
export function startReceiving<Row extends AccountRow>(
  deps: Deps,
  { table, listAll }: Accounts<Row>,
  { isActive, receive }: { isActive: SQL; receive: (row: Row, signal: AbortSignal) => Promise<void> },
): Loop {
  const { partitions } = deps.cluster
  const running = new Map<string, Running>()
  let readAt = Number.NEGATIVE_INFINITY

  const loop = startLoop(deps, getTableName(table), [table], async () => {
    const rest = readAt + MIN_REST_MS - deps.clock.monotonic()
    if (rest > 0) return rest
    readAt = deps.clock.monotonic()
    const active = partitions.held() === '' ? [] : await listAll(deps, isActive)
    const wanted = new Map(active.map((row) => [row.id, row]))
    const ended = [...running].filter(
      ([id, { updatedAt, abort }]) => abort.signal.aborted || wanted.get(id)?.updatedAt !== updatedAt,
    )
    for (const [, { abort }] of ended) abort.abort()
    for (const [id, { done }] of ended) {
      await done
      running.delete(id)
    }
    for (const [id, row] of wanted) if (!running.has(id) && partitions.has(id)) begin(row)
    return REST_MS
  })

  function begin(row: Row): void {
    const { id, updatedAt } = row
    const abort = new AbortController()
    const account: Running = { updatedAt, abort, done: Promise.resolve() }
    running.set(id, account)
    account.done = withFence(partitions.fenceOf([id]), () => receive(row, abort.signal))
      .catch((error) => {
        // It is noticed that another node has it now, and until then nothing else is tried.
        if (error instanceof PartitionLost) return
        deps.log.error('receiving_stopped', { account: id, error })
        running.delete(id)
      })
      .finally(() => {
        account.isDone = true
      })
  }

  const stopFollowing = partitions.follow({
    onChange() {
      for (const [id, { abort }] of running) if (!partitions.has(id)) abort.abort()
      loop.wake()
    },
    isBusy: (partition) => [...running].some(([id, { isDone }]) => !isDone && partitionOf(id) === partition),
  })

  return {
    wake: loop.wake,
    async stop() {
      await loop.stop()
      for (const { abort } of running.values()) abort.abort()
      await Promise.all([...running.values()].map(({ done }) => done))
      stopFollowing()
    },
  }
}

/** A pause that ends early when the signal aborts. */
export function pauseFor({ clock }: Deps, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(milliseconds, end)
    signal.addEventListener('abort', end)
  })
}
