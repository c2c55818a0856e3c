import { Database as Connection, constants } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS } from './migrations.ts'
import { DATABASE_FILE } from './open.ts'
import { copyPostgres, referencedInPostgres } from './postgresql/postgres-copy.ts'

const BUSY_TIMEOUT_MS = 5_000
/** `attachments` and `mails` are in every version of the tables. */
const REFERENCED = `select hash from attachments union select hash from mails where hash is not null`

interface Place {
  dataFolder: string
  databaseUrl: string | undefined
}

/**
 * Copies the database into a new SQLite file and syncs it, while others read and write. The copy is the state of one
 * moment after the call, without deleted data. Blocks this thread, so call it in its own process.
 */
export async function copyDatabase(place: Place, copy: string, now: number): Promise<void> {
  closeSync(openSync(copy, 'wx', 0o600))
  if (place.databaseUrl === undefined) copySqlite(join(place.dataFolder, DATABASE_FILE), copy)
  else await copyPostgres(place.databaseUrl, copy, now)
  const handle = openSync(copy, 'r+')
  fsyncSync(handle)
  closeSync(handle)
}

/** SQLite's backup API starts again whenever another process writes and wouldn't end on a busy server. */
function copySqlite(file: string, copy: string): void {
  const connection = new Connection(file, { readwrite: true, create: false })
  try {
    connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    connection.query('VACUUM INTO ?').run(copy)
  } finally {
    connection.close()
  }
}

/**
 * Gives every organization in a copy a new log: what was committed after the backup is missing, and its numbers will be
 * used again. A copy that is too old to name its logs gets names when it is migrated.
 */
export function beginLogs(copy: string): void {
  const connection = new Connection(copy, { readwrite: true, create: false })
  try {
    const names = connection
      .query<{ name: string }, []>("select name from pragma_table_info('organizations')")
      .all()
    if (!names.some(({ name }) => name === 'log_id')) return
    connection.exec('update organizations set log_id = lower(hex(randomblob(6)))')
  } finally {
    connection.close()
  }
}

export interface Snapshot extends Disposable {
  /** The number of migrations that it has. */
  schema: number
  isNewer: boolean
  /** The hashes of all files that something refers to, each once. */
  referencedFiles(): Iterable<string>
}

/** Opens a copy that no one writes to, and checks all of it. Throws for a damaged file, or one of another program. */
export function openSnapshot(copy: string): Snapshot {
  // With `immutable`, SQLite needs no files beside it, whatever the journal mode.
  const connection = new Connection(
    `file:${encodeURI(copy).replaceAll('?', '%3f').replaceAll('#', '%23')}?immutable=1`,
    constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
  )
  try {
    const [check] = connection.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all()
    if (check?.quick_check !== 'ok') throw new Error(`The database is damaged: ${check?.quick_check}`)
    const newest = connection
      .query<{ version: number | null }, []>('select max(version) as version from bellhop_migrations')
      .get()
    const schema = newest?.version ?? 0
    return {
      schema,
      isNewer: schema > MIGRATIONS.sqlite.length,
      *referencedFiles() {
        for (const { hash } of connection.query<{ hash: string }, []>(REFERENCED).iterate()) yield hash
      },
      [Symbol.dispose]: () => connection.close(),
    }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Which of the files something still refers to. */
export async function stillReferenced(place: Place, hashes: string[]): Promise<string[]> {
  if (hashes.length === 0) return []
  if (place.databaseUrl !== undefined) return referencedInPostgres(place.databaseUrl, hashes)
  const connection = new Connection(join(place.dataFolder, DATABASE_FILE), { readwrite: true, create: false })
  try {
    connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    const query = connection.query<{ hash: string }, [string]>(
      `select hash from (${REFERENCED}) where hash in (select value from json_each(?))`,
    )
    return query.all(JSON.stringify(hashes)).map(({ hash }) => hash)
  } finally {
    connection.close()
  }
}
