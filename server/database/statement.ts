import { getTableColumns, getTableName, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Reader, Transaction } from './database.ts'
import { directRun, parameterIn } from './sqlite-connections.ts'

type Params = Record<string, unknown>
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

/** The same for a change that returns no rows. On SQLite it costs a third. */
export function command<P extends Params>(
  name: string,
  build: (tx: Transaction, placeholders: Placeholders<P>) => Preparable<unknown>,
): (tx: Transaction, params: P) => Promise<void> {
  return changeOf(
    name,
    (tx) => build(tx, placeholdersOf<P>()),
    (parameter) => (params) => params[parameter],
  )
}

const MOST_ROWS_AT_ONCE = 32

/** A `command` for any number of rows, several in one statement; built once for each number of rows up to a limit. */
export function rowsCommand<P extends Params>(
  name: string,
  build: (tx: Transaction, rows: Placeholders<P>[]) => Preparable<unknown>,
): (tx: Transaction, rows: P[]) => Promise<void> {
  const bySize = Array.from({ length: MOST_ROWS_AT_ONCE }, (_, place) => {
    const rows = Array.from({ length: place + 1 }, (_, row) => placeholdersOf<P>(`${row} `))
    return changeOf<P[]>(`${name}_${rows.length}`, (tx) => build(tx, rows), fieldOfRow)
  })
  return async (tx, rows) => {
    for (let start = 0; start < rows.length; start += MOST_ROWS_AT_ONCE) {
      const some = rows.slice(start, start + MOST_ROWS_AT_ONCE)
      await bySize[some.length - 1]?.(tx, some)
    }
  }
}

/** Inserts any number of rows with every column of a table, several rows in one statement. */
export function insertOf<Table extends PgTable>(
  table: Table,
): (tx: Transaction, rows: Table['$inferSelect'][]) => Promise<void> {
  const target: PgTable = table
  const columns = Object.keys(getTableColumns(target))
  return rowsCommand<Record<string, unknown>>(`${getTableName(target)}_insert`, (tx, rows) =>
    tx
      .insert(target)
      .values(rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])))),
  )
}

/** The parameter `3 id` is the `id` of the row 3. */
function fieldOfRow(parameter: string): (rows: Params[]) => unknown {
  const [row, field = ''] = parameter.split(' ')
  return (rows) => rows[Number(row)]?.[field]
}

/** `readerOf` says once for each parameter how to find its value in what is given at each run. */
function changeOf<Given>(
  name: string,
  build: (tx: Transaction) => Preparable<unknown>,
  readerOf: (parameter: string) => (given: Given) => unknown,
): (tx: Transaction, given: Given) => Promise<void> {
  const commands = new WeakMap<Transaction, (given: Given) => unknown>()
  const prepare = (tx: Transaction) => {
    const prepared = build(tx).prepare(name)
    const { sql: text, params } = prepared.getQuery()
    const direct = directRun(tx, text, params, readerOf)
    if (direct) return direct
    const readers = params
      .flatMap((param) => parameterIn(param) ?? [])
      .map((at) => [at, readerOf(at)] as const)
    return (given: Given) =>
      prepared.execute(Object.fromEntries(readers.map(([at, read]) => [at, read(given)])))
  }
  return async (tx, given) => {
    let run = commands.get(tx)
    if (!run) {
      run = prepare(tx)
      commands.set(tx, run)
    }
    await run(given)
  }
}

/** One statement for each shape of a query, built when it is first asked for. A rare shape is built each time. */
export function remembered<Shape extends unknown[], Statement>(
  build: (...shape: Shape) => Statement,
  isRare: (...shape: Shape) => boolean = () => false,
): (...shape: Shape) => Statement {
  const statements = new Map<string, Statement>()
  return (...shape) => {
    if (isRare(...shape)) return build(...shape)
    const name = JSON.stringify(shape)
    const known = statements.get(name) ?? build(...shape)
    statements.set(name, known)
    return known
  }
}

function placeholdersOf<P extends Params>(prefix = ''): Placeholders<P> {
  return new Proxy({} as Placeholders<P>, {
    get: (_, parameter: string) => sql.placeholder(`${prefix}${parameter}`),
  })
}

/**
 * A parameter of a joined or sorted query, compared with a text column. SQLite plans such a query anew each time a
 * bare parameter of it is bound, which costs several times the query itself; inside a cast it is planned once.
 * Appending an empty string removes the type of the text: with it, SQLite would use only the time of an index over time
 * and id.
 */
export function textParameter<Name extends string>(parameter: Placeholder<Name>): SQL {
  return sql`(cast(${parameter} as text) || '')`
}

/** The same for whole numbers. */
export function integerParameter<Name extends string>(parameter: Placeholder<Name>): SQL {
  return sql`cast(${parameter} as bigint)`
}
