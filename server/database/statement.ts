import {
  and,
  type GetColumnData,
  getTableColumns,
  getTableName,
  type Placeholder,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { IndexColumn, PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Reader, Transaction } from './database.ts'
import { directInsert, directRows, directRowsOfEach, directRun, parameterIn } from './direct-queries.ts'

type Params = Record<string, unknown>

/** The type of a parameter, and how the query refers to it. */
interface Kind<Value, Bound> {
  bind(name: string): Bound
  /** Only for the compiler. */
  readonly of?: Value
}
type Kinds = Record<string, Kind<unknown, unknown>>
type Bound<K extends Kinds> = { [Name in keyof K]: K[Name] extends Kind<unknown, infer B> ? B : never }
/** The values that a statement with these parameters takes. */
export type ParamsOf<K extends Kinds> = {
  [Name in keyof K]: K[Name] extends Kind<infer Value, unknown> ? Value : never
}

/*
 * SQLite replans a joined, sorted, or limited query whenever a bare parameter of it is bound, which costs several times the
 * query itself; inside a cast, it is planned once.
 */

/** A text. The empty string removes the type affinity: with it, SQLite would use only the time of an index over time and id. */
export const text: Kind<string, SQL<string>> = {
  bind: (name) => sql`(cast(${sql.placeholder(name)} as text) || '')`,
}

/** A whole number up to 2^53: counts, versions, and times in milliseconds since 1970. */
export const integer: Kind<number, SQL<number>> = {
  bind: (name) => sql`cast(${sql.placeholder(name)} as bigint)`,
}

export function orNull<Value, Bound>(kind: Kind<Value, Bound>): Kind<Value | null, Bound> {
  return kind
}

/** Of a statement that names its parameters in the query itself, with `text.bind(name)`: their number depends on its shape. */
export const NAMED_IN_QUERY: Record<string, Kind<string | number, SQL>> = {}

/** A bare parameter, encoded by the column it is written to or compared with: booleans, JSON, bytes. */
export function value<Value>(): Kind<Value, Placeholder<string, Value>> {
  return { bind: (name) => sql.placeholder(name) }
}

export interface Preparable<Result> {
  prepare(name: string): {
    execute(values: Record<string, unknown>): Promise<Result>
    getQuery(): { sql: string; params: unknown[] }
  }
}

/*
 * A query that is built each time costs about ten times as much as one that is built once. Four ways to build it once:
 * - `statement` returns rows: reads, and changes with `returning`.
 * - `command` changes rows and returns nothing. On SQLite it costs a third of a statement, and on PostgreSQL the unit
 *   doesn't wait for it.
 * - `insertOf` inserts any number of rows, by default with every column of the table, and can update existing ones.
 * - `cacheByShape` is for queries whose text depends on more than their parameters, such as filters.
 */

/**
 * A named query that is built once for each connection, with the types of its parameters.
 *
 * @example
 * const ticketById = statement('ticket_by_id', { orgId: text, id: text }, (read: Reader, p) =>
 *   read.select().from(tickets).where(matches(tickets, { orgId: p.orgId, id: p.id })))
 * await ticketById(database.read, { orgId, id })
 */
export function statement<K extends Kinds, Result, On extends Reader | Transaction = Transaction>(
  name: string,
  kinds: K,
  build: (on: On, parameters: Bound<K>) => Preparable<Result>,
): (on: On, params: ParamsOf<K>) => Promise<Result> {
  const queries = new WeakMap<On, (params: ParamsOf<K>) => Promise<Result>>()
  return (on, params) => {
    let query = queries.get(on)
    if (!query) {
      const prepared = build(on, boundOf(kinds)).prepare(name)
      query = directRows<ParamsOf<K>, Result>(on, prepared) ?? ((input) => prepared.execute(input))
      queries.set(on, query)
    }
    return query(params)
  }
}

/** The same for several values of its parameters, all of them texts: on PostgreSQL, one round trip for all. */
export function statementForEach<K extends Record<string, typeof text>, Result>(
  name: string,
  kinds: K,
  build: (on: Reader, parameters: Bound<K>) => Preparable<Result>,
): (on: Reader, each: readonly ParamsOf<K>[]) => Promise<Result[]> {
  type Run = (each: readonly ParamsOf<K>[]) => Promise<Result[]>
  const queries = new WeakMap<Reader, Run>()
  const one = statement(name, kinds, build)
  return (on, each) => {
    let query = queries.get(on)
    if (!query) {
      const prepared = build(on, boundOf(kinds)).prepare(name)
      query =
        directRowsOfEach<ParamsOf<K>, Result>(on, prepared) ??
        ((inputs) => Promise.all(inputs.map((input) => one(on, input))))
      queries.set(on, query)
    }
    return query(each)
  }
}

/** A named change that returns no rows. */
export function command<K extends Kinds>(
  name: string,
  kinds: K,
  build: (tx: Transaction, parameters: Bound<K>) => Preparable<unknown>,
): (tx: Transaction, params: ParamsOf<K>) => Promise<void> {
  return changeOf<Params>(name, (tx) => build(tx, boundOf(kinds)), fieldOf)
}

function boundOf<K extends Kinds>(kinds: K): Bound<K> {
  const bound = Object.entries(kinds).map(([name, kind]) => [name, kind.bind(name)])
  return Object.fromEntries(bound)
}

const MAX_ROWS_AT_ONCE = 32

type Parameter = Placeholder | SQL

interface InsertOptions<Column extends string, Left extends string> {
  /** The others get their defaults. */
  columns?: readonly Column[]
  /** Columns that the database assigns, or whose values are expressions of others. */
  except?: readonly Left[]
  /** Expressions for values that aren't bound directly. `other` is the parameter of another column. */
  expressions?: {
    [Name in NoInfer<Column>]?: (parameter: Parameter, other: (column: NoInfer<Column>) => Parameter) => SQL
  }
  /** How to handle an existing row: change it or keep it. Without this, the insert fails. */
  onConflict?: { target: IndexColumn[]; set: Record<string, SQL>; setWhere?: SQL } | 'keep'
}

/**
 * Inserts any number of rows, several per statement. Statements are built once for each number of rows up to a limit,
 * and on PostgreSQL for any number. They are named after the table, so call this once per table.
 */
export function insertOf<
  Table extends PgTable,
  Column extends ColumnOf<Table> = ColumnOf<Table>,
  Left extends ColumnOf<Table> = never,
>(
  table: Table,
  { columns, except = [], expressions = {}, onConflict }: InsertOptions<Column, Left> = {},
): (tx: Transaction, rows: Pick<Table['$inferSelect'], Exclude<Column, Left>>[]) => Promise<void> {
  const target: PgTable = table
  const left: readonly string[] = except
  type Expression = (parameter: Parameter, other: (column: string) => Parameter) => SQL
  const expressionOf = new Map<string, Expression>(Object.entries(expressions))
  const wanted = columns ?? Object.keys(getTableColumns(target))
  const given = wanted.filter((name) => !left.includes(name))
  const names = wanted.filter((name) => given.includes(name) || expressionOf.has(name))
  const valuesOf = (row: number) => {
    const other = (name: string) => sql.placeholder(`${row} ${name}`)
    return Object.fromEntries(
      names.map((name) => [name, expressionOf.get(name)?.(other(name), other) ?? other(name)]),
    )
  }
  const bySize = Array.from({ length: MAX_ROWS_AT_ONCE }, (_, index) => {
    const size = index + 1
    const build = (tx: Transaction) => {
      const insert = tx.insert(target).values(Array.from({ length: size }, (_row, row) => valuesOf(row)))
      if (onConflict === 'keep') return insert.onConflictDoNothing()
      return onConflict ? insert.onConflictDoUpdate(onConflict) : insert
    }
    return changeOf<Params[]>(`${getTableName(target)}_insert_${size}`, build, fieldOfRow)
  })
  const inserts = new WeakMap<Transaction, (rows: Params[]) => unknown>()
  const prepare = (tx: Transaction) =>
    directInsert(tx, { table, names, given, expressionOf, onConflict }) ??
    (async (rows) => {
      for (let start = 0; start < rows.length; start += MAX_ROWS_AT_ONCE) {
        const some = rows.slice(start, start + MAX_ROWS_AT_ONCE)
        await bySize[some.length - 1]?.(tx, some)
      }
    })
  return async (tx, rows) => {
    if (rows.length === 0) return
    let insert = inserts.get(tx)
    if (!insert) {
      insert = prepare(tx)
      inserts.set(tx, insert)
    }
    await insert(rows)
  }
}

/**
 * Sets columns of the row with the given key, or of no row if it isn't as `where` says. Values are encoded as their
 * columns say.
 */
export function updateOf<Table extends PgTable, Set extends ColumnOf<Table>, By extends ColumnOf<Table>>(
  name: string,
  table: Table,
  { set, by, where }: { set: readonly Set[]; by: readonly By[]; where?: SQL },
): (tx: Transaction, values: Pick<Table['$inferSelect'], Set | By>) => Promise<void> {
  const columns: Record<string, PgColumn> = getTableColumns<PgTable>(table)
  const parameterOf = (column: string) => sql`${sql.param(sql.placeholder(column), columns[column])}`
  const values = Object.fromEntries(set.map((column) => [column, parameterOf(column)]))
  const keys = by.map((column) => sql`${columns[column]} = ${parameterOf(column)}`)
  return changeOf<Pick<Table['$inferSelect'], Set | By>>(
    name,
    (tx) =>
      tx
        .update<PgTable>(table)
        .set(values)
        .where(and(...keys, where)),
    fieldOf,
  )
}

type ColumnOf<Table extends PgTable> = keyof Table['$inferSelect'] & string

type KindsOf<Row extends Params> = { [Name in keyof Row]: Kind<Row[Name], Placeholder<string, Row[Name]>> }

/** A parameter for every column of a table, for the `values` of a `statement`. */
export function columnsOf<Table extends PgTable>(table: Table): KindsOf<Table['$inferSelect']> {
  const names = Object.keys(getTableColumns(table))
  return Object.fromEntries(names.map((name) => [name, value()])) as KindsOf<Table['$inferSelect']>
}

function fieldOf(parameter: string): (values: Params) => unknown {
  return (values) => values[parameter]
}

/** The parameter `3 id` is the `id` of the row 3. */
function fieldOfRow(parameter: string): (rows: Params[]) => unknown {
  const [row, field = ''] = parameter.split(' ')
  return (rows) => rows[Number(row)]?.[field]
}

/** `readerOf` is called once per parameter, and returns how to find its value in the input of each run. */
function changeOf<Input>(
  name: string,
  build: (tx: Transaction) => Preparable<unknown>,
  readerOf: (parameter: string) => (input: Input) => unknown,
): (tx: Transaction, input: Input) => Promise<void> {
  const commands = new WeakMap<Transaction, (input: Input) => unknown>()
  const prepare = (tx: Transaction) => {
    const prepared = build(tx).prepare(name)
    const direct = directRun(tx, prepared, readerOf)
    if (direct) return direct
    const readers = prepared
      .getQuery()
      .params.flatMap((param) => parameterIn(param) ?? [])
      .map((at) => [at, readerOf(at)] as const)
    return (input: Input) =>
      prepared.execute(Object.fromEntries(readers.map(([at, read]) => [at, read(input)])))
  }
  return async (tx, input) => {
    let run = commands.get(tx)
    if (!run) {
      run = prepare(tx)
      commands.set(tx, run)
    }
    await run(input)
  }
}

/** Builds one statement for each shape of a query, when it is first used. A rare shape is built each time. */
export function cacheByShape<Shape extends unknown[], Statement>(
  build: (...shape: Shape) => Statement,
  isRare: (...shape: Shape) => boolean = () => false,
): (...shape: Shape) => Statement {
  const statements = new Map<string, Statement>()
  return (...shape) => {
    if (isRare(...shape)) return build(...shape)
    const name = JSON.stringify(shape)
    const built = statements.get(name) ?? build(...shape)
    statements.set(name, built)
    return built
  }
}

/**
 * A text column with one of a few values, selected as its place in their list. The row has the value itself. For reads
 * of many rows: bun:sqlite makes a string of each text, and returns a number in a fraction of the time.
 */
export function selectByPlace<Selected extends PgColumn>(
  column: Selected,
  values: readonly (GetColumnData<Selected, 'raw'> & string)[],
): SQL<GetColumnData<Selected>> {
  const places = values.map((value, place) => `when '${value}' then ${place}`)
  return sql<GetColumnData<Selected>>`case ${column} ${sql.raw(places.join(' '))} end`.mapWith(
    (place: number) => values[place],
  )
}
