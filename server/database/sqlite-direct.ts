import type { Database as Connection, SQLQueryBindings } from 'bun:sqlite'
import { is, Param, Placeholder } from 'drizzle-orm'

interface Plain {
  connection: Connection
  /** Throws when no query is allowed now. */
  guard: () => void
}

const plainConnections = new WeakMap<object, Plain>()

/** Registers the connection of a Drizzle handle for `directRun`. */
export function rememberConnection(handle: object, plain: Plain): void {
  plainConnections.set(handle, plain)
}

/**
 * Runs a query built by Drizzle directly on bun:sqlite, which is faster. Returns undefined for a handle that isn't
 * SQLite's. Calls `readerOf` once per parameter.
 */
export function directRun<Given>(
  handle: object,
  text: string,
  params: unknown[],
  readerOf: (parameter: string) => (given: Given) => unknown,
): ((given: Given) => void) | undefined {
  const plain = plainConnections.get(handle)
  if (!plain) return undefined
  const prepared = plain.connection.prepare(text)
  const readers = params.map((param) => bindingOf(param, readerOf))
  return (given) => {
    plain.guard()
    prepared.run(...readers.map((read) => read(given)))
  }
}

/** The name of a query's parameter, or undefined for a constant. */
export function parameterIn(param: unknown): string | undefined {
  if (is(param, Placeholder)) return param.name
  return is(param, Param) && is(param.value, Placeholder) ? param.value.name : undefined
}

function bindingOf<Given>(
  param: unknown,
  readerOf: (parameter: string) => (given: Given) => unknown,
): (given: Given) => SQLQueryBindings {
  const name = parameterIn(param)
  if (name === undefined) return () => param as SQLQueryBindings
  const read = readerOf(name)
  const encode = is(param, Param) ? param.encoder.mapToDriverValue.bind(param.encoder) : undefined
  return (given) => {
    const value = read(given)
    if (value === undefined) throw new Error(`The query has no value for "${name}".`)
    return (encode && value !== null ? encode(value) : value) as SQLQueryBindings
  }
}
