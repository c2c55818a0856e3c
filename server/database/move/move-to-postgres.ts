import type { Database as Connection } from 'bun:sqlite'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, within } from '../../clock.ts'
import { StartError } from '../../errors.ts'
import { stateIn, stateInPostgres } from '../data-version.ts'
import {
  type DataState,
  DELETE_MARK,
  insertMark,
  notAtThisVersion,
  requireOpenable,
} from '../migration-ledger.ts'
import { DATABASE_FILE } from '../open.ts'
import { IS_LEASED } from '../postgresql/database-time.ts'
import { type OwnConnection, openOwnConnection } from '../postgresql/own-connection.ts'
import { copyAllRows, requireSame } from '../postgresql/postgres-copy.ts'
import { migratePostgres } from '../postgresql/postgres-migrations.ts'
import {
  booleansIn,
  continueSequences,
  createRowsHash,
  deleteRows,
  hashInPostgres,
  insertRows,
  parentsFirst,
  type Queries,
  quoted,
  ROWS_AT_ONCE,
  type Table,
  tablesOf,
} from '../postgresql/table-rows.ts'
import { copyDatabase } from '../snapshot.ts'
import {
  beginChangeLog,
  type Changes,
  changesAfter,
  dropChangeLog,
  isLogWhole,
  refuseChanges,
} from './change-log.ts'
import { openFile } from './moved-file.ts'

/** The server's changes wait meanwhile, and are refused after five seconds. */
const MAX_HOLD_MS = 4_000
/** After this time, the server goes on, and the hold is tried again. */
const LATE_MS = 2_500
/** Changes are few enough to hold the server when those since the last time were copied this quickly. */
const QUICK_MS = 500
const MAX_ROUNDS = 100
const HOLD_TRIES = 5
/** An arbitrary number, different from that of the migrations. */
const MOVE_LOCK = 7_235_514
const MAX_LOCK_WAIT_MS = 5_000

interface MoveToPostgres {
  dataFolder: string
  url: string
  /** An empty folder with room for a copy of the database. */
  work: string
  clock: Clock
  /** The name of this move. */
  moveId: string
  /** Called with a sentence before each step. */
  tell: (step: string) => void
}

interface MovedData {
  rows: number
  /** How long the server's changes waited, in milliseconds. */
  heldMs: number
}

/**
 * Moves everything of a data folder's database to an empty PostgreSQL database, while a server uses it. Triggers note which
 * rows change; a copy of one moment is copied and compared, then what changed since, again and again. At the end, the
 * write lock of SQLite holds the server until the last changes are there and equal, and the file is marked as moved: from
 * then on, no program changes it. Until the file is marked, it is as it was without the move, also after a kill, and
 * PostgreSQL's copy is marked as unfinished, so that no server starts on it. Returns undefined if
 * an earlier move was complete but for that mark. Throws `StartError`.
 */
export async function moveToPostgres(move: MoveToPostgres): Promise<MovedData | undefined> {
  const { dataFolder, url, clock, tell } = move
  using file = openFile(join(dataFolder, DATABASE_FILE))
  const client = await openOwnConnection(url)
  try {
    await lockTarget(client)
    const state = stateIn(file)
    if (state.kind === 'marked' && (await isMarked(client, state))) {
      await client.unsafe(DELETE_MARK)
      return undefined
    }
    requireOpenable(state)
    if (state.kind !== 'current') {
      throw notAtThisVersion()
    }
    await emptyTarget(client, tablesOf(file))
    await migratePostgres(url, clock.now())
    await claimTarget(client, tablesOf(file), insertMark('unfinished_move', move.moveId, clock.now()))
    let isMoved = false
    try {
      tell('Noting what changes from now on.')
      beginChangeLog(file)
      const copied = await copySnapshot(client, move)
      const { applied, heldMs } = await copyChanges(file, client, move)
      isMoved = true
      await client.unsafe(DELETE_MARK)
      return { rows: copied + applied, heldMs }
    } finally {
      if (!isMoved) dropChangeLog(file)
    }
  } finally {
    await client.close({ timeout: 0 })
  }
}

