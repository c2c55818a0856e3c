import type { SQLQueryBindings } from 'bun:sqlite'
import { Column, getTableName, is, noopDecoder, Param, Placeholder, SQL } from 'drizzle-orm'
import type { IndexColumn, PgTable } from 'drizzle-orm/pg-core'
import { tableWrittenBy } from './unit.ts'

/** The connection of a Drizzle handle, which runs the queries that Drizzle has built. */
export interface DirectConnection {
  /** Called with the table that a query writes. Throws when no query is allowed now. */
  guard: (table: string | undefined) => void
  prepare(prepared: Prepared): DirectStatement
  /** Prepares a query that runs once for each row of values, in one round trip. Undefined where there are none. */
  prepareForEach?(prepared: Prepared): (rows: readonly unknown[][]) => Promise<unknown[][][]>
  /**
   * Prepares an insert of any number of rows. The rows of all units of a commit are inserted together, at the latest when a
   * query needs them. Undefined where each insert costs no more on its own.
   */
  prepareInsert?(definition: InsertDefinition): (rows: InsertedRow[]) => void
}

export type InsertedRow = Record<string, unknown>

export interface InsertDefinition {
  table: PgTable
  /** The columns to fill, and those among them whose values are in the rows. */
  names: string[]
  given: string[]
  /** How to compute a column from the values of a row. */
  expressionOf: Map<string, (value: SQL | Placeholder, other: (column: string) => SQL | Placeholder) => SQL>
  onConflict: { target: IndexColumn[]; set: Record<string, SQL>; setWhere?: SQL } | 'keep' | undefined
}

/** The array of values is filled again for the next run. */
export interface DirectStatement {
  /** On PostgreSQL, it doesn't wait for the server: the end of the unit does. */
  run(values: SQLQueryBindings[]): unknown
  values(values: SQLQueryBindings[]): unknown[][] | Promise<unknown[][]>
}

export const directConnections = new WeakMap<object, DirectConnection>()

/** A query that Drizzle has prepared. */
interface Prepared {
  getQuery(): { sql: string; params: unknown[] }
}

/**
 * Runs a change built by Drizzle without Drizzle, which is faster. Returns undefined for a handle without a direct
 * connection. Calls `readerOf` once per parameter.
 */
export function directRun<Input>(
  handle: object,
  prepared: Prepared,
  readerOf: (parameter: string) => (input: Input) => unknown,
): ((input: Input) => void) | undefined {
  const connection = directConnections.get(handle)
  if (!connection) return undefined
  const query = connection.prepare(prepared)
  const { sql: text, params } = prepared.getQuery()
  const table = tableWrittenBy(text)
  const bind = binderOf(params, readerOf)
  return (input) => {
    connection.guard(table)
    query.run(bind(input))
  }
}

/** The same for an insert of any number of rows. Undefined where it is prepared for each number of rows. */
export function directInsert(
  handle: object,
  definition: InsertDefinition,
): ((rows: InsertedRow[]) => void) | undefined {
  const connection = directConnections.get(handle)
  const insert = connection?.prepareInsert?.(definition)
  if (!insert) return undefined
  const table = getTableName(definition.table)
  return (rows) => {
    connection?.guard(table)
    insert(rows)
  }
}

/**
 * Reads rows without Drizzle, which takes less than half the time. Drizzle looks up how to decode each value of
 * each row; here that is looked up once. Returns undefined for what only Drizzle can decode: joined tables that can be
 * missing.
 */
export function directRows<Input extends Record<string, unknown>, Result>(
  handle: object,
  prepared: Prepared,
): ((input: Input) => Promise<Result>) | undefined {
  const connection = directConnections.get(handle)
  const columns = connection && columnsIn(prepared)
  if (!columns) return undefined
  const query = connection.prepare(prepared)
  const { sql: text, params } = prepared.getQuery()
  const table = tableWrittenBy(text)
  const bind = binderOf(params, (parameter) => (input: Input) => input[parameter])
  const decoded = rowDecoder(columns)
  return async (input) => {
    connection.guard(table)
    return (await query.values(bind(input))).map(decoded) as Result
  }
}

/** The same for each of several inputs, in one round trip. Undefined where a query takes none. */
export function directRowsOfEach<Input extends Record<string, unknown>, Result>(
  handle: object,
  prepared: Prepared,
): ((inputs: readonly Input[]) => Promise<Result[]>) | undefined {
  const connection = directConnections.get(handle)
  const query = connection?.prepareForEach?.(prepared)
  const columns = query && columnsIn(prepared)
  if (!columns) return undefined
  const bind = binderOf(prepared.getQuery().params, (parameter) => (input: Input) => input[parameter])
  const decoded = rowDecoder(columns)
  return async (inputs) => {
    connection?.guard(undefined)
    const found = await query(inputs.map((input) => [...bind(input)]))
    return found.map((rows) => rows.map(decoded)) as Result[]
  }
}

