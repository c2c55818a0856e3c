import type { SQL } from 'bun'
import { drizzle } from 'drizzle-orm/bun-sql'
import { pause, systemClock } from '../../clock.ts'
import { yieldToEventLoop } from '../../loop.ts'
import { fromStart, organizationsOf, type QueuedUnit, queuedUnit, runBatch, takeFrom } from '../batch.ts'
import {
  type Database,
  isConnectionLost,
  isRetryable,
  isStorageFault,
  type OnCommit,
  type Reader,
  StorageError,
  storageCode,
} from '../database.ts'
import { directConnections } from '../direct-queries.ts'
import { refuseInsideUnit } from '../unit.ts'
import { arraysOf, queryForEach } from './arrays.ts'
import { currentFence, textOf } from './fence.ts'
import { openPool } from './postgres-pool.ts'
import { openTransactions, readReferences, readTimeline, type Start } from './postgres-transactions.ts'

const MAX_TRIES = 8
/** Multiplied by the number of tries. */
const MAX_PAUSE_MS = 10
/** What one commit takes at most: units, and milliseconds of the organization's row. */
const MAX_UNITS = 60
const MAX_BATCH_MS = 20
/** Others may be waiting for the organization of a unit that awaits anything but its queries, or of a frozen process. */
const MAX_IDLE_MS = 1_000
/** A command may store a file within a unit. */
const MAX_COMMAND_IDLE_MS = 30_000
/** Connections of a node, with the three of its cluster and those for reads in the background: 19. */
const READ_CONNECTIONS = 7
const WRITE_CONNECTIONS = 6
/** Separate connections for reads that may take long, so that these don't delay the rest of the service. */
const BACKGROUND_CONNECTIONS = 3
/** The server ends such a read after this time, whether its client is still there or not. */
const MAX_BACKGROUND_MS = 2_000

/** The channel on which nodes hear of commits. */
export const CHANNEL = 'bellhop'
/**
 * Tells the nodes of a cluster that a command has committed: part of each of its units. Nodes tell each other after their
 * commits, because this holds a lock of the whole database server.
 */
export const TELL_NODES = `select pg_notify('${CHANNEL}', '')`

/**
 * The PostgreSQL engine, for data that outgrows one machine. `isNode`: others learn of its commits from `onCommit`.
 * `onRetry` is called for each retried unit.
 */
