import { Database as Connection, type SQLQueryBindings, Statement } from 'bun:sqlite'
import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { Column, is, noopDecoder, Param, Placeholder, SQL } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { Reader, Transaction } from './database.ts'
import { beforeUnitQuery, refuseInsideUnit, tableWrittenBy, UnitFault } from './unit.ts'

const BUSY_TIMEOUT_MS = 5_000
/** Negative values are KiB. Holds the upper levels of every index at a million tickets. */
const CACHE_KIB = -16_384
/**
 * A long read, such as an export, keeps the log growing. Afterward SQLite reuses the file, and this makes it give the rest
 * back to the disk.
 */
const MAX_KEPT_LOG_BYTES = 16 * 1024 * 1024

const syncData = promisify(fdatasync)

/** The bun:sqlite connection of a Drizzle handle. */
interface PlainConnection {
  connection: Connection
  /** Called with the table that a query writes. Throws when no query is allowed now. */
  guard: (table: string | undefined) => void
}

const plainConnections = new WeakMap<object, PlainConnection>()

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
function asPostgres<T extends object>(connection: Connection, check: PlainConnection['guard']): T {
  const guard = (table: string | undefined) => {
    queryCounts.started += 1
    check(table)
  }
  const logger = { logQuery: (query: string) => guard(tableWrittenBy(query)) }
  const handle = drizzle(connection, { casing: 'snake_case', logger }) as unknown as T
  plainConnections.set(handle, { connection, guard })
  return handle
}

/** A query that Drizzle has prepared. */
interface Prepared {
  getQuery(): { sql: string; params: unknown[] }
}

/**
 * Runs a query built by Drizzle directly on bun:sqlite, which is faster. Returns undefined for a handle that isn't
 * SQLite's. Calls `readerOf` once per parameter.
 */
export function directRun<Input>(
  handle: object,
  prepared: Prepared,
  readerOf: (parameter: string) => (input: Input) => unknown,
): ((input: Input) => void) | undefined {
  const plain = plainConnections.get(handle)
  if (!plain) return undefined
  const query = statementIn(prepared)
  const { sql: text, params } = prepared.getQuery()
  const table = tableWrittenBy(text)
  const bind = binderOf(params, readerOf)
  return (input) => {
    plain.guard(table)
    query.run(...bind(input))
  }
}

/**
 * Reads rows directly on bun:sqlite, which takes less than half the time. Drizzle looks up how to decode each value of
 * each row; here that is looked up once. Returns undefined for what only Drizzle can decode: joined tables that can be
 * missing.
 */
export function directRows<Input extends Record<string, unknown>, Result>(
  handle: object,
  prepared: Prepared,
): ((input: Input) => Promise<Result>) | undefined {
  const plain = plainConnections.get(handle)
  const columns = plain && columnsIn(prepared)
  if (!columns) return undefined
  const query = statementIn(prepared)
  const { sql: text, params } = prepared.getQuery()
  const table = tableWrittenBy(text)
  const bind = binderOf(params, (parameter) => (input: Input) => input[parameter])
  const decoded = rowDecoder(columns)
  return async (input) => {
    plain.guard(table)
    return query.values(...bind(input)).map(decoded) as Result
  }
}

/** Preparing the text again would double the time and the memory. Its type keeps the statement private. */
function statementIn(prepared: object): Statement {
  if ('stmt' in prepared && prepared.stmt instanceof Statement) return prepared.stmt
  throw new Error("Drizzle's prepared query has no statement of bun:sqlite.")
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
