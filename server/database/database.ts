import type { PgDatabase } from 'drizzle-orm/pg-core'
import type { PgQueryResultHKT } from 'drizzle-orm/pg-core/session'

/**
 * Serialization failure, deadlock, and a unit that was idle for too long because its process was frozen (PostgreSQL
 * manual, appendix A). The unit is correct and runs again.
 */
const RETRYABLE = new Set(['40001', '40P01', '25P03'])
/** Disk full, out of memory, too many connections, read-only, shutting down, not accepting connections, connection lost. */
const POSTGRES_FAULT = /^(53|25006|55000|57P|58|08)/
const SQLITE_FAULT = /^SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY|NOMEM|CORRUPT|NOTADB|PERM|PROTOCOL)/
/** How a file whose data was moved refuses changes (move/change-log.ts). */
export const MOVED = 'The data was moved to PostgreSQL.'
const QUERY_CANCELED = '57014'
/** Bun's codes for no server or a lost connection. */
const CONNECTION_LOST = /^(08|ERR_POSTGRES_CONNECTION_)/
const STORAGE_CODE = /^([0-9A-Z]{5}$|SQLITE_|ERR_POSTGRES_CONNECTION_)/

/** The status of `/health/ready` while a read fails or gets no answer. */
export const DATABASE_FAULT = "The database isn't available."

type Queries = PgDatabase<PgQueryResultHKT, Record<string, never>>

/** The queries of a read. Reads never see uncommitted rows. */
export type Reader = Pick<Queries, 'select' | 'selectDistinct' | '$with' | 'with'>

/** The queries of a unit of work. Inside a unit, use only these. */
export type Transaction = Pick<
  Queries,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | '$with' | 'with'
>

/**
 * Saves more in the unit of a change, with its result, such as the answer to a request that may be repeated. If it throws,
 * the change is undone.
 */
export type AlsoSave<T> = (tx: Transaction, result: T) => Promise<void>

/**
 * Called after each commit that wrote something, with the names of the tables it wrote, and the organizations whose rows
 * these were: undefined if a unit didn't say it. `isUncertain`: it may have failed, and who asked for it doesn't know.
 */
export type OnCommit = (
  written: ReadonlySet<string>,
  orgIds: ReadonlySet<string> | undefined,
  isUncertain?: true,
) => void

export interface Database {
  readonly engine: 'sqlite' | 'postgresql'
  readonly read: Reader
  /**
   * The same for reads that may take long. They run outside the event loop, at most a few at once. Like those of
   * `read`, their queries see everything committed before them.
   */
  readonly background: Reader
  /**
   * Runs a unit of work. Its changes are durable when the promise resolves; when it rejects, none is kept. A unit may
   * run more than once and must await only its own queries, so hash, fetch and read files before. Writes don't nest.
   * `orgId`: the organization whose rows it changes, one unit after the other. Undefined when they are of none or of
   * several, and for what a loop does in the background: on PostgreSQL, others don't wait for it.
   * Throws what the unit throws, or `StorageError` when the disk or the database server failed.
   * `first`: the unit's first query, with whose result it begins. Units that have one and follow each other run theirs
   * together, so that on PostgreSQL none waits for a round trip. What it returns must not depend on the rest of the others.
   */
  write<T, First = undefined>(
    orgId: string | undefined,
    unit: (tx: Transaction, first: First) => Promise<T>,
    first?: (tx: Transaction) => Promise<First>,
  ): Promise<T>
  /**
   * Makes later reads see everything that other processes have committed. Reads in one turn of the event loop may share
   * a snapshot, and a request that arrives late in a turn must see what was committed before it was sent.
   */
  refresh(): void
  /**
   * Returns whether another process, such as a command, has committed since the last call. Missing on PostgreSQL, where
   * such processes say so themselves.
   */
  hasExternalCommits?(): Promise<boolean>
  /**
   * Removes deleted data from the write-ahead log. Returns whether it succeeded. Does nothing on an engine without
   * such a file.
   */
  emptyLog(): Promise<boolean>
  /** Sizes on disk in bytes. `wal` is 0 on an engine without such a file. */
  size(): Promise<{ database: number; wal: number }>
  close(): Promise<void>
}

/** The storage failed: disk full, disk error, database server unavailable. */
export class StorageError extends Error {
  override name = 'StorageError'
  /** Whether it is certain that nothing changed. It isn't when the database server disconnects during a commit. */
  readonly isCertain: boolean

  constructor(
    message: string,
    { isCertain = true, ...options }: ErrorOptions & { isCertain?: boolean } = {},
  ) {
    super(message, options)
    this.isCertain = isCertain
  }
}

/** Whether the disk or the database server failed, not the query. Looks through the causes that Drizzle adds. */
export function isStorageFault(reason: unknown): boolean {
  if (reason instanceof StorageError) return true
  if (reason instanceof Error && reason.cause instanceof StorageError) return true
  const code = storageCode(reason)
  return SQLITE_FAULT.test(code) || POSTGRES_FAULT.test(code) || CONNECTION_LOST.test(code) || isMoved(reason)
}

function isMoved(reason: unknown): boolean {
  for (let at = reason; at instanceof Error; at = at.cause) if (at.message === MOVED) return true
  return false
}

/** Whether the connection was lost, so that it is unknown whether the change was stored. */
export function isConnectionLost(reason: unknown): boolean {
  return CONNECTION_LOST.test(storageCode(reason))
}

export function isRetryable(reason: unknown): boolean {
  return RETRYABLE.has(storageCode(reason))
}

/** Whether the disk of the database has no space left. */
export function isDiskFull(reason: unknown): boolean {
  return ['SQLITE_FULL', '53100'].includes(storageCode(reason))
}

/** Whether the database server ended a query because it took too long. */
export function isReadTimeout(reason: unknown): boolean {
  return storageCode(reason) === QUERY_CANCELED
}

/** The SQLSTATE, SQLite's error name, or Bun's code; empty when there is none. */
export function storageCode(reason: unknown): string {
  for (let at = reason; at instanceof Error; at = at.cause) {
    if ('errno' in at && typeof at.errno === 'string') return at.errno
    if ('code' in at && typeof at.code === 'string' && STORAGE_CODE.test(at.code)) return at.code
  }
  return ''
}
