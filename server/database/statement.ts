import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from './database.ts'
import { directRun } from './sqlite-direct.ts'

type Params = Record<string, string | number | boolean | null | Uint8Array | object>
type Placeholders<P extends Params> = { [Name in keyof P & string]: Placeholder<Name, P[Name]> }
interface Preparable<Result> {
  prepare(name: string): {
    execute(values: Record<string, unknown>): Promise<Result>
    getQuery(): { sql: string; params: unknown[] }
  }
}

/**
 * A named query that is built once per connection and then only run: about a tenth of the cost of building it
 * each time. `P` names and types its parameters.
 *
 * @example
 * const ticketById = statement<{ orgId: string; id: string }, Ticket[]>('ticket_by_id', (db: Reader, p) =>
 *   db.select().from(tickets).where(and(eq(tickets.orgId, p.orgId), eq(tickets.id, p.id))))
 * await ticketById(database.read, { orgId, id })
 */
export function statement<P extends Params, Result, On extends Reader | Transaction = Transaction>(
  name: string,
  build: (on: On, placeholders: Placeholders<P>) => Preparable<Result>,
): (on: On, params: P) => Promise<Result> {
  const queries = new WeakMap<On, (params: P) => Promise<Result>>()
  return (on, params) => {
    let query = queries.get(on)
    if (!query) {
      const prepared = build(on, placeholdersOf<P>()).prepare(name)
      query = (given) => prepared.execute(given)
      queries.set(on, query)
    }
    return query(params)
  }
}

/** The same for a change that answers no rows; on SQLite it runs at a third of the cost. */
export function command<P extends Params>(
  name: string,
  build: (tx: Transaction, placeholders: Placeholders<P>) => Preparable<unknown>,
): (tx: Transaction, params: P) => Promise<void> {
  const commands = new WeakMap<Transaction, (params: P) => unknown>()
  return async (tx, params) => {
    let run = commands.get(tx)
    if (!run) {
      const prepared = build(tx, placeholdersOf<P>()).prepare(name)
      run = directRun(tx, prepared.getQuery()) ?? ((given) => prepared.execute(given))
      commands.set(tx, run)
    }
    await run(params)
  }
}

function placeholdersOf<P extends Params>(): Placeholders<P> {
  return new Proxy({} as Placeholders<P>, { get: (_, parameter: string) => sql.placeholder(parameter) })
}

/**
 * A parameter of a joined or sorted query, compared with a text column. SQLite plans such a query anew each time a
 * bare parameter of it is bound, which costs several times the query itself; behind a cast it is planned once.
 * Joined to nothing the text has no type of its own any more: with one, SQLite would enter an index over time and id
 * by the time alone.
 */
export function textParameter<Name extends string>(parameter: Placeholder<Name>): SQL {
  return sql`(cast(${parameter} as text) || '')`
}

/** The same for whole numbers. */
export function integerParameter<Name extends string>(parameter: Placeholder<Name>): SQL {
  return sql`cast(${parameter} as bigint)`
}
