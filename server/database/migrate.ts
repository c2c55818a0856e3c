import { Database as Connection, SQLiteError } from 'bun:sqlite'
import { SQL } from 'bun'
import { StartError } from '../errors.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'

/** The data was written by a newer Bellhop than this one. */
export class NewerDataError extends StartError {
  override name = 'NewerDataError'
}

const LEDGER = `create table if not exists bellhop_migrations (
  version integer primary key, name text not null, applied_at bigint not null)`
/** Any number, the same in every process: only one of them migrates a PostgreSQL database at a time. */
const ADVISORY_LOCK = 7_235_512

const WAL_TRIES = 500
const TRY_EVERY_MS = 10

/**
 * Brings an SQLite file to the newest version, one transaction for each migration. Keys are switched off before
 * `BEGIN` (a table rebuilt with keys on would delete its children) and checked before `COMMIT`.
 */
export function migrateSqlite(
  file: string,
  now: number,
  migrations: readonly Migration[] = MIGRATIONS.sqlite,
): void {
  const connection = new Connection(file, { create: true })
  try {
    connection.exec('PRAGMA busy_timeout = 5000')
    enterWal(connection)
    connection.exec(`PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF; ${LEDGER}`)
    while (applyNext(connection, now, migrations));
  } finally {
    // Closing alone would leave the lock with statements that are not collected yet.
    if (connection.inTransaction) connection.exec('ROLLBACK')
    connection.close()
  }
}

/** For good: the file remembers. Unlike every other statement this one does not wait while the file is locked. */
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

/** Takes the lock before it looks: two commands may meet on an empty folder. */
function applyNext(connection: Connection, now: number, migrations: readonly Migration[]): boolean {
  connection.exec('BEGIN IMMEDIATE')
  const newest = connection
    .query<{ version: number | null }, []>('select max(version) as version from bellhop_migrations')
    .get()
  const [next] = missing(newest?.version ?? 0, migrations)
  if (next) {
    const [version, migration] = next
    connection.exec(migration.sql)
    if (connection.query('PRAGMA foreign_key_check').all().length > 0) {
      throw new Error(
        `Migration ${migration.name} would leave rows that point to nothing. Nothing was changed.`,
      )
    }
    connection
      .query('insert into bellhop_migrations (version, name, applied_at) values (?, ?, ?)')
      .run(version, migration.name, now)
  }
  connection.exec('COMMIT')
  return next !== undefined
}

/** The same for a PostgreSQL database; several processes may start at once. */
export async function migratePostgres(
  url: string,
  now: number,
  migrations: readonly Migration[] = MIGRATIONS.postgresql,
): Promise<void> {
  const client = new SQL(url, { max: 1 })
  try {
    await client.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${ADVISORY_LOCK})`
      await tx.unsafe(LEDGER)
      const [row] = await tx`select max(version) as version from bellhop_migrations`
      for (const [number, migration] of missing(Number(row.version ?? 0), migrations)) {
        await tx.unsafe(migration.sql).simple()
        await tx`insert into bellhop_migrations (version, name, applied_at)
          values (${number}, ${migration.name}, ${now})`
      }
    })
  } finally {
    await client.close()
  }
}

function missing(version: number, migrations: readonly Migration[]): [number, Migration][] {
  if (version > migrations.length) {
    throw new NewerDataError(
      `The data is at version ${version}, this program knows ${migrations.length}. Start the newer program.`,
    )
  }
  return migrations.slice(version).map((migration, offset) => [version + offset + 1, migration])
}
