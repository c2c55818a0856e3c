import { Database as Connection } from 'bun:sqlite'
import { join } from 'node:path'
import { type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { engine } from './columns.ts'
import type { Reader } from './database.ts'
import { DATABASE_FILE } from './open.ts'
import { openOwnConnection, rowsByCursor } from './postgresql/own-connection.ts'

const BUSY_TIMEOUT_MS = 5_000

interface Query {
  toSQL(): { sql: string; params: unknown[] }
}

/** Reads on its own connection. All of them see the same moment, whatever is written meanwhile. */
export interface ReadTransaction {
  /**
   * The rows of a query, `atOnce` in memory at a time, each with the values of the columns that the query selects, in
   * their order. One query at a time.
   */
  rows(
    build: (read: Reader) => Query,
    columns: readonly PgColumn[],
    atOnce: number,
  ): AsyncGenerator<unknown[][]>
  close(): Promise<void>
}

export async function openReadTransaction(place: {
  dataFolder: string
  databaseUrl: string | undefined
}): Promise<ReadTransaction> {
  return place.databaseUrl === undefined
    ? readSqlite(join(place.dataFolder, DATABASE_FILE))
    : await readPostgres(place.databaseUrl)
}

/** Sorts text by its UTF-8 bytes, as SQLite does, whatever the locale of a PostgreSQL database. */
export function inByteOrder(column: PgColumn): SQL {
  const isSortedByLanguage = engine === 'postgresql' && column.dataType === 'string'
  return isSortedByLanguage ? sql`${column} collate "C"` : sql`${column}`
}

function readSqlite(file: string): ReadTransaction {
  const connection = new Connection(file, { readonly: true, strict: true })
  // Sorted data may be larger than memory.
  connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA temp_store = FILE; BEGIN`)
  // The first read sets the moment that the transaction sees.
  connection.query('SELECT count(*) FROM sqlite_schema').get()
  // Only builds queries, and never runs them.
  const read = drizzle(connection, { casing: 'snake_case' }) as unknown as Reader
  return {
    async *rows(build, columns, atOnce) {
      const { sql, params } = build(read).toSQL()
      using query = connection.prepare<Record<string, unknown>, (string | number)[]>(sql)
      for (const page of inPages(query.iterate(...params.map(bindingOf)), atOnce)) {
        yield page.map((row) => decoded(columns, Object.values(row)))
      }
    },
    async close() {
      connection.close()
    },
  }
}

/** Rows that are read one by one, so many in memory at a time. */
export function* inPages<Row>(rows: Iterable<Row>, atOnce: number): Generator<Row[]> {
  let page: Row[] = []
  for (const row of rows) {
    page.push(row)
    if (page.length < atOnce) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

function bindingOf(param: unknown): string | number {
  if (typeof param === 'string' || typeof param === 'number') return param
  throw new Error('A query of an export has only texts and numbers as parameters.')
}

async function readPostgres(url: string): Promise<ReadTransaction> {
  // Not imported: that would load it on SQLite, too.
  const { drizzle } = await import('drizzle-orm/bun-sql')
  const client = await openOwnConnection(url)
  const read = drizzle(client, { casing: 'snake_case' }) as unknown as Reader
  try {
    await client.unsafe('begin isolation level repeatable read, read only')
  } catch (error) {
    await client.close()
    throw error
  }
  return {
    async *rows(build, columns, atOnce) {
      for await (const page of rowsByCursor(client, build(read).toSQL(), atOnce)) {
        yield page.map((values) => decoded(columns, values))
      }
    },
    close: () => client.close({ timeout: 0 }),
  }
}

function decoded(columns: readonly PgColumn[], values: unknown[]): unknown[] {
  return columns.map((column, place) => {
    const value = values[place]
    return value === null ? null : column.mapFromDriverValue(value)
  })
}
