import type { SQL } from 'bun'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sql'
import {
  type Database,
  isConnectionLost,
  isRetryable,
  isStorageFault,
  type OnCommit,
  type Reader,
  StorageError,
  storageCode,
  type Transaction,
} from '../database.ts'
import { beforeUnitQuery, refuseInsideUnit, runAsUnit, tableWrittenBy } from '../unit.ts'
import { openPool } from './postgres-pool.ts'

const MAX_TRIES = 8
/** Multiplied by the number of tries. */
const MAX_PAUSE_MS = 10
/** The server ends a unit that awaits anything but its queries, because others may be waiting for its rows. */
const MAX_IDLE_MS = 5_000
/** Separate connections for reads that may take long, so that these don't delay the rest of the service. */
const BACKGROUND_CONNECTIONS = 3
/** The server ends such a read after this time, whether its client is still there or not. */
const MAX_BACKGROUND_MS = 2_000

/**
 * Tells the server that another process, such as a command, has committed: part of each of its units. The row gets a
 * new version, and keeps its values. The server's own commits don't do this, so it isn't told about these.
 */
export const MARK_COMMIT = sql`update bellhop_migrations set name = name where version = 1`

/** The PostgreSQL engine, for data that outgrows one machine. `onRetry` is called for each retried unit. */
export async function openPostgres(
  url: string,
  onCommit: OnCommit,
  onRetry: (code: string, tries: number) => void,
): Promise<Database> {
  const client = openPool(url, { connection: { idle_in_transaction_session_timeout: MAX_IDLE_MS } })
  const background = openPool(url, {
    max: BACKGROUND_CONNECTIONS,
    connection: { statement_timeout: MAX_BACKGROUND_MS },
  })
  const refuseRead = () => refuseInsideUnit('read')
  const reads = guarded(client, refuseRead)
  const writes = guarded(client, (query) => beforeUnitQuery(tableWrittenBy(query)))
  let lastMark = await mark()
  /** Only the server watches the commits of others. */
  let isServer = false

  /** It has a parameter, because Bun's client plans a query without one anew each time. */
  async function mark(): Promise<string> {
    const [row] = await client`select xmin::text as mark from bellhop_migrations where version = ${1}`
    return row.mark
  }

  async function write<T>(_orgId: string | undefined, work: (tx: Transaction) => Promise<T>): Promise<T> {
    refuseInsideUnit('write')
    for (let tries = 1; ; tries += 1) {
      const written = new Set<string>()
      try {
        const value = await writes.transaction((tx) =>
          runAsUnit(async () => {
            const result = await work(tx as unknown as Transaction)
            if (!isServer && written.size > 0) await tx.execute(MARK_COMMIT)
            return result
          }, written),
        )
        if (written.size > 0) onCommit(written)
        return value
      } catch (reason) {
        if (!isRetryable(reason) || tries === MAX_TRIES) throw asRefusal(reason)
        onRetry(storageCode(reason), tries)
        await pause(tries)
      }
    }
  }

  return {
    engine: 'postgresql',
    read: reads as unknown as Reader,
    background: guarded(background, refuseRead) as unknown as Reader,
    write,
    refresh() {},
    async hasExternalCommits() {
      isServer = true
      const seen = await mark()
      const isChanged = seen !== lastMark
      lastMark = seen
      return isChanged
    },
    async emptyLog() {
      return true
    },
    async size() {
      const [row] = await client`select pg_database_size(current_database()) as bytes`
      return { database: Number(row.bytes), wal: 0 }
    },
    async close() {
      await Promise.all([client.close(), background.close()])
    },
  }
}

/** Drizzle calls its logger before each query, so a guard that throws there prevents the query. */
function guarded(client: SQL, guard: (query: string) => void) {
  return drizzle(client, { casing: 'snake_case', logger: { logQuery: guard } })
}

/** A random pause, so that conflicting units don't conflict again. */
function pause(tries: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS * tries))
}

function asRefusal(reason: unknown): unknown {
  if (!isStorageFault(reason)) return reason
  const isCertain = !isConnectionLost(reason)
  return new StorageError("The database server couldn't save the change.", { cause: reason, isCertain })
}