export async function openPostgres(
  url: string,
  {
    isNode,
    onCommit,
    onRetry,
  }: { isNode: boolean; onCommit: OnCommit; onRetry: (code: string, tries: number) => void },
): Promise<Database> {
  const client = openPool(url, { max: READ_CONNECTIONS })
  const writing = openPool(url, { max: WRITE_CONNECTIONS })
  const background = openPool(url, {
    max: BACKGROUND_CONNECTIONS,
    statementTimeoutMs: MAX_BACKGROUND_MS,
  })
  const refuseRead = () => refuseInsideUnit('read')
  const transact = openTransactions(writing, client, {
    references: await readReferences(client),
    timeline: await readTimeline(client),
    maxIdleMs: isNode ? MAX_IDLE_MS : MAX_COMMAND_IDLE_MS,
  })
  /** By organization and fence: the units that wait for the batch that is being committed. */
  const queues = new Map<string, QueuedUnit[]>()
  const running = new Set<Promise<void>>()
  let isClosed = false

  const write: Database['write'] = async (orgId, work, first) => {
    refuseInsideUnit('write')
    return new Promise((resolve, reject) => {
      if (isClosed) throw new StorageError('The database is closed.')
      const fence = currentFence()
      const unit = queuedUnit({ orgId, work, first, resolve, reject })
      const name = orgId && orgId + (fence ? textOf(fence) : '')
      const queue = name && queues.get(name)
      if (queue) queue.push(unit)
      else {
        const committing = commitAll({ orgId, fence }, [unit], name).finally(() => running.delete(committing))
        running.add(committing)
      }
    })
  }

  /** Units that come while a batch is committed share the next one. */
  async function commitAll(start: Start, queue: QueuedUnit[], name: string | undefined): Promise<void> {
    if (name !== undefined) queues.set(name, queue)
    while (queue.length > 0) {
      // Requests that arrive in the same turn of the event loop share a batch.
      await yieldToEventLoop()
      await commitBatch(start, queue)
    }
    if (name !== undefined) queues.delete(name)
  }

  async function commitBatch(start: Start, queue: QueuedUnit[]): Promise<void> {
    const units: QueuedUnit[] = []
    let startedAt: number | undefined
    function isFull(): boolean {
      startedAt ??= systemClock.monotonic()
      return units.length >= MAX_UNITS || systemClock.monotonic() - startedAt >= MAX_BATCH_MS
    }
    for (let tries = 1; ; tries += 1) {
      const written = new Set<string>()
      let isOver = false
      const run = (next: () => QueuedUnit | undefined, hasSavepoints = false) =>
        transact(start, async (on) => {
          // After its connection is lost, it would still take units that no one answers.
          const settle = await runBatch(on, () => (isOver ? undefined : next()), written, hasSavepoints)
          if (settle && !isNode && written.size > 0) await on.execute(TELL_NODES)
          return settle
        })
      try {
        const settle =
          (await run(units.length === 0 ? takeFrom(queue, units, isFull) : fromStart(units))) ??
          (await run(fromStart(units), true))
        if (!settle) throw new Error('A batch failed after each of its units had succeeded.')
        if (written.size > 0) onCommit(written, organizationsOf(units))
        for (const each of settle) each()
        return
      } catch (reason) {
        isOver = true
        if (!isRetryable(reason) || tries === MAX_TRIES) {
          const refusal = asRefusal(reason)
          const isUncertain = refusal instanceof StorageError && !refusal.isCertain
          if (isUncertain && written.size > 0) onCommit(written, organizationsOf(units), true)
          // Without a connection, no unit was taken.
          const refused = units.length > 0 ? units : queue.splice(0)
          for (const unit of refused) unit.reject(refusal)
          return
        }
        onRetry(storageCode(reason), tries)
        // A random pause, so that conflicting units don't conflict again.
        await pause(Math.random() * MAX_PAUSE_MS * tries)
      }
    }
  }

  return {
    engine: 'postgresql',
    read: guarded(client, refuseRead),
    background: guarded(background, refuseRead),
    write,
    refresh() {},
    async emptyLog() {
      return true
    },
    async size() {
      const [row] = await client`select pg_database_size(current_database()) as bytes`
      return { database: Number(row.bytes), wal: 0 }
    },
    async close() {
      isClosed = true
      await Promise.all(running)
      await Promise.all([client.close(), writing.close(), background.close()])
    },
  }
}

/** Drizzle calls its logger before each query, so a guard that throws there prevents the query. */
function guarded(client: SQL, guard: () => void): Reader {
  const handle = drizzle(client, { casing: 'snake_case', logger: { logQuery: guard } }) as unknown as Reader
  directConnections.set(handle, {
    guard,
    prepare(prepared) {
      const query = prepared.getQuery().sql
      const values = (given: unknown[]) => client.unsafe(query, [...given]).values()
      return { run: values, values }
    },
    prepareForEach(prepared) {
      const query = queryForEach(prepared.getQuery().sql)
      return async (rows) => {
        const found: unknown[][][] = rows.map(() => [])
        const arrays = arraysOf(rows)
        for (const [place, ...row] of await client.unsafe(query, arrays).values())
          found[Number(place) - 1]?.push(row)
        return found
      }
    },
  })
  return handle
}

function asRefusal(reason: unknown): unknown {
  if (!isStorageFault(reason) || reason instanceof StorageError) return reason
  const isCertain = !isConnectionLost(reason)
  return new StorageError("The database server couldn't save the change.", { cause: reason, isCertain })
}
