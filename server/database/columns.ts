import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'

/**
 * The words tables are written in. One schema serves both engines: it is typed as PostgreSQL, which has no
 * `.get/.all/.run`, so a SQLite-only slip does not compile; it runs on SQLite every day, so a PostgreSQL-only
 * slip fails in any test. The engine is chosen once, when this file is loaded. Ids are text that sorts by the time they
 * were made. The words of a column stand once, beside its table (`TICKET_STATUSES`), and type everything else.
 */
export const engine = process.env.DATABASE_URL ? 'postgresql' : 'sqlite'

/** JSON is text on both engines: Bun's client encodes a jsonb parameter that Drizzle has already encoded. */
const pgJson = pg.customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (value) => JSON.parse(value),
})
const pgBytes = pg.customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

const postgresWords = {
  table: pg.pgTable,
  text: () => pg.text(),
  /** Whole numbers up to 2^53: counts, versions, and times in milliseconds since 1970. */
  integer: () => pg.bigint({ mode: 'number' }),
  boolean: () => pg.boolean(),
  json: () => pgJson(),
  bytes: () => pgBytes(),
  index: pg.index,
  uniqueIndex: pg.uniqueIndex,
  primaryKey: pg.primaryKey,
}
const sqliteWords = {
  table: lite.sqliteTable,
  text: () => lite.text(),
  integer: () => lite.integer({ mode: 'number' }),
  boolean: () => lite.integer({ mode: 'boolean' }),
  json: () => lite.text({ mode: 'json' }),
  bytes: () => lite.blob({ mode: 'buffer' }),
  index: lite.index,
  uniqueIndex: lite.uniqueIndex,
  primaryKey: lite.primaryKey,
}
// The one cast between the engines: from here on everything is typed as PostgreSQL.
const words = engine === 'sqlite' ? (sqliteWords as unknown as typeof postgresWords) : postgresWords

export const { table, text, integer, boolean, json, bytes, index, uniqueIndex, primaryKey } = words
