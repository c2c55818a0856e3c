import type { PgDatabase } from 'drizzle-orm/pg-core'
import type { PgQueryResultHKT } from 'drizzle-orm/pg-core/session'

type Queries = PgDatabase<PgQueryResultHKT, Record<string, never>>

/** What a read may do. It never sees rows that are not committed. */
export type Reader = Pick<Queries, 'select' | 'selectDistinct' | '$with' | 'with'>

/** What a unit of work may do. Inside a unit use only this. */
export type Transaction = Pick<
  Queries,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | '$with' | 'with'
>

export interface Database {
  readonly engine: 'sqlite' | 'postgresql'
  readonly read: Reader
  /**
   * Runs a unit of work: all of its changes become durable before the promise settles, or none is kept.
   * A unit may be run more than once, and awaits nothing but its own queries; hash, fetch and read files before. There is
   * no write inside a write. Throws what the unit throws, or `StorageError` when the disk or the database server refused.
   */
  write<T>(unit: (tx: Transaction) => Promise<T>): Promise<T>
  /** Whether another process (a command) has committed since this was last asked. */
  hasExternalCommits(): Promise<boolean>
  /**
   * Sees to it that what has been deleted does not stay in the log beside the database; answers whether that was done.
   * Nothing to do where the engine has no such file.
   */
  emptyLog(): Promise<boolean>
  /** Sizes on disk in bytes; `wal` is 0 where the engine has no such file. */
  size(): Promise<{ database: number; wal: number }>
  close(): Promise<void>
}

/** The storage refused: disk full, disk broken, database server away. */
export class StorageError extends Error {
  override name = 'StorageError'
  /** Whether nothing was changed. A database server that goes away at the commit leaves that open. */
  readonly isCertain: boolean

  constructor(
    message: string,
    { isCertain = true, ...options }: ErrorOptions & { isCertain?: boolean } = {},
  ) {
    super(message, options)
    this.isCertain = isCertain
  }
}
