import { Database as Connection } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { Reader, Transaction } from './database.ts'
import { rememberConnection } from './sqlite-direct.ts'
import { refuseInsideUnit, refuseOutsideUnit, UnitFault } from './unit.ts'

const BUSY_TIMEOUT_MS = 5_000
/** Negative values are KiB. Holds the upper levels of every index at a million tickets. */
const CACHE_KIB = -16_384

/**
 * The migration put the file into WAL mode. The writer doesn't wait for the write lock: the caller of `begin` retries on
 * `SQLITE_BUSY`. In WAL mode only the checkpoint can meet a lock after `begin`. Deleted data is overwritten, so that it
 * can't be read from the file.
 */
export function openWriter(file: string) {
  const connection = new Connection(file, { create: true, strict: true })
  connection.exec(`
    PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
    PRAGMA synchronous = FULL;
    PRAGMA secure_delete = ON;
    PRAGMA foreign_keys = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = ${CACHE_KIB};
  `)
  connection.exec('PRAGMA busy_timeout = 0')
  return {
    connection,
    tx: asPostgres<Transaction>(connection, () => {
      refuseOutsideUnit()
      // A disk error can end the whole transaction. Later queries would commit on their own.
      if (!connection.inTransaction) throw new UnitFault('The transaction has already been rolled back.')
    }),
    changes: connection.prepare<{ changes: number }, []>('SELECT total_changes() AS changes'),
    begin: connection.prepare('BEGIN IMMEDIATE'),
    commit: connection.prepare('COMMIT'),
    savepoint: connection.prepare('SAVEPOINT unit'),
    release: connection.prepare('RELEASE unit'),
    rollbackTo: connection.prepare('ROLLBACK TO unit'),
    /** The same checkpoint without waiting. Returns whether it completed. */
    emptyLog(): boolean {
      const row = connection.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()
      return row?.busy === 0
    },
    /** Moves everything from the log into the database. Waits for readers and for another process's write. */
    checkpoint(): void {
      connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA wal_checkpoint(TRUNCATE)`)
    },
  }
}

export function openReader(file: string) {
  const connection = new Connection(file, { readonly: true, strict: true })
  connection.exec(`
    PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = ${CACHE_KIB};
  `)
  return { connection, read: asPostgres<Reader>(connection, () => refuseInsideUnit('read')) }
}

/**
 * Tables are typed as PostgreSQL (columns.ts), and so is the connection. Drizzle calls its logger before each query, so
 * a guard that throws there prevents the query.
 */
function asPostgres<T extends object>(connection: Connection, guard: () => void): T {
  const handle = drizzle(connection, { casing: 'snake_case', logger: { logQuery: guard } }) as unknown as T
  rememberConnection(handle, { connection, guard })
  return handle
}