/** One move into a database at a time. The session of a killed one ends a moment after it. */
async function lockTarget(client: OwnConnection): Promise<void> {
  try {
    await client.unsafe(`set lock_timeout = ${MAX_LOCK_WAIT_MS}`)
    await client.unsafe(`select pg_advisory_lock(${MOVE_LOCK})`)
    await client.unsafe('set lock_timeout = 0')
  } catch (cause) {
    if (!(cause instanceof Error && 'errno' in cause && cause.errno === LOCK_NOT_AVAILABLE)) throw cause
    throw new StartError('Another move into this database is running. Wait until it has ended.', { cause })
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

/** Whether PostgreSQL has all of a file that was marked as moved: the move was killed between the two marks. */
async function isMarked(client: OwnConnection, { moveId }: { moveId: string }): Promise<boolean> {
  const found = await ledgerOf(client)
  return found?.kind === 'marked' && found.mark === 'unfinished_move' && found.moveId === moveId
}

async function ledgerOf(client: OwnConnection): Promise<DataState | undefined> {
  const [row] = await client.unsafe("select to_regclass('bellhop_migrations') is not null as found")
  if (!row.found) return undefined
  return stateInPostgres(client)
}

/** Removes what an unfinished move left, and nothing else. */
async function emptyTarget(client: OwnConnection, tables: Table[]): Promise<void> {
  const state = await ledgerOf(client)
  if (state?.kind !== 'marked') return
  if (state.mark !== 'unfinished_move') {
    throw new StartError('The data of this PostgreSQL database was moved elsewhere. Choose an empty one.')
  }
  const found: { name: string }[] = await client.unsafe(
    'select tablename::text as name from pg_tables where schemaname = current_schema()',
  )
  const left = tables.filter(({ table }) => found.some(({ name }) => name === table))
  await client.begin(async (tx) => {
    await tx.unsafe(`truncate ${left.map(({ table }) => quoted(table)).join(', ')}`)
    await tx.unsafe(DELETE_MARK)
  })
}

/**
 * Marks a database without an organization, so that no server starts on it, and removes what a server stored that was once
 * started on it. Throws `StartError` when it has an organization or a server that runs.
 */
async function claimTarget(client: OwnConnection, tables: Table[], mark: string): Promise<void> {
  await client.begin(async (tx) => {
    await tx.unsafe('lock table organizations, nodes in exclusive mode')
    const [found] = await tx.unsafe(`select exists (select 1 from organizations) as organization,
      exists (select 1 from nodes where ${IS_LEASED}) as node`)
    if (found.organization) {
      throw new StartError('The database has another installation. Choose an empty one.')
    }
    if (found.node) throw new StartError('A Bellhop server is using this database. Stop it first.')
    const emptied = [...tables.map(({ table }) => table), ...OF_SERVERS]
    await tx.unsafe(`truncate ${emptied.map(quoted).join(', ')}`)
    await tx.unsafe(mark)
  })
}

/** Not copied: each database has its own. */
const OF_SERVERS = ['nodes', 'partitions']

async function copySnapshot(client: OwnConnection, move: MoveToPostgres): Promise<number> {
  const { dataFolder, work, clock, tell } = move
  const path = join(work, DATABASE_FILE)
  tell('Making a copy of the database file.')
  await copyDatabase({ dataFolder, databaseUrl: undefined }, path, clock.now())
  tell('Copying to PostgreSQL, and comparing.')
  using copy = openFile(path)
  const rows = await client.begin((tx) =>
    copyAllRows(tx, copy, (table, count) => count > 0 && tell(`  ${table}: ${count}`)),
  )
  // Plans are those of empty tables otherwise.
  await client.unsafe('analyze')
  await rm(path)
  return rows
}

/** Copies what has changed until little changes meanwhile, then holds the server for the rest. */
async function copyChanges(
  file: Connection,
  client: OwnConnection,
  { clock, moveId, tell }: MoveToPostgres,
): Promise<{ applied: number; heldMs: number }> {
  const tables = parentsFirst(file)
  let last = 0
  let applied = 0

  async function copyRound(isLate = () => false): Promise<void> {
    if (!isLogWhole(file)) {
      throw new StartError(
        'The server was started again meanwhile. Nothing was moved. Run the command again.',
      )
    }
    const changes = changesAfter(file, last)
    await applyChanges(client, { tables, changes, isLate })
    last = changes.last
    applied += changes.rows
  }

  async function catchUp(): Promise<void> {
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      const startedAt = clock.monotonic()
      await inTransaction(file, 'BEGIN', copyRound)
      if (clock.monotonic() - startedAt < QUICK_MS) return
    }
    throw new StartError('More changes than can be copied. Run the command when less is going on.')
  }

  for (let tries = 1; tries <= HOLD_TRIES; tries += 1) {
    tell('Copying what has changed since.')
    await catchUp()
    tell('Holding the server for the last changes.')
    try {
      return await inTransaction(file, 'BEGIN IMMEDIATE', async () => {
        const startedAt = clock.monotonic()
        const isLate = () => clock.monotonic() - startedAt > LATE_MS
        await within(
          MAX_HOLD_MS,
          copyRound(isLate),
          () => {
            throw new StartError('PostgreSQL stopped answering. Nothing was moved. Run the command again.')
          },
          clock,
        )
        refuseChanges(file)
        file.exec(insertMark('moved_to_postgresql', moveId, clock.now()))
        file.exec('COMMIT')
        return { applied, heldMs: clock.monotonic() - startedAt }
      })
    } catch (error) {
      if (!(error instanceof TooLate)) throw error
    }
  }
  throw new StartError('PostgreSQL is too slow for the last changes. Nothing was moved.')
}

/** The hold takes too long. It's tried again, and the server goes on in between. */
class TooLate extends Error {
  override name = 'TooLate'
}

interface Applied {
  tables: Table[]
  changes: Changes
  isLate: () => boolean
}

/**
 * Makes the changed rows of PostgreSQL those of the file, and compares them, in one transaction. All old ones are deleted
 * before any is inserted, so that no two have the same unique value; references are checked at the end.
 */
async function applyChanges(client: OwnConnection, { tables, changes, isLate }: Applied): Promise<void> {
  if (changes.rows === 0) return
  await client.begin(async (tx) => {
    await tx.unsafe("set local bytea_output = 'hex'")
    const references = await referencesIn(tx)
    await alterReferences(tx, references, 'deferrable initially deferred')
    await eachPage(
      (table) => changes.keysOf(table),
      (table, keys) => deleteRows(tx, table, keys),
    )
    const hashes = new Map(tables.map((table) => [table, createRowsHash()]))
    await eachPage(
      (table) => changes.rowsOf(table, ROWS_AT_ONCE),
      async (table, rows) => {
        hashes.get(table)?.add(rows)
        await insertRows(tx, table, rows)
      },
    )
    const booleans = await booleansIn(tx)
    const stored = new Map(tables.map((table) => [table, { rows: 0, sum: 0n }]))
    await eachPage(
      (table) => changes.keysOf(table),
      async (table, keys) => {
        const { rows, sum } = await hashInPostgres(tx, table, booleans, keys)
        const sums = stored.get(table)
        if (sums) Object.assign(sums, { rows: sums.rows + rows, sum: sums.sum + sum })
      },
    )
    for (const [table, hash] of hashes) requireSame(table, hash, stored.get(table) ?? createRowsHash())
    await continueSequences(tx)
    await tx.unsafe('set constraints all immediate')
    await alterReferences(tx, references, 'not deferrable')
  })

  async function eachPage<Page>(
    pagesOf: (table: Table) => Generator<Page>,
    use: (table: Table, page: Page) => Promise<void>,
  ): Promise<void> {
    for (const table of tables) {
      for (const page of pagesOf(table)) {
        if (isLate()) throw new TooLate()
        await use(table, page)
      }
    }
  }
}

interface Reference {
  table: string
  name: string
}

async function referencesIn(tx: Queries): Promise<Reference[]> {
  return tx.unsafe(`select conrelid::regclass::text as table, conname::text as name from pg_constraint
    where contype = 'f' and connamespace = current_schema()::regnamespace`)
}

async function alterReferences(tx: Queries, references: Reference[], how: string): Promise<void> {
  const alter = ({ table, name }: Reference) => `alter table ${table} alter constraint ${quoted(name)} ${how}`
  await tx.unsafe(references.map(alter).join(';')).simple()
}

async function inTransaction<T>(file: Connection, begin: string, work: () => Promise<T>): Promise<T> {
  file.exec(begin)
  try {
    return await work()
  } finally {
    if (file.inTransaction) file.exec('ROLLBACK')
  }
}
