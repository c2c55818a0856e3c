import { Database as Connection } from 'bun:sqlite'
import { join } from 'node:path'
import { SQL } from 'bun'
import { readConfig } from '../../server/config.ts'
import type { Database, Transaction } from '../../server/database/database.ts'
import { DATABASE_FILE, openDatabase } from '../../server/database/open.ts'
import { organizations } from '../../server/database/tables/organizations.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { freshPlace } from '../support/engine.ts'

export type Place = Awaited<ReturnType<typeof freshPlace>>
const silentLog = createLog('error', false, () => {}, Date.now)
export const ORG = 'org_00000000000000000000000001'

/** A database of its own for one test, closed when the test's scope ends. */
export async function openStorage(onCommit = () => {}, given?: Place) {
  const place = given ?? (await freshPlace())
  const config = readConfig(place)
  const database = await openDatabase(config, { isNode: false, log: silentLog, now: Date.now, onCommit })
  return { place, database, [Symbol.asyncDispose]: () => database.close() }
}

/** Everything the verbs need, with one organization. */
export async function openWorkspace(given?: Place) {
  const place = given ?? (await freshPlace())
  const program = await openProgram(place)
  await program.deps.database.write(undefined, (tx) => addOrganization(tx, ORG))
  return { place, ...program }
}

/** One more program on the same data, and what it logged: each unit that had to go again is a warning. */
export async function openProgram(place: Place) {
  const logged: string[] = []
  const log = createLog('warn', false, (line) => logged.push(line), Date.now)
  const deps = await openDeps(readConfig(place), { log })
  return { deps, logged, [Symbol.asyncDispose]: () => deps.database.close() }
}

export async function addOrganization(tx: Transaction, id: string): Promise<void> {
  await tx.insert(organizations).values({ id, name: id, createdAt: 1 })
}

export async function organizationIds(database: Database): Promise<string[]> {
  const rows = await database.read.select({ id: organizations.id }).from(organizations)
  return rows.map((row) => row.id).sort()
}

/** What a connection that is not the program's own sees. */
export async function seenElsewhere(place: Place, statement: string): Promise<Record<string, unknown>[]> {
  if (place.DATABASE_URL) {
    const client = new SQL(place.DATABASE_URL, { max: 1 })
    try {
      return [...(await client.unsafe(statement))]
    } finally {
      await client.close()
    }
  }
  using connection = new Connection(databaseFile(place), { readonly: true })
  connection.run('PRAGMA busy_timeout = 5000')
  return connection.query<Record<string, unknown>, []>(statement).all()
}

export function databaseFile(place: Place): string {
  return join(place.BELLHOP_DATA, DATABASE_FILE)
}

/** Uses the file itself, past the program. */
export function onFile<T>(place: Place, use: (file: Connection) => T): T {
  using file = new Connection(databaseFile(place))
  return use(file)
}

/** How SQLite would go about a query, a step a line. */
export function planOf(place: Place, sql: string): string {
  return onFile(place, (file) => {
    const steps = file.query<{ detail: string }, []>(`explain query plan ${sql}`).all()
    return steps.map((step) => step.detail).join('\n')
  })
}

/** Settings of PostgreSQL for every connection to the database from then on, such as `jit = off`. */
export async function setOnPostgres(place: Place, ...settings: string[]): Promise<void> {
  const name = new URL(place.DATABASE_URL ?? '').pathname.slice(1)
  for (const setting of settings) await seenElsewhere(place, `alter database ${name} set ${setting}`)
}

/** How many rows and index entries PostgreSQL reads while a new program does the work. */
export async function rowsReadOnPostgres(
  place: Place,
  work: (program: Awaited<ReturnType<typeof openProgram>>) => Promise<void>,
): Promise<number> {
  await setOnPostgres(place, 'track_counts = on')
  const before = await rowsReadSoFar(place)
  await using program = await openProgram(place)
  await work(program)
  await program.deps.database.close()
  return (await rowsReadSoFar(place)) - before
}

async function rowsReadSoFar(place: Place): Promise<number> {
  // A connection counts what it has read when it ends.
  const connected =
    'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  while ((await seenElsewhere(place, connected)).length > 0) await Bun.sleep(5)
  // Opening a program reads its versions.
  const isRead = "where relname <> 'bellhop_migrations'"
  const tables = `select sum(seq_tup_read) from pg_stat_user_tables ${isRead}`
  const indexes = `select sum(idx_tup_read) from pg_stat_user_indexes ${isRead}`
  const [row] = await seenElsewhere(place, `select (${tables}) + (${indexes}) as rows`)
  return Number(row?.rows)
}
