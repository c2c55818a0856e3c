import { Database as Connection, SQLiteError } from 'bun:sqlite'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../errors.ts'
import { notBellhops } from './database-file.ts'
import {
  fingerprintOf,
  judgeData,
  MAKE_LEDGER,
  READ_LEDGER,
  READ_SHAPE,
  requireOpenable,
} from './migration-ledger.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'

/** The folder in the data folder for copies from before migrations, named by version. */
const UPGRADE_FOLDER = 'before-upgrade'
const UPGRADE_COPY = /^bellhop-(\d+)\.db$/
const KEPT_COPIES = 2

const WAL_TRIES = 500
const TRY_EVERY_MS = 10

/**
 * Migrates an SQLite file to the newest version, in one transaction. Foreign keys are turned off before `BEGIN`, because
 * rebuilding a table would delete its child rows, and checked before `COMMIT`.
 */
export function migrateSqlite(
  file: string,
  now: number,
  migrations: readonly Migration[] = MIGRATIONS.sqlite,
): void {
  const connection = new Connection(file, { create: true })
  try {
    connection.exec('PRAGMA busy_timeout = 5000')
    requireOwnTables(connection, file)
    enterWal(connection)
    connection.exec(`PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF; ${MAKE_LEDGER}`)
    requireOpenable(judgeData('sqlite', readFacts(connection), migrations))
    signLedger(connection, migrations)
    copyBeforeUpgrade(connection, file, migrations)
    applyMissing(connection, now, migrations)
  } finally {
    // Closing alone would keep the lock until all statements are garbage collected.
    if (connection.inTransaction) connection.exec('ROLLBACK')
    connection.close()
  }
}

function readFacts(connection: Connection): { ledger: unknown[][]; shape: unknown[][] } {
  const rows = (sql: string): unknown[][] => connection.query(sql).values()
  return { ledger: rows(READ_LEDGER), shape: rows(READ_SHAPE.sqlite) }
}

/** Adds the fingerprints to a ledger that an earlier program wrote. */
function signLedger(connection: Connection, migrations: readonly Migration[]): void {
  connection.exec('BEGIN IMMEDIATE')
  const columns = connection.query(
    "select 1 from pragma_table_info('bellhop_migrations') where name = 'fingerprint'",
  )
  if (columns.get() === null) connection.exec('alter table bellhop_migrations add column fingerprint text')
  const sign = connection.query(SIGN)
  for (const [index, migration] of migrations.entries()) sign.run(fingerprintOf(migration), index + 1)
  connection.exec('COMMIT')
}

const SIGN = 'update bellhop_migrations set fingerprint = ? where version = ? and fingerprint is null'

/**
 * Copies a database with data before its first migration, so that it's possible to go back to the previous version.
 * Throws `StartError` when there is no space.
 */
function copyBeforeUpgrade(connection: Connection, file: string, migrations: readonly Migration[]): void {
  const version = versionOf(connection)
  if (version === 0 || missing(version, migrations).length === 0) return
  const folder = join(dirname(file), UPGRADE_FOLDER)
  const [copy, draft] = [join(folder, `bellhop-${version}.db`), join(folder, `${process.pid}.partial`)]
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Including SQLite's journal beside it.
    for (const name of readdirSync(folder)) if (name.includes('.partial')) rmSync(join(folder, name))
    closeSync(openSync(draft, 'wx', 0o600))
    connection.query('VACUUM INTO ?').run(draft)
    const handle = openSync(draft, 'r+')
    fsyncSync(handle)
    closeSync(handle)
    renameSync(draft, copy)
  } catch (cause) {
    if (existsSync(draft)) rmSync(draft)
    throw new StartError(
      `The database can't be copied to ${folder} before the upgrade, so nothing was changed. Free some space there, then start again.`,
      { cause },
    )
  }
  const copies = readdirSync(folder).filter((name) => UPGRADE_COPY.test(name))
  const newestFirst = copies.sort((one, other) => numberIn(other) - numberIn(one))
  for (const name of newestFirst.slice(KEPT_COPIES)) rmSync(join(folder, name))
}

function numberIn(name: string): number {
  return Number(UPGRADE_COPY.exec(name)?.[1])
}

function versionOf(connection: Connection): number {
  const newest = connection
    .query<{ version: number | null }, []>('select max(version) as version from bellhop_migrations')
    .get()
  return newest?.version ?? 0
}

/** Throws before anything is changed in another program's database. */
function requireOwnTables(connection: Connection, file: string): void {
  const tables = connection
    .query<{ name: string }, []>("select name from sqlite_schema where type = 'table'")
    .all()
    .map(({ name }) => name)
  if (tables.length > 0 && !tables.includes('bellhop_migrations')) throw notBellhops(file)
}

/** The file keeps this mode. Unlike other statements, this one doesn't wait for a locked file. */
function enterWal(connection: Connection): void {
  for (let tries = 1; ; tries += 1) {
    try {
      connection.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      const isBusy = error instanceof SQLiteError && error.code === 'SQLITE_BUSY'
      if (!isBusy || tries === WAL_TRIES) throw error
      Bun.sleepSync(TRY_EVERY_MS)
    }
  }
}

/** Locks before it reads the version, because two commands may start on an empty folder at once. */
function applyMissing(connection: Connection, now: number, migrations: readonly Migration[]): void {
  connection.exec('BEGIN IMMEDIATE')
  for (const [version, migration] of missing(versionOf(connection), migrations)) {
    connection.exec(migration.sql)
    if (connection.query('PRAGMA foreign_key_check').all().length > 0) {
      throw new Error(
        `Migration ${migration.name} would leave rows with broken references. Nothing was changed.`,
      )
    }
    connection
      .query('insert into bellhop_migrations (version, name, applied_at, fingerprint) values (?, ?, ?, ?)')
      .run(version, migration.name, now, fingerprintOf(migration))
  }
  connection.exec('COMMIT')
}

/** With their versions. */
export function missing(version: number, migrations: readonly Migration[]): [number, Migration][] {
  return migrations.slice(version).map((migration, offset) => [version + offset + 1, migration])
}
