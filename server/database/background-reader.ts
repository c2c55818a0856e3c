import { drizzle } from 'drizzle-orm/sqlite-proxy'
import type { Reader } from './database.ts'
import { openDatabaseThread } from './database-thread.ts'
import type { ReaderRequest } from './reader-worker.ts'
import { refuseInsideUnit } from './unit.ts'

interface BackgroundReader {
  read: Reader
  /** Queries that are running or waiting are rejected. */
  close(): void
}

/**
 * Reads of a SQLite file in a Worker, one after the other. SQLite runs each query to its end, and a full-text query can
 * take long before its first row, whatever its limit. On the main thread it would hold up every request.
 */
export function openBackgroundReader(file: string): BackgroundReader {
  const thread = openDatabaseThread(file)

  async function query(sql: string, params: unknown[]): Promise<{ rows: unknown[][] }> {
    refuseInsideUnit('read')
    const given = params as Extract<ReaderRequest, { params: unknown }>['params']
    return { rows: await thread.run({ sql, params: given }) }
  }

  return {
    // The second argument is for batches.
    read: drizzle(query, undefined, { casing: 'snake_case' }) as unknown as Reader,
    close: thread.close,
  }
}
