// Not from `drizzle-orm/pg-core`, which also loads all that PostgreSQL needs at run time.
import { bigint } from 'drizzle-orm/pg-core/columns/bigint'
import { bigserial } from 'drizzle-orm/pg-core/columns/bigserial'
import { boolean as pgBoolean } from 'drizzle-orm/pg-core/columns/boolean'
import { customType } from 'drizzle-orm/pg-core/columns/custom'
import { text as pgText } from 'drizzle-orm/pg-core/columns/text'
import * as pgIndexes from 'drizzle-orm/pg-core/indexes'
import { primaryKey as pgPrimaryKey } from 'drizzle-orm/pg-core/primary-keys'
import { pgTable } from 'drizzle-orm/pg-core/table'
import * as lite from 'drizzle-orm/sqlite-core'

/**
 * The column types of the schema. One schema serves both engines. It is typed as PostgreSQL, which has no
 * `.get/.all/.run`, so SQLite-only code doesn't compile; it runs on SQLite every day, so PostgreSQL-only code fails in
 * tests. The engine is chosen once, when this file is loaded. Ids are text and sort by creation time. A column's values
 * are listed once, next to its table (`TICKET_STATUSES`), and type everything else.
 */
export const engine = process.env.DATABASE_URL ? 'postgresql' : 'sqlite'

/** JSON is text on both engines, because Bun's client would encode a jsonb parameter that Drizzle already encoded. */
const pgJson = customType<{ data: unknown; driverData: string | null }>({
  dataType: () => 'text',
  // Drizzle also calls it for null when the value is a parameter of a prepared query.
  toDriver: (value) => (value === null ? null : JSON.stringify(value)),
  fromDriver: (value) => value && JSON.parse(value),
})
const pgBytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

const postgresWords = {
  table: pgTable,
  text: () => pgText(),
  /** Integers up to 2^53: counts, versions, and times in milliseconds since 1970. */
  integer: () => bigint({ mode: 'number' }),
  /**
   * A primary key that the database assigns in ascending order. On SQLite it is the row's own number, which every index
   * contains anyway. Only for the inside: what people and programs see has a text id.
   */
  rowNumber: () => bigserial({ mode: 'number' }).primaryKey(),
  boolean: () => pgBoolean(),
  json: () => pgJson(),
  bytes: () => pgBytes(),
  index: pgIndexes.index,
  uniqueIndex: pgIndexes.uniqueIndex,
  primaryKey: pgPrimaryKey,
}
const sqliteWords = {
  table: lite.sqliteTable,
  text: () => lite.text(),
  integer: () => lite.integer({ mode: 'number' }),
  rowNumber: () => lite.integer({ mode: 'number' }).primaryKey(),
  boolean: () => lite.integer({ mode: 'boolean' }),
  json: () => lite.text({ mode: 'json' }),
  bytes: () => lite.blob({ mode: 'buffer' }),
  index: lite.index,
  uniqueIndex: lite.uniqueIndex,
  primaryKey: lite.primaryKey,
}
/**
 * A row number as the last column of an index. On SQLite every index ends with it without being told so, and a second one
 * would be a different column, which no query continues from.
 */
export function endingWith<Column>(rowNumber: Column): Column[] {
  return engine === 'sqlite' ? [] : [rowNumber]
}

// The only cast between the engines. From here on everything is typed as PostgreSQL.
const words = engine === 'sqlite' ? (sqliteWords as unknown as typeof postgresWords) : postgresWords

export const { table, text, integer, rowNumber, boolean, json, bytes, index, uniqueIndex, primaryKey } = words
