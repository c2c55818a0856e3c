import { Database as Connection } from 'bun:sqlite'
import { StartError } from '../../errors.ts'
import { migrateSqlite } from '../migrate.ts'
import { notAtThisVersion } from '../migration-ledger.ts'
import { MIGRATIONS } from '../migrations.ts'
import { inPages } from '../read-transaction.ts'
import { openOwnConnection, rowsByCursor } from './own-connection.ts'
import { migratePostgres } from './postgres-migrations.ts'
import {
  booleansIn,
  continueSequences,
  createRowsHash,
  hashInPostgres,
  insertRows,
  parentsFirst,
  type Queries,
  quoted,
  ROWS_AT_ONCE,
  type RowsHash,
  selectAll,
  type Table,
  tablesOf,
  type Value,
} from './table-rows.ts'

/**
 * Copies a PostgreSQL database into a new SQLite file with the same tables: the state of one moment, while others read
 * and write. So a backup is the same file on both engines. Secrets stay encrypted. Blocks this thread for long. Returns
 * how many rows there are; `isCompared` reads them again and compares them with the database's. Throws `StartError` when
 * the database isn't at this program's version, or a comparison fails.
 */
export async function copyPostgres(
  url: string,
  copy: string,
  now: number,
  { isCompared = false } = {},
): Promise<number> {
  migrateSqlite(copy, now)
  const client = await openOwnConnection(url)
  using file = new Connection(copy, { readwrite: true, create: false })
  // Without a log beside it. A copy that isn't complete is deleted.
  file.exec('PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; BEGIN')
  try {
    await client.unsafe('begin isolation level repeatable read, read only')
    await requireVersion(client)
    await client.unsafe("set bytea_output = 'hex'")
    const booleans = await booleansIn(client)
    let copied = 0
    for (const table of tablesOf(file)) {
      const places = table.columns.map(() => '?').join(', ')
      using insert = file.prepare<unknown, Value[]>(`insert into ${quoted(table.table)} values (${places})`)
      for await (const rows of rowsByCursor<Value>(client, { sql: selectAll(table) }, ROWS_AT_ONCE)) {
        for (const row of rows) insert.run(...row)
        copied += rows.length
      }
      if (!isCompared) continue
      const hash = createRowsHash()
      for (const rows of pagesOf(file, table)) hash.add(rows)
      requireSame(table, hash, await hashInPostgres(client, table, booleans))
    }
    file.exec('COMMIT; PRAGMA synchronous = FULL; PRAGMA user_version = 0')
    return copied
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
  const client = await openOwnConnection(url)
  using file = new Connection(source, { readwrite: true, create: false })
  try {
    await client.begin(async (tx) => {
      await tx`lock table organizations in exclusive mode`
      const [row] = await tx`select 1 from organizations limit 1`
      if (row) throw new StartError('The database at DATABASE_URL isn’t empty. Restore into an empty one.')
      await copyAllRows(tx, file)
      await beforeCommit()
    })
  } finally {
    await client.close({ timeout: 0 })
  }
}

/**
 * Copies all rows of an SQLite file into tables without rows, and compares them. Returns how many there are. `onTable` is
 * called after each table.
 */
export async function copyAllRows(
  tx: Queries,
  file: Connection,
  onTable: (table: string, rows: number) => void = () => {},
): Promise<number> {
  await tx.unsafe("set local bytea_output = 'hex'")
  const booleans = await booleansIn(tx)
  let copied = 0
  for (const table of parentsFirst(file)) {
    const hash = createRowsHash()
    for (const rows of pagesOf(file, table)) {
      hash.add(rows)
      await insertRows(tx, table, rows)
    }
    requireSame(table, hash, await hashInPostgres(tx, table, booleans))
    copied += hash.rows
    onTable(table.table, hash.rows)
  }
  await continueSequences(tx)
  return copied
}

function* pagesOf(file: Connection, table: Table): Generator<Value[][]> {
  using query = file.prepare<Record<string, Value>, []>(selectAll(table))
  for (const rows of inPages(query.iterate(), ROWS_AT_ONCE)) yield rows.map((row) => Object.values(row))
}

/** Throws `StartError` for rows that aren't equal. */
export function requireSame({ table }: Pick<Table, 'table'>, source: RowsHash, target: RowsHash): void {
  if (source.rows === target.rows && source.sum === target.sum) return
  throw new StartError(
    `The copy of the table ${table} isn't equal: ${source.rows} rows were read, and ${target.rows} are there. Nothing was moved.`,
  )
}

/** The hashes among these that a row of a PostgreSQL database refers to. */
export async function referencedInPostgres(url: string, hashes: string[]): Promise<string[]> {
  const client = await openOwnConnection(url)
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
  const client = await openOwnConnection(url)
  try {
    const [row] = await client`select pg_database_size(current_database()) as bytes`
    return Number(row.bytes)
  } finally {
    await client.close({ timeout: 0 })
  }
}

async function requireVersion(client: Queries): Promise<void> {
  const [row] = await client.unsafe('select max(version) as version from bellhop_migrations')
  if (Number(row?.version) === MIGRATIONS.postgresql.length) return
  throw notAtThisVersion()
}