interface ResultColumn {
  name: string
  /** The object in the row that it belongs to. */
  inside: string | undefined
  /** Undefined for values that are used as they are stored. */
  decode: ((value: unknown) => unknown) | undefined
}

function columnsIn(prepared: object): ResultColumn[] | undefined {
  if (!('fields' in prepared) || !Array.isArray(prepared.fields)) return undefined
  const joins = 'joinsNotNullableMap' in prepared ? (prepared.joinsNotNullableMap ?? {}) : {}
  if (Object.values(joins).includes(false)) return undefined
  const columns: ResultColumn[] = []
  for (const { path, field } of prepared.fields) {
    const decoder = decoderOf(field)
    if (!decoder || path.length > 2) return undefined
    const isPlain = PLAIN.has(decoder.mapFromDriverValue)
    columns.push({
      name: path.at(-1),
      inside: path.length > 1 ? path[0] : undefined,
      decode: isPlain ? undefined : decoder.mapFromDriverValue.bind(decoder),
    })
  }
  return columns
}

interface Decoder {
  mapFromDriverValue(value: unknown): unknown
}

const PLAIN = new Set<unknown>([Column.prototype.mapFromDriverValue, noopDecoder.mapFromDriverValue])

/** Of a column, or of an expression with or without a name. */
function decoderOf(field: unknown): Decoder | undefined {
  if (is(field, Column)) return field
  const expression = is(field, SQL.Aliased) ? field.sql : field
  // Its type leaves the decoder out, which `mapWith` sets.
  return is(expression, SQL) && 'decoder' in expression && isDecoder(expression.decoder)
    ? expression.decoder
    : undefined
}

function isDecoder(value: unknown): value is Decoder {
  return isObject(value) && typeof value.mapFromDriverValue === 'function'
}

/**
 * Makes the object of a row. The function is written out as an object literal: filling in fields by their names takes
 * four times as long, for each of the rows.
 */
function rowDecoder(columns: ResultColumn[]): (row: unknown[]) => unknown {
  const decoders = columns.map(({ decode }) => decode)
  const fields = new Map<string, string[]>()
  for (const [place, { name, inside, decode }] of columns.entries()) {
    const stored = `row[${place}]`
    const value = decode ? `${stored} === null ? null : decoders[${place}](${stored})` : stored
    const key = JSON.stringify(inside ?? name)
    const field = inside === undefined ? value : `${JSON.stringify(name)}: ${value}`
    fields.set(key, [...(fields.get(key) ?? []), field])
  }
  const joined = new Set(columns.map(({ inside }) => JSON.stringify(inside)))
  const literal = [...fields].map(
    ([key, values]) => `${key}: ${joined.has(key) ? `{ ${values.join(', ')} }` : values.at(-1)}`,
  )
  return new Function('decoders', `return (row) => ({ ${literal.join(', ')} })`)(decoders)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The name of a query's parameter, or undefined for a constant. */
export function parameterIn(param: unknown): string | undefined {
  if (is(param, Placeholder)) return param.name
  return is(param, Param) && is(param.value, Placeholder) ? param.value.name : undefined
}

/** Fills the same array each time: a query is bound before the next one is. */
function binderOf<Input>(
  params: unknown[],
  readerOf: (parameter: string) => (input: Input) => unknown,
): (input: Input) => SQLQueryBindings[] {
  const readers = params.map((param) => bindingOf(param, readerOf))
  const values: SQLQueryBindings[] = readers.map(() => null)
  return (input) => {
    let place = 0
    for (const read of readers) {
      values[place] = read(input)
      place += 1
    }
    return values
  }
}

function bindingOf<Input>(
  param: unknown,
  readerOf: (parameter: string) => (input: Input) => unknown,
): (input: Input) => SQLQueryBindings {
  const name = parameterIn(param)
  if (name === undefined) return () => param as SQLQueryBindings
  const read = readerOf(name)
  const encoder = is(param, Param) ? param.encoder : undefined
  const isPlain = encoder?.mapToDriverValue === Column.prototype.mapToDriverValue
  const encode = encoder && !isPlain ? encoder.mapToDriverValue.bind(encoder) : undefined
  return (input) => {
    const value = read(input)
    if (value === undefined) throw new Error(`The query has no value for "${name}".`)
    return (encode && value !== null ? encode(value) : value) as SQLQueryBindings
  }
}
