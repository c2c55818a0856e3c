import { SQL } from 'bun'
import { drizzle } from 'drizzle-orm/bun-sql'
import { type Database, type Reader, StorageError, type Transaction } from './database.ts'
import { refuseInsideUnit, refuseOutsideUnit, runAsUnit } from './unit.ts'

/** Serialization failure and deadlock (PostgreSQL manual, appendix A): the unit did nothing wrong and goes again. */
const RETRYABLE = new Set(['40001', '40P01'])
const MOST_TRIES = 8
/** Disk full, out of memory, too many connections, shutting down, connection lost. */
const STORAGE_FAULT = /^(53|57P|58|08)/
/** The server ends a unit that awaits something other than its queries: others may be waiting for its rows. */
const LONGEST_IDLE_MS = 5_000

/** The server engine, for those who outgrow one machine. `onRetry` is told each unit that had to go again. */
export function openPostgres(
  url: string,
  onCommit: () => void,
  onRetry: (code: string, tries: number) => void,
): Database {
  const client = new SQL(url, { connection: { idle_in_transaction_session_timeout: LONGEST_IDLE_MS } })
  const reads = guarded(client, () => refuseInsideUnit('read'))
  const writes = guarded(client, refuseOutsideUnit)
  let lastPosition: string | undefined

  async function write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    refuseInsideUnit('write')
    for (let tries = 1; ; tries += 1) {
      try {
        const value = await writes.transaction((tx) => runAsUnit(() => work(tx as unknown as Transaction)))
        onCommit()
        return value
      } catch (reason) {
        const code = sqlState(reason)
        if (!code || !RETRYABLE.has(code) || tries === MOST_TRIES) throw asRefusal(reason, code)
        onRetry(code, tries)
      }
    }
  }

  return {
    engine: 'postgresql',
    read: reads as unknown as Reader,
    write,
    async changedElsewhere() {
      const [row] = await client`select pg_current_wal_insert_lsn()::text as position`
      const isChanged = lastPosition !== undefined && row.position !== lastPosition
      lastPosition = row.position
      return isChanged
    },
    async size() {
      const [row] = await client`select pg_database_size(current_database()) as bytes`
      return { database: Number(row.bytes), wal: 0 }
    },
    async close() {
      await client.close()
    },
  }
}

/** Drizzle tells its logger of each query before it runs it: a guard that throws there keeps it from running. */
function guarded(client: SQL, guard: () => void) {
  return drizzle(client, { casing: 'snake_case', logger: { logQuery: guard } })
}

function asRefusal(reason: unknown, code: string | undefined): unknown {
  const isFault = isConnectionLost(reason) || (code && STORAGE_FAULT.test(code))
  return isFault ? new StorageError('The database server refused the change.', { cause: reason }) : reason
}

/** The five-character SQLSTATE, wherever Drizzle or the client has put it. */
function sqlState(reason: unknown): string | undefined {
  for (let at = reason; at instanceof Error; at = at.cause) {
    if ('errno' in at && typeof at.errno === 'string') return at.errno
    if ('code' in at && typeof at.code === 'string' && /^[0-9A-Z]{5}$/.test(at.code)) return at.code
  }
  return undefined
}

/** Bun's own codes: no server, or one that went away. */
function isConnectionLost(reason: unknown): boolean {
  for (let at = reason; at instanceof Error; at = at.cause) {
    if ('code' in at && String(at.code).startsWith('ERR_POSTGRES_CONNECTION_')) return true
  }
  return false
}
