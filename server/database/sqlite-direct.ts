import type { Database as Connection, SQLQueryBindings } from 'bun:sqlite'
import { is, Param, Placeholder } from 'drizzle-orm'

interface Plain {
  connection: Connection
  /** Throws when no query may run now. */
  guard: () => void
}
type Values = Record<string, unknown>

const plainConnections = new WeakMap<object, Plain>()

/** Remembers what a Drizzle handle stands on, for `directRun`. */
export function rememberConnection(handle: object, plain: Plain): void {
  plainConnections.set(handle, plain)
}

/** Runs a query that Drizzle built without Drizzle's way of running it; undefined for a handle that is not SQLite's. */
export function directRun(
  handle: object,
  query: { sql: string; params: unknown[] },
): ((values: Values) => void) | undefined {
  const plain = plainConnections.get(handle)
  if (!plain) return undefined
  const prepared = plain.connection.prepare(query.sql)
  const readers = query.params.map(readerOf)
  return (values) => {
    plain.guard()
    prepared.run(...readers.map((read) => read(values)))
  }
}

function readerOf(param: unknown): (values: Values) => SQLQueryBindings {
  if (is(param, Placeholder)) return (values) => required(values, param.name)
  if (is(param, Param)) {
    const { value, encoder } = param
    if (is(value, Placeholder)) {
      return (values) => encoder.mapToDriverValue(required(values, value.name)) as SQLQueryBindings
    }
  }
  return () => param as SQLQueryBindings
}

function required(values: Values, name: string): SQLQueryBindings {
  const value = values[name]
  if (value === undefined) throw new Error(`The query has no value for "${name}".`)
  return value as SQLQueryBindings
}
