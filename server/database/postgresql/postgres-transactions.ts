import type { SQLQueryBindings } from 'bun:sqlite'
import type { SQL } from 'bun'
import { getTableName } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sql'
import { systemClock } from '../../clock.ts'
import type { BatchTransaction } from '../batch.ts'
import { isRetryable, isStorageFault, StorageError, storageCode, type Transaction } from '../database.ts'
import { directConnections } from '../direct-queries.ts'
import { beforeUnitQuery, tableWrittenBy, UnitFault } from '../unit.ts'
import { type ArrayInsert, insertFromArrays } from './insert-from-arrays.ts'
import { SILENT } from './postgres-pool.ts'

type Client = Pick<SQL, 'unsafe'>

/** A handle of Drizzle's that outlives its transactions: a query is built once for each, and not in every transaction. */
interface Writer {
  tx: Transaction
  open: OpenTransaction | undefined
}

interface OpenTransaction {
  client: Client
  /** Queries that change something. */
  changes: number
  /** Those that no one has waited for yet. */
  sent: Promise<void>[]
  /** The first failure of these. */
  failure: unknown
  /** By table: the rows to insert, in one statement for all units, before a query needs them. */
  collected: Map<string, CollectedRows>
}

interface CollectedRows {
  insert: ArrayInsert
  /** Of each column. */
  values: string[][]
}

/** Undoes a transaction whose result isn't wanted. */
const NOT_KEPT = new Error('The transaction is rolled back.')

/**
 * Returns a function that commits what `run` changes, unless that returns undefined. With an organization it locks its
 * row first, so that all changes of one happen one after the other, as on SQLite. Throws `StorageError` when the
 * connection is lost, unless the server says that the transaction was committed; `run` may go on for a moment then.
 */
export function openTransactions(client: SQL, references: References) {
  const idle: Writer[] = []

  return async function transact<T>(
    orgId: string | undefined,
    run: (on: PostgresTransaction) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    let id: string | undefined
    let finished: T | undefined

    async function runOn(connection: Client): Promise<T> {
      const writer = idle.pop() ?? newWriter(client, references)
      const open: OpenTransaction = {
        client: connection,
        changes: 0,
        sent: [],
        failure: undefined,
        collected: new Map(),
      }
      writer.open = open
      send(open, TRANSACTION_ID, [1], ([row]) => {
        id = row?.[0]
      })
      if (orgId !== undefined) send(open, LOCK_ORGANIZATION, [orgId])
      try {
        const result = await run(batchTransaction(writer.tx, open, references))
        if (result === undefined) throw NOT_KEPT
        return result
      } finally {
        // Also a transaction that was given up ends here, and not before.
        writer.open = undefined
        idle.push(writer)
      }
    }

    try {
      return await client.begin(async (connection) => {
        finished = await runOn(connection)
        return finished
      })
    } catch (reason) {
      if (reason === NOT_KEPT) return undefined
      // One that the pool has given up may go on.
      if (!isStorageFault(reason) || storageCode(reason) === SILENT) throw reason
      const outcome = finished === undefined ? 'aborted' : await outcomeOf(client, id)
      if (outcome === 'committed') return finished
      throw new StorageError("The database server couldn't save the change.", {
        cause: reason,
        isCertain: outcome === 'aborted',
      })
    }
  }
}

// Both have a parameter, because only such queries aren't waited for.
const TRANSACTION_ID = 'select pg_current_xact_id()::text where $1::int = 1'
const LOCK_ORGANIZATION = 'select 1 from organizations where id = $1 for no key update'

/** How long the server is asked what became of a transaction whose connection was lost in its commit. */
const MAX_ASK_MS = 8_000
const ASK_EVERY_MS = 100

/** Undefined when the server doesn't say. */
async function outcomeOf(client: SQL, id: string | undefined): Promise<string | undefined> {
  if (id === undefined) return undefined
  let isOver = false
  const { promise: tooLate, resolve } = Promise.withResolvers<undefined>()
  const cancelTimer = systemClock.after(MAX_ASK_MS, () => resolve(undefined))

  async function ask(): Promise<string | undefined> {
    while (!isOver) {
      try {
        const [row] = await client.unsafe('select pg_xact_status($1::text::xid8) as status', [id])
        if (row?.status !== 'in progress') return row?.status
      } catch {}
      const { promise: pause, resolve: goOn } = Promise.withResolvers<void>()
      systemClock.after(ASK_EVERY_MS, goOn)
      await pause
    }
    return undefined
  }

  try {
    return await Promise.race([ask(), tooLate])
  } finally {
    isOver = true
    cancelTimer()
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
    isOver: (reason) => isRetryable(reason) || isStorageFault(reason),
    refusal: (reason) => reason,
  }
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
          send(openOf(writer), sql, [...values])
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
    const arrays = collected.values.map((values) => `{${values.join(',')}}`)
    send(open, collected.insert.text, arrays)
  }
  for (const table of [...open.collected.keys()]) insert(table)
}

/** Queries on one connection run in the order in which they are sent. */
function send(
  open: OpenTransaction,
  query: string,
  values: SQLQueryBindings[],
  onRows: (rows: string[][]) => void = () => {},
): void {
  const sent = open.client.unsafe(query, values).values()
  open.sent.push(
    sent.then(onRows, (reason) => {
      open.failure ??= reason
    }),
  )
}

function openOf({ open }: Writer): OpenTransaction {
  if (!open) throw new UnitFault('A query ran after its unit of work had ended.')
  return open
}

/** A client whose queries run in the transaction that is open. */
function ofTransaction(client: SQL, current: () => Client): SQL {
  return new Proxy(client, {
    get(_, name) {
      if (name === 'unsafe') return (...query: Parameters<SQL['unsafe']>) => current().unsafe(...query)
      return Reflect.get(client, name)
    },
  })
}
