import type { SQL } from 'bun'
import { getTableName } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sql'
import { pause, within } from '../../clock.ts'
import type { BatchTransaction } from '../batch.ts'
import { isRetryable, isStorageFault, StorageError, storageCode, type Transaction } from '../database.ts'
import { directConnections } from '../direct-queries.ts'
import { beforeUnitQuery, tableWrittenBy, UnitFault } from '../unit.ts'
import { arrayOf } from './arrays.ts'
import { DATABASE_TIMELINE } from './database-timeline.ts'
import { type Fence, PartitionLost, textOf } from './fence.ts'
import { type ArrayInsert, insertFromArrays } from './insert-from-arrays.ts'
import { type Pool, SILENT } from './postgres-pool.ts'

/** A handle of Drizzle's that outlives its transactions: a query is built once for each, and not in every transaction. */
interface Writer {
  tx: Transaction
  open: OpenTransaction | undefined
}

interface OpenTransaction {
  client: SQL
  /** Queries that change something. */
  changes: number
  /** Those that no one has waited for yet. */
  sent: Promise<void>[]
  /** The first failure of these. */
  failure: unknown
  isCommitted: boolean
  /** By table: the rows to insert, in one statement for all units, before a query needs them. */
  collected: Map<string, CollectedRows>
}

interface CollectedRows {
  insert: ArrayInsert
  /** Of each column. */
  values: string[][]
}

/** What a transaction begins with. */
export interface Start {
  orgId: string | undefined
  fence: Fence | undefined
}

/**
 * Returns a function that commits what `run` changes, unless that returns undefined. With an organization it locks its
 * row first, so that all changes of one happen one after the other, as on SQLite. With a fence it commits only while
 * this node holds the partitions; until then, no other node takes them. The database server ends a transaction
 * that sends no query for `maxIdleMs`. Also returns undefined when a change failed that `run` hadn't waited for. Throws
 * `StorageError` when the connection is lost, unless the server says that the transaction was committed; `run` may go on
 * for a moment then.
 */
export function openTransactions(
  pool: Pool,
  read: SQL,
  { references, timeline, maxIdleMs }: { references: References; timeline: string; maxIdleMs: number },
) {
  const idle: Writer[] = []
  const begin = beginWith(timeline, '0')
  const beginFenced = beginWith(timeline, HELD)

  return async function transact<T>(
    { orgId, fence }: Start,
    run: (on: PostgresTransaction) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    let begunAs: string[] = []
    let finished: T | undefined

    /** Nothing that comes before the first query of a unit takes a round trip of its own, and neither does the commit. */
    async function runOn(client: SQL): Promise<T | undefined> {
      const writer = idle.pop() ?? newWriter(pool, references)
      const open: OpenTransaction = {
        client,
        changes: 0,
        sent: [],
        failure: undefined,
        isCommitted: false,
        collected: new Map(),
      }
      writer.open = open
      send(open, client`begin`)
      const settings = [String(maxIdleMs)]
      send(
        open,
        fence ? client.unsafe(beginFenced, [...settings, textOf(fence)]) : client.unsafe(begin, settings),
        ([row = []]) => {
          begunAs = row
        },
      )
      const begun = Promise.all(open.sent)
      if (orgId !== undefined) send(open, client.unsafe(LOCK_ORGANIZATION, [orgId]))
      try {
        const result = await run(batchTransaction(writer.tx, open, references))
        if (result === undefined) return undefined
        insertCollected(open, references)
        // So that the server can be asked about it.
        await begun
        if (begunAs.length === 0) throw open.failure
        if (fence && Number(begunAs[2]) < fence.size)
          throw new PartitionLost('Another node does this work now.')
        finished = result
        return (await commit(open)) ? result : undefined
      } finally {
        // Also a transaction that was given up ends here, and not before.
        writer.open = undefined
        idle.push(writer)
        if (!open.isCommitted) await client`rollback`.values().catch(() => {})
      }
    }

    try {
      return await pool.hold(runOn)
    } catch (reason) {
      // One that the pool has given up may go on.
      if (!isStorageFault(reason) || storageCode(reason) === SILENT) throw reason
      const outcome = finished === undefined ? 'aborted' : await outcomeOf(read, begunAs, timeline)
      if (outcome === 'committed') return finished
      throw new StorageError("The database server couldn't save the change.", {
        cause: reason,
        isCertain: outcome === 'aborted',
      })
    }
  }
}

