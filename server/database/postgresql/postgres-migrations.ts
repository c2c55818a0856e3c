import type { SQL } from 'bun'
import { pause } from '../../clock.ts'
import { StartError } from '../../errors.ts'
import { canRunTogether, VERSION } from '../../version.ts'
import { storageCode } from '../database.ts'
import { missing } from '../migrate.ts'
import {
  fingerprintOf,
  judgeData,
  MAKE_LEDGER,
  READ_LEDGER,
  READ_SHAPE,
  requireOpenable,
} from '../migration-ledger.ts'
import { MIGRATIONS, type Migration } from '../migrations.ts'
import { IS_LEASED } from './database-time.ts'

/** An arbitrary number, the same in every process: only one process migrates a database at a time. */
const TRY_LOCK = 'select pg_try_advisory_xact_lock(7235512) as "isMine"'
const TRY_EVERY_MS = 100
/** While a migration waits for a table, everyone else who comes later waits, too. So it gives up and tries again. */
const MAX_LOCK_WAIT_MS = 2_000
/** That a table was in use too long (`lock_not_available`), and `deadlock_detected`: of both sides, PostgreSQL ends either. */
const IN_USE: unknown[] = ['55P03', '40P01']

/** What Drizzle writes between statements. */
const BREAK = '--> statement-breakpoint'
const INDEX_STATEMENT = /^(CREATE (?:UNIQUE )?|DROP )INDEX "(\w+)"/i

type Connection = Pick<SQL, 'unsafe'>

/**
 * Migrates a PostgreSQL database. Several processes may start at once, and servers of the release before may be running.
 * Throws `StartError` for data or running servers of a release too far away. `onWait` is called when a table is in use.
 */
export async function migratePostgres(
  url: string,
  now: number,
  migrations: readonly Migration[] = MIGRATIONS.postgresql,
  onWait: () => void = () => {},
): Promise<void> {
  // The lock needs a transaction of its own: indexes that lock no table can't be created in one. Not imported: that would
  // load it on SQLite, too.
  const client = new Bun.SQL(url, { max: 2 })
  try {
    let isDone = false
    while (!isDone) {
      isDone = await client.begin(async (holder) => {
        await holder.unsafe('set local idle_in_transaction_session_timeout = 0')
        // The creation of an index waits for open statements: those that wait, and those of the extended protocol.
        const [row] = await holder.unsafe(TRY_LOCK).simple()
        if (!row.isMine) return false
        await applyMissing(client, migrations, { now, onWait })
        return true
      })
      if (!isDone) await pause(TRY_EVERY_MS)
    }
  } finally {
    await client.close()
  }
}

async function applyMissing(
  client: SQL,
  migrations: readonly Migration[],
  { now, onWait }: { now: number; onWait: () => void },
): Promise<void> {
  const ledger = await openLedger(client, migrations)
  const left = missing(ledger.length, migrations)
  if (left.length === 0) return
  await requireNearNodes(client)
  // Without data, no one waits for a table.
  const isEmpty = ledger.length === 0
  while (left.length > 0) {
    const end = left.findIndex(([, migration]) => !isEmpty && hasOnlyIndexes(migration))
    const together = left.splice(0, end < 0 ? left.length : end)
    if (together.length > 0) await applyTogether(client, together, { now, onWait })
    const [next] = left.splice(0, 1)
    if (next) await applyIndexes(client, next, now)
  }
}

/** Returns its rows. The columns are only added when they are missing: a running backup reads the table. */
async function openLedger(client: SQL, migrations: readonly Migration[]): Promise<unknown[][]> {
  const columns: { name: string }[] = await client`select attname as name from pg_attribute
    where attrelid = to_regclass('bellhop_migrations') and attnum > 0 and not attisdropped`
  const names = columns.map(({ name }) => name)
  const ledger: unknown[][] = names.length > 0 ? await client.unsafe(READ_LEDGER).values() : []
  const shape: unknown[][] = await client.unsafe(READ_SHAPE.postgresql).values()
  requireOpenable(judgeData('postgresql', { ledger, shape }, migrations))
  if (names.length === 0) return []
  for (const column of ['fingerprint', 'program']) {
    if (!names.includes(column))
      await client.unsafe(`alter table bellhop_migrations add column ${column} text`)
  }
  if (ledger.every(([, , , fingerprint]) => fingerprint)) return ledger
  for (const [index, migration] of migrations.slice(0, ledger.length).entries()) {
    await client`update bellhop_migrations set fingerprint = ${fingerprintOf(migration)}
      where version = ${index + 1} and fingerprint is null`
  }
  return ledger
}

/** In one transaction. */
async function applyTogether(
  client: SQL,
  migrations: [number, Migration][],
  { now, onWait }: { now: number; onWait: () => void },
): Promise<void> {
  for (;;) {
    try {
      await client.begin(async (tx) => {
        await tx.unsafe(`set local lock_timeout = ${MAX_LOCK_WAIT_MS}`)
        await tx.unsafe(MAKE_LEDGER)
        await tx.unsafe('alter table bellhop_migrations add column if not exists program text')
        for (const [version, migration] of migrations) {
          await tx.unsafe(migration.sql).simple()
          await note(tx, [version, migration], now)
        }
      })
      return
    } catch (error) {
      if (!IN_USE.includes(storageCode(error))) throw error
      onWait()
      await pause(TRY_EVERY_MS)
    }
  }
}

/** One that is repeated after it was interrupted makes the same indexes. */
async function applyIndexes(
  client: SQL,
  [version, migration]: [number, Migration],
  now: number,
): Promise<void> {
  for (const statement of statementsOf(migration)) {
    const [, verb = '', name = ''] = INDEX_STATEMENT.exec(statement) ?? []
    // An interrupted creation leaves an index that isn't used.
    const [unused] = await client`select 1 from pg_index
      where indexrelid = to_regclass(quote_ident(${name})) and not indisvalid`
    if (unused) await client.unsafe(`drop index concurrently if exists "${name}"`)
    const condition = /^drop/i.test(verb) ? 'if exists' : 'if not exists'
    await client.unsafe(
      statement.replace(INDEX_STATEMENT, `${verb}index concurrently ${condition} "${name}"`),
    )
  }
  await note(client, [version, migration], now)
}

async function note(on: Connection, [version, migration]: [number, Migration], now: number): Promise<void> {
  await on.unsafe(
    'insert into bellhop_migrations (version, name, applied_at, fingerprint, program) values ($1, $2, $3, $4, $5)',
    [version, migration.name, now, fingerprintOf(migration), VERSION],
  )
}

/** Throws `StartError` when a server runs that couldn't go on after an upgrade by this program. */
async function requireNearNodes(client: SQL): Promise<void> {
  const [table] = await client`select to_regclass('nodes') is not null as "isThere"`
  if (!table.isThere) return
  const nodes: { version: string }[] = await client.unsafe(`select version from nodes where ${IS_LEASED}`)
  const far = nodes.find(({ version }) => !canRunTogether(version, VERSION))
  if (far) throw tooFarApart(far.version)
}

/** For a program of this version. */
export function tooFarApart(version: string): StartError {
  return new StartError(
    `Another server of this database runs Bellhop ${version}, and this is ${VERSION}. Only servers of two releases that follow each other can run together.`,
  )
}

function hasOnlyIndexes(migration: Migration): boolean {
  return statementsOf(migration).every((statement) => INDEX_STATEMENT.test(statement))
}

function statementsOf({ sql }: Migration): string[] {
  return sql.split(BREAK).map((statement) => statement.trim())
}
