import type { Database as Connection } from 'bun:sqlite'
import type { OwnConnection } from './own-connection.ts'

/** Of a mail or the body of a webhook, one row may have megabytes. */
export const ROWS_AT_ONCE = 200
/**
 * The server builds the search index again, and servers note themselves that they run. Both engines have a ledger of their
 * migrations, and a move a log of what changes meanwhile.
 */
const NOT_COPIED = /^(?:sqlite_|search_|bellhop_|nodes$|partitions$)/

export type Value = string | number | boolean | Uint8Array | null
export type Queries = Pick<OwnConnection, 'unsafe'>

export interface Table {
  table: string
  columns: string[]
  /** The columns of its primary key. */
  key: string[]
}

/** The tables that a copy has on either engine, by name. */
export function tablesOf(file: Connection): Table[] {
  const tables = file
    .query<{ name: string }, []>("select name from sqlite_schema where type = 'table' order by name")
    .all()
    .filter(({ name }) => !NOT_COPIED.test(name))
  const columnsOf = file.query<{ name: string; pk: number }, [string]>(
    'select name, pk from pragma_table_info(?)',
  )
  return tables.map(({ name }) => {
    const columns = columnsOf.all(name)
    const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
    return { table: name, columns: columns.map((column) => column.name), key: key.map(({ name }) => name) }
  })
}

/** The same, so that each row refers to one that is there. */
export function parentsFirst(file: Connection): Table[] {
  const parentsOf = file.query<{ table: string }, [string]>('select "table" from pragma_foreign_key_list(?)')
  const sorted: Table[] = []
  let left = tablesOf(file)
  while (left.length > 0) {
    const waiting = new Set(left.map(({ table }) => table))
    const isReady = ({ table }: Table) =>
      parentsOf.all(table).every((parent) => parent.table === table || !waiting.has(parent.table))
    const ready = left.filter(isReady)
    if (ready.length === 0) throw new Error('Tables refer to each other in a circle.')
    sorted.push(...ready)
    left = left.filter((table) => !ready.includes(table))
  }
  return sorted
}

export async function insertRows(tx: Queries, { table, columns }: Table, rows: Value[][]): Promise<void> {
  const names = columns.map(quoted).join(', ')
  await tx.unsafe(`insert into ${quoted(table)} (${names}) select ${names} from ${recordsOf(table)}`, [
    asRecords(columns, rows),
  ])
}

/** Deletes the rows with these values of the primary key, if they are there. */
export async function deleteRows(tx: Queries, { table, key }: Table, keys: Value[][]): Promise<void> {
  await tx.unsafe(
    `delete from ${quoted(table)} as stored using ${recordsOf(table)} as given where ${isSameRow(key)}`,
    [asRecords(key, keys)],
  )
}

/** New rows get numbers after those that were copied. */
export async function continueSequences(tx: Queries): Promise<void> {
  for (const name of await columnsWhere(tx, "column_default like 'nextval(%'")) {
    const [table = '', column = ''] = name.split('.')
    await tx.unsafe(
      `select setval(pg_get_serial_sequence('${quoted(table)}', '${column}'),
        (select coalesce(max(${quoted(column)}), 0) + 1 from ${quoted(table)}), false)`,
    )
  }
}

/** How many rows, and a sum of what is in them, which is the same in any order and on both engines. */
export interface RowsHash {
  rows: number
  sum: bigint
}

/** Adds up rows of SQLite. */
export function createRowsHash(): RowsHash & { add(rows: Value[][]): void } {
  return {
    rows: 0,
    sum: 0n,
    add(rows) {
      for (const row of rows) {
        const text = row.map((value) => (value === null ? NULL : textOf(value))).join(SEPARATOR)
        this.sum += BigInt(`0x${Bun.MD5.hash(text, 'hex').slice(0, HASH_DIGITS)}`)
      }
      this.rows += rows.length
    },
  }
}

/** The names of columns that are numbers on SQLite. */
export function booleansIn(tx: Queries): Promise<Set<string>> {
  return columnsWhere(tx, "data_type = 'boolean'")
}

/** Adds up the rows of a table of PostgreSQL: all, or those with these values of the primary key. */
export async function hashInPostgres(
  tx: Queries,
  { table, columns, key }: Table,
  booleans: Set<string>,
  keys?: Value[][],
): Promise<RowsHash> {
  const texts = columns.map((column) => {
    const cast = booleans.has(`${table}.${column}`) ? '::integer::text' : '::text'
    return `coalesce(stored.${quoted(column)}${cast}, E'${escaped(NULL)}')`
  })
  const digest = `substr(md5(concat_ws(E'${escaped(SEPARATOR)}', ${texts.join(', ')})), 1, ${HASH_DIGITS})`
  const among = keys ? `join ${recordsOf(table)} as given on ${isSameRow(key)}` : ''
  const [row] = await tx.unsafe(
    `select count(*)::text as rows, coalesce(sum(('x' || ${digest})::bit(${HASH_DIGITS * 4})::bigint), 0)::text as sum
      from ${quoted(table)} as stored ${among}`,
    keys && [asRecords(key, keys)],
  )
  return { rows: Number(row.rows), sum: BigInt(row.sum) }
}

/** 60 bits of an MD5: no one chooses the rows to deceive this. */
const HASH_DIGITS = 15
const SEPARATOR = '\x1f'
const NULL = '\x1e'

function escaped(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16)}`
}

/** As PostgreSQL writes it. A boolean is a number in SQLite. */
function textOf(value: Value): string {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value)
}

/** One parameter for any number of rows, which PostgreSQL converts to the types of the table. */
function asRecords(columns: string[], rows: Value[][]): string {
  return JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(
        columns.map((column, at) => {
          const value = row[at] ?? null
          return [column, value instanceof Uint8Array ? textOf(value) : value]
        }),
      ),
    ),
  )
}

/** As text: the client would encode a parameter that is JSON once more. */
function recordsOf(table: string): string {
  return `json_populate_recordset(null::${quoted(table)}, $1::text::json)`
}

function isSameRow(key: string[]): string {
  return key.map((column) => `stored.${quoted(column)} = given.${quoted(column)}`).join(' and ')
}

async function columnsWhere(tx: Queries, condition: string): Promise<Set<string>> {
  const columns: { name: string }[] = await tx.unsafe(
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = current_schema() and ${condition}`,
  )
  return new Set(columns.map(({ name }) => name))
}

export function selectAll({ table, columns }: Pick<Table, 'table' | 'columns'>): string {
  return `select ${columns.map(quoted).join(', ')} from ${quoted(table)}`
}

export function quoted(name: string): string {
  return `"${name}"`
}
