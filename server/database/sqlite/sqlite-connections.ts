import { Database as Connection, Statement } from 'bun:sqlite'
import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { Reader, Transaction } from '../database.ts'
import { type DirectConnection, type DirectStatement, directConnections } from '../direct-queries.ts'
import { beforeUnitQuery, refuseInsideUnit, tableWrittenBy, UnitFault } from '../unit.ts'

const BUSY_TIMEOUT_MS = 5_000
/** Negative values are KiB. Holds the upper levels of every index at a million tickets. */
const CACHE_KIB = -16_384
/**
 * A long read, such as an export, keeps the log growing. Afterward SQLite reuses the file, and this makes it give the rest
 * back to the disk.
 */
const MAX_KEPT_LOG_BYTES = 16 * 1024 * 1024

const syncData = promisify(fdatasync)

/** Queries of this process since its start, for the test of how many one change causes. */
export const queryCounts = { started: 0 }

/**
 * The migration put the file into WAL mode. The writer doesn't wait for the write lock: the caller of `begin` retries
 * on `SQLITE_BUSY`. In WAL mode, only a checkpoint can meet a lock after `begin`. Deleted data is overwritten, so that
 * it can't be read from the file.
 *
 * A commit only appends to the log. `sync` then brings the log to the disk, as SQLite would with `synchronous = FULL`,
 * but in another thread, so the event loop isn't blocked. SQLite itself waits for everything else that must be on disk
 * in a certain order, such as the log before a checkpoint.
 */
export function openWriter(file: string) {
  const connection = new Connection(file, { create: true, strict: true })
  connection.exec(`
    PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
    PRAGMA synchronous = NORMAL;
    PRAGMA secure_delete = ON;
    PRAGMA foreign_keys = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = ${CACHE_KIB};
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = ${MAX_KEPT_LOG_BYTES};
  `)
  connection.exec('PRAGMA busy_timeout = 0')
  // The first read opens the log. It remains the same file until the last connection is closed.
  connection.query('SELECT count(*) FROM sqlite_schema').get()
  const log = openSync(`${file}-wal`, 'r')
  const logState = connection.prepare<{ log: number; checkpointed: number }, []>(
    'PRAGMA wal_checkpoint(NOOP)',
  )
  return {
    connection,
    tx: asPostgres<Transaction>(connection, (table) => {
      beforeUnitQuery(table)
      // A disk error can end the whole transaction. Later queries would commit on their own.
      if (!connection.inTransaction) throw new UnitFault('The transaction has already been rolled back.')
    }),
    changes: connection.prepare<{ changes: number }, []>('SELECT total_changes() AS changes'),
    begin: connection.prepare('BEGIN IMMEDIATE'),
    commit: connection.prepare('COMMIT'),
    savepoint: connection.prepare('SAVEPOINT unit'),
    release: connection.prepare('RELEASE unit'),
    rollbackTo: connection.prepare('ROLLBACK TO unit'),
    /** Resolves when all that is committed is on disk. */
    sync: () => syncData(log),
    close(): void {
      connection.close()
      closeSync(log)
    },
    /** Pages of the log that are not in the database yet; 0 if SQLite can't tell. */
    pagesInLog(): number {
      try {
        const { log = 0, checkpointed = 0 } = logState.get() ?? {}
        return log - checkpointed
      } catch {
        return 0
      }
    },
    /** Moves what it can without waiting. Blocks the event loop for 20 ms or more. */
    checkpointNow(): void {
      try {
        connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
      } catch {}
    },
    /** Moves everything and empties the log, without waiting. Returns whether it completed. */
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

/**
 * Reads in the same turn of the event loop share a transaction: locking the file takes longer than most queries. `refresh`
 * ends it, so that later reads see what has been committed since its first read.
 */
export function openReader(file: string) {
  const connection = new Connection(file, { readonly: true, strict: true })
  connection.exec(`
    PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = ${CACHE_KIB};
  `)
  const begin = connection.prepare('BEGIN')
  const end = connection.prepare('COMMIT')
  let endOfTurn: NodeJS.Immediate | undefined

  function share(): void {
    if (!connection.inTransaction) begin.run()
    endOfTurn ??= setImmediate(() => {
      endOfTurn = undefined
      refresh()
    })
  }

  function refresh(): void {
    if (connection.inTransaction) end.run()
  }

  const read = asPostgres<Reader>(connection, () => {
    refuseInsideUnit('read')
    share()
  })
  return {
    /** For a separate transaction, during which `read` must not be used. */
    connection,
    read,
    refresh,
    close(): void {
      clearImmediate(endOfTurn)
      refresh()
      connection.close()
    },
  }
}

/**
 * Tables are typed as PostgreSQL (columns.ts), and so is the connection. Drizzle calls its logger before each query, so
 * a guard that throws there prevents the query.
 */
function asPostgres<T extends object>(connection: Connection, check: DirectConnection['guard']): T {
  const guard = (table: string | undefined) => {
    queryCounts.started += 1
    check(table)
  }
  const logger = { logQuery: (query: string) => guard(tableWrittenBy(query)) }
  const handle = drizzle(connection, { casing: 'snake_case', logger }) as unknown as T
  directConnections.set(handle, { guard, prepare: (prepared) => preparedIn(prepared) })
  return handle
}

/** Preparing the text again would double the time and the memory. Its type keeps the statement private. */
function preparedIn(prepared: object): DirectStatement {
  if (!('stmt' in prepared && prepared.stmt instanceof Statement)) {
    throw new Error("Drizzle's prepared query has no statement of bun:sqlite.")
  }
  const { stmt } = prepared
  return { run: (values) => stmt.run(...values), values: (values) => stmt.values(...values) }
}