/** Returns false if the server rolled it back, because a change had failed. */
async function commit(open: OpenTransaction): Promise<boolean> {
  const { command } = await open.client`commit`.values()
  await Promise.all(open.sent)
  if (command === 'COMMIT') open.isCommitted = true
  else if (mustEndBatch(open.failure)) throw open.failure
  return open.isCommitted
}

// Settings of a session would be refused by PgBouncer when they come with the connection. Units look up rows by their
// keys, so no plan depends on the values.
function beginWith(timeline: string, held: string): string {
  return `select pg_current_xact_id()::text, ${timeline}, ${held}, set_config('plan_cache_mode', 'force_generic_plan', true),
    set_config('idle_in_transaction_session_timeout', cast($1 as text), true)`
}
/** How many of the partitions it holds, in SQL. Until the transaction ends, no one else takes these. */
const HELD = `(select count(*) from (select 1 from partitions
  where cast($2 as text) like '% ' || id || ':' || token || ' %' for share) held)`
const LOCK_ORGANIZATION = 'select 1 from organizations where id = $1 for no key update'

/** How long the server is asked what became of a transaction whose connection was lost in its commit. */
const MAX_ASK_MS = 8_000
const ASK_EVERY_MS = 100

/**
 * Undefined when the server doesn't say. After a failover, the id may be that of another transaction: the standby begins a
 * timeline without the last ones, and gives their ids again.
 */
async function outcomeOf(client: SQL, [id, before]: string[], timeline: string): Promise<string | undefined> {
  if (id === undefined) return undefined
  let isOver = false

  async function ask(): Promise<string | undefined> {
    while (!isOver) {
      try {
        const [row] = await client.unsafe(
          `select pg_xact_status($1::text::xid8) as status, ${timeline} as timeline`,
          [id],
        )
        if (row?.status === 'committed' && row.timeline !== before) return undefined
        if (row?.status !== 'in progress') return row?.status
      } catch {}
      await pause(ASK_EVERY_MS)
    }
    return undefined
  }

  try {
    return await within(MAX_ASK_MS, ask(), () => undefined)
  } finally {
    isOver = true
  }
}

interface PostgresTransaction extends BatchTransaction {
  execute(command: string): Promise<unknown>
}

function batchTransaction(
  tx: Transaction,
  open: OpenTransaction,
  references: References,
): PostgresTransaction {
  async function execute(command: string): Promise<unknown> {
    return await open.client.unsafe(command)
  }
  return {
    tx,
    isRemote: true,
    execute,
    savepoint: () => execute('savepoint unit'),
    release: () => execute('release unit'),
    rollbackTo() {
      open.collected.clear()
      return execute('rollback to unit')
    },
    mark() {
      const before = open.changes
      return (reason) => open.changes === before && storageCode(reason) === ''
    },
    async finishChanges() {
      insertCollected(open, references)
      await Promise.all(open.sent.splice(0))
      if (open.failure !== undefined) throw open.failure
    },
    takeFailure() {
      const { failure } = open
      open.failure = undefined
      return failure
    },
    isOver: mustEndBatch,
    refusal: (reason) => reason,
  }
}

function mustEndBatch(reason: unknown): boolean {
  return isRetryable(reason) || isStorageFault(reason)
}

