import type { PgDatabase } from 'drizzle-orm/pg-core'
import type { PgQueryResultHKT } from 'drizzle-orm/pg-core/session'

type Queries = PgDatabase<PgQueryResultHKT, Record<string, never>>

/** The queries of a read. Reads never see uncommitted rows. */
export type Reader = Pick<Queries, 'select' | 'selectDistinct' | '$with' | 'with'>

/** The queries of a unit of work. Inside a unit, use only these. */
export type Transaction = Pick<
  Queries,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | '$with' | 'with'
>

export interface Database {
  readonly engine: 'sqlite' | 'postgresql'
  readonly read: Reader
  /**
   * Runs a unit of work. Its changes are durable when the promise resolves; when it rejects, none is kept. A unit may
   * run more than once and must await only its own queries, so hash, fetch and read files before. Writes don't nest.
   * Throws what the unit throws, or `StorageError` when the disk or the database server failed.
   */
  write<T>(unit: (tx: Transaction) => Promise<T>): Promise<T>
  /** Returns whether another process, such as a command, has committed since the last call. */
  hasExternalCommits(): Promise<boolean>
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
