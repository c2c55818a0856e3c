import { getTableName, type SQL } from 'drizzle-orm'
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
}

/**
 * Receives from every account that is active, by running `receive` until its signal aborts. One that is added, changed,
 * paused or removed is noticed within a second: `updatedAt` changes with its settings.
 */
export function startReceiving<Row extends AccountRow>(
  deps: Deps,
  { table, listAll }: Accounts<Row>,
  { isActive, receive }: { isActive: SQL; receive: (row: Row, signal: AbortSignal) => Promise<void> },
): Loop {
  const running = new Map<string, Running>()
  let readAt = Number.NEGATIVE_INFINITY

  const loop = startLoop(deps, getTableName(table), [table], async () => {
    const rest = readAt + MIN_REST_MS - deps.clock.monotonic()
    if (rest > 0) return rest
    readAt = deps.clock.monotonic()
    const wanted = new Map((await listAll(deps, isActive)).map((row) => [row.id, row]))
    for (const [id, { updatedAt, abort, done }] of running) {
      if (wanted.get(id)?.updatedAt === updatedAt) continue
      abort.abort()
      await done
      running.delete(id)
    }
    for (const [id, row] of wanted) {
      if (running.has(id)) continue
      const abort = new AbortController()
      const done = receive(row, abort.signal).catch((error) => {
        deps.log.error('receiving_stopped', { account: id, error })
        running.delete(id)
      })
      running.set(id, { updatedAt: row.updatedAt, abort, done })
    }
    return REST_MS
  })

  return {
    wake: loop.wake,
    async stop() {
      await loop.stop()
      for (const { abort } of running.values()) abort.abort()
      await Promise.all([...running.values()].map(({ done }) => done))
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