function newWriter(client: SQL, references: References): Writer {
  const handle = drizzle(
    ofTransaction(client, () => openOf(writer).client),
    {
      casing: 'snake_case',
      logger: {
        logQuery(query) {
          guard(tableWrittenBy(query))
          beforeQuery(query)
        },
      },
    },
  ) as unknown as Transaction
  const writer: Writer = { tx: handle, open: undefined }

  function guard(table: string | undefined): void {
    beforeUnitQuery(table)
    if (table !== undefined) openOf(writer).changes += 1
  }

  function beforeQuery(query: string): void {
    const open = openOf(writer)
    for (const table of open.collected.keys()) {
      if (!needs(query, table, references)) continue
      insertCollected(open, references)
      return
    }
  }

  directConnections.set(handle, {
    guard,
    prepare(prepared) {
      const { sql } = prepared.getQuery()
      return {
        run(values) {
          beforeQuery(sql)
          const open = openOf(writer)
          send(open, open.client.unsafe(sql, [...values]))
        },
        values(values) {
          beforeQuery(sql)
          return openOf(writer)
            .client.unsafe(sql, [...values])
            .values()
        },
      }
    },
    prepareInsert(definition) {
      const insert = insertFromArrays(definition)
      const table = getTableName(definition.table)
      const isMerging = typeof definition.onConflict === 'object'
      return (rows) => {
        const open = openOf(writer)
        if (open.collected.has(table) && open.collected.get(table)?.insert !== insert)
          insertCollected(open, references)
        const { values } = collectedOf(open, table, insert)
        for (const row of rows) insert.addRow(row, values)
        // Two changes of one row need two statements.
        if (isMerging) insertCollected(open, references)
      }
    },
  })
  return writer
}

/** In SQL. Some services with the protocol of PostgreSQL have none. */
export async function readTimeline(client: SQL): Promise<string> {
  try {
    await client.unsafe(`select ${DATABASE_TIMELINE}`)
    return DATABASE_TIMELINE
  } catch (error) {
    if (isStorageFault(error)) throw error
    return "''"
  }
}

/** By table: those whose rows its rows refer to. */
type References = ReadonlyMap<string, ReadonlySet<string>>

export async function readReferences(client: SQL): Promise<References> {
  const rows: { child: string; parents: string[] }[] = await client`
    select conrelid::regclass::text as child, array_agg(confrelid::regclass::text) as parents
    from pg_constraint where contype = ${'f'} group by conrelid`
  return new Map(rows.map(({ child, parents }) => [child, new Set(parents)]))
}

/** Whether a query may look at the rows of a table, or insert rows that refer to them. */
function needs(query: string, table: string, references: References): boolean {
  if (query.includes(table)) return true
  const written = tableWrittenBy(query)
  return written !== undefined && references.get(written)?.has(table) === true
}

function collectedOf(open: OpenTransaction, table: string, insert: ArrayInsert): CollectedRows {
  const known = open.collected.get(table)
  if (known) return known
  const made = { insert, values: Array.from({ length: insert.columns }, () => []) }
  open.collected.set(table, made)
  return made
}

/** Rows that others refer to are inserted before these. */
function insertCollected(open: OpenTransaction, references: References): void {
  function insert(table: string): void {
    const collected = open.collected.get(table)
    if (!collected) return
    open.collected.delete(table)
    for (const parent of references.get(table) ?? []) insert(parent)
    send(open, open.client.unsafe(collected.insert.text, collected.values.map(arrayOf)))
  }
  for (const table of [...open.collected.keys()]) insert(table)
}

/** Queries on one connection run in the order in which they are sent. */
function send(
  open: OpenTransaction,
  query: SQL.Query<string[][]>,
  onRows: (rows: string[][]) => void = () => {},
): void {
  open.sent.push(
    query.values().then(onRows, (reason) => {
      open.failure ??= reason
    }),
  )
}

function openOf({ open }: Writer): OpenTransaction {
  if (!open) throw new UnitFault('A query ran after its unit of work had ended.')
  return open
}

/** A client whose queries run in the transaction that is open. */
function ofTransaction(client: SQL, current: () => SQL): SQL {
  return new Proxy(client, {
    get(_, name) {
      if (name === 'unsafe') return (...query: Parameters<SQL['unsafe']>) => current().unsafe(...query)
      return Reflect.get(client, name)
    },
  })
}
