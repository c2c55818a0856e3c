import { Database as Connection } from 'bun:sqlite'
import { readdirSync, readFileSync } from 'node:fs'
import { SQL } from 'bun'
import { engine } from '../../server/database/columns.ts'
import { migrateSqlite } from '../../server/database/migrate.ts'
import { MIGRATIONS, type Migration } from '../../server/database/migrations.ts'
import { migratePostgres } from '../../server/database/postgresql/postgres-migrations.ts'
import { databaseFile, type Place } from './storage.ts'

export const FOLDER = `${import.meta.dir}/../../drizzle/${engine}`
const ROWS = [1, 2, 3]

interface Table {
  name: string
  columns: Record<string, { name: string; type: string }>
}

/** The tables as they were at a version, from the snapshot that was written with the migration. */
export function tablesAt(version: number): Table[] {
  const names = readdirSync(`${FOLDER}/meta`).filter((name) => name.endsWith('_snapshot.json'))
  const snapshot = JSON.parse(readFileSync(`${FOLDER}/meta/${names.sort()[version - 1]}`, 'utf8'))
  return Object.values(snapshot.tables)
}

export async function migrateTo(place: Place, migrations: readonly Migration[]): Promise<void> {
  if (place.DATABASE_URL) await migratePostgres(place.DATABASE_URL, 1, migrations)
  else migrateSqlite(databaseFile(place), 1, migrations)
}

export async function makeFilled(place: Place, version: number): Promise<void> {
  await migrateTo(place, MIGRATIONS[engine].slice(0, version))
  await fill(place, tablesAt(version))
}

/** Rows for every table whatever it looks like: all ids of the n-th rows are "n", so that every reference finds its row. */
async function fill(place: Place, tables: Table[]): Promise<void> {
  const inserts = tables.flatMap(({ name, columns }) => {
    const names = Object.values(columns).map((column) => `"${column.name}"`)
    return ROWS.map((row) => {
      const values = Object.values(columns).map((column) => literal(column.type, row))
      return `insert into "${name}" (${names}) values (${values})`
    })
  })
  await execute(place, inserts)
}

function literal(type: string, row: number): string {
  if (type === 'boolean') return 'true'
  if (type === 'blob') return `x'0${row}ff'`
  if (type === 'bytea') return `'\\x0${row}ff'`
  if (type === 'text') return `'${row}'`
  return String(row)
}

/** Runs statements without looking at references, in their order. */
export async function execute(place: Place, statements: string[]): Promise<void> {
  if (place.DATABASE_URL) {
    const client = new SQL(place.DATABASE_URL, { max: 1 })
    await client.unsafe(['set session_replication_role = replica', ...statements].join(';\n')).simple()
    return client.close()
  }
  using connection = new Connection(databaseFile(place))
  connection.exec(['PRAGMA foreign_keys = OFF', ...statements].join(';\n'))
}
