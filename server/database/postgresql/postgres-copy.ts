import { Database as Connection } from 'bun:sqlite'
import { StartError } from '../../errors.ts'
import { migratePostgres, migrateSqlite } from '../migrate.ts'
import { MIGRATIONS } from '../migrations.ts'
import { inPages } from '../read-transaction.ts'
import { type OwnConnection, openOwnConnection, rowsByCursor } from './own-connection.ts'

/**
 * Of a mail or the body of a webhook, one row may have megabytes. PostgreSQL takes at most 65,535 parameters in a
 * statement.
 */
const ROWS_AT_ONCE = 200
const MAX_PARAMETERS = 60_000
/** The server builds the search index again. Both engines note their migrations themselves. */
const NOT_COPIED = /^(?:sqlite_|search_|bellhop_migrations$)/

type Value = string | number | boolean | Uint8Array | null

/**
 * Copies a PostgreSQL database into a new SQLite file with the same tables: the state of one moment, while others read
 * and write. So a backup is the same file on both engines. Secrets stay encrypted. Blocks this thread for long. Throws
 * `StartError` when the database isn't at this program's version.
 */
export async function copyPostgres(url: string, copy: string, now: number): Promise<void> {
  migrateSqlite(copy, now)
  const client = openOwnConnection(url)
  using file = new Connection(copy, { readwrite: true, create: false })
  // Without a log beside it. A copy that isn't complete is deleted.
  file.exec('PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; BEGIN')
  try {
    await client.unsafe('begin isolation level repeatable read, read only')
    await requireVersion(client)
    for (const { table, columns } of tablesOf(file)) {
      const places = columns.map(() => '?').join(', ')
      using insert = file.prepare<unknown, Value[]>(`insert into ${quoted(table)} values (${places})`)
      const sql = selectAll(table, columns)
      for await (const rows of rowsByCursor<Value>(client, { sql }, ROWS_AT_ONCE)) {
        for (const row of rows) insert.run(...row)
      }
    }
    file.exec('COMMIT; PRAGMA synchronous = FULL; PRAGMA user_version = 0')
  } finally {
    await client.close({ timeout: 0 })
  }
}

/**
 * Copies everything of an SQLite file of any version into an empty PostgreSQL database, in one transaction.
 * `beforeCommit` runs when all rows are there. Throws `StartError` when the database isn't empty; then and after any
 * other error, it has no rows.
 */
export async function fillPostgres(
  url: string,
  source: string,
  { now, beforeCommit }: { now: number; beforeCommit: () => Promise<void> },
): Promise<void> {
  migrateSqlite(source, now)
  await migratePostgres(url, now)
  const client = openOwnConnection(url)
  using file = new Connection(source, { readwrite: true, create: false })
  try {
    await client.begin(async (tx) => {
      await tx`lock table organizations in exclusive mode`
      const [row] = await tx`select 1 from organizations limit 1`
      if (row) throw new StartError('The database at DATABASE_URL isn’t empty. Restore into an empty one.')
      const booleans = await columnsWhere(tx, "data_type = 'boolean'")
      for (const { table, columns } of parentsFirst(file)) {
        const isBoolean = columns.map((column) => booleans.has(`${table}.${column}`))
        using query = file.prepare<Record<string, Value>, []>(selectAll(table, columns))
        const atOnce = Math.min(ROWS_AT_ONCE, Math.floor(MAX_PARAMETERS / columns.length))
        for (const rows of inPages(query.iterate(), atOnce)) {
          const values = rows.map((row) =>
            Object.values(row).map((value, at) => (isBoolean[at] && value !== null ? value === 1 : value)),
          )
          await insertRows(tx, { table, columns }, values)
        }
      }
      await continueSequences(tx)
      await beforeCommit()
    })
  } finally {
    await client.close({ timeout: 0 })
  }
}

/** The hashes among these that a row of a PostgreSQL database refers to. */
export async function referencedInPostgres(url: string, hashes: string[]): Promise<string[]> {
  const client = openOwnConnection(url)
  try {
    const rows = await client`select hash from (
        select hash from attachments union select hash from mails where hash is not null
      ) as files where hash in ${client(hashes)}`
    return rows.map(({ hash }: { hash: string }) => hash)
  } finally {
    await client.close({ timeout: 0 })
  }
}

/** The size of a PostgreSQL database in bytes. */
export async function sizeOfPostgres(url: string): Promise<number> {
  const client = openOwnConnection(url)
  try {
    const [row] = await client`select pg_database_size(current_database()) as bytes`
    return Number(row.bytes)
  } finally {
    await client.close({ timeout: 0 })
  }
}

type Queries = Pick<OwnConnection, 'unsafe'>

interface Table {
  table: string
  columns: string[]
}

function tablesOf(file: Connection): Table[] {
  const tables = file
    .query<{ name: string }, []>("select name from sqlite_schema where type = 'table' order by name")
    .all()
    .filter(({ name }) => !NOT_COPIED.test(name))
  const columnsOf = file.query<{ name: string }, [string]>('select name from pragma_table_info(?)')
  return tables.map(({ name }) => ({
    table: name,
    columns: columnsOf.all(name).map((column) => column.name),
  }))
}

/** So that each row refers to one that is there. */
function parentsFirst(file: Connection): Table[] {
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

async function insertRows(tx: Queries, { table, columns }: Table, rows: Value[][]): Promise<void> {
  let parameter = 0
  const places = rows.map((row) => `(${row.map(() => `$${++parameter}`).join(', ')})`).join(', ')
  const names = columns.map(quoted).join(', ')
  await tx.unsafe(`insert into ${quoted(table)} (${names}) values ${places}`, rows.flat())
}

/** New rows get numbers after those that were copied. */
async function continueSequences(tx: Queries): Promise<void> {
  for (const name of await columnsWhere(tx, "column_default like 'nextval(%'")) {
    const [table = '', column = ''] = name.split('.')
    await tx.unsafe(
      `select setval(pg_get_serial_sequence('${quoted(table)}', '${column}'),
        (select coalesce(max(${quoted(column)}), 0) + 1 from ${quoted(table)}), false)`,
    )
  }
}

async function columnsWhere(tx: Queries, condition: string): Promise<Set<string>> {
  const columns: { name: string }[] = await tx.unsafe(
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = current_schema() and ${condition}`,
  )
  return new Set(columns.map(({ name }) => name))
}

async function requireVersion(client: Queries): Promise<void> {
  const [row] = await client.unsafe('select max(version) as version from bellhop_migrations')
  if (Number(row?.version) === MIGRATIONS.postgresql.length) return
  throw new StartError("The data isn't at this program's version. Start the server of this version first.")
}

function selectAll(table: string, columns: string[]): string {
  return `select ${columns.map(quoted).join(', ')} from ${quoted(table)}`
}

function quoted(name: string): string {
  return `"${name}"`
}
