import type { SQLQueryBindings } from 'bun:sqlite'
import type { SQL } from 'bun'
import { drizzle } from 'drizzle-orm/bun-sql'
import { systemClock } from '../../clock.ts'
import type { BatchTransaction } from '../batch.ts'
import { isRetryable, isStorageFault, StorageError, storageCode, type Transaction } from '../database.ts'
import { directConnections } from '../direct-queries.ts'
import { beforeUnitQuery, tableWrittenBy, UnitFault } from '../unit.ts'
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
}

/** Undoes a transaction whose result isn't wanted. */
const NOT_KEPT = new Error('The transaction is rolled back.')

/**
 * Returns a function that commits what `run` changes, unless that returns undefined. With an organization it locks its
 * row first, so that all changes of one happen one after the other, as on SQLite. Throws `StorageError` when the
 * connection is lost, unless the server says that the transaction was committed; `run` may go on for a moment then.
 */
export function openTransactions(client: SQL) {
  const idle: Writer[] = []

  return async function transact<T>(
    orgId: string | undefined,
    run: (on: PostgresTransaction) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    let id: string | undefined
    let finished: T | undefined

    async function runOn(connection: Client): Promise<T> {
      const writer = idle.pop() ?? newWriter(client)
      const open: OpenTransaction = { client: connection, changes: 0, sent: [], failure: undefined }
      writer.open = open
      send(open, TRANSACTION_ID, [1], ([row]) => {
        id = row?.[0]
      })
      if (orgId !== undefined) send(open, LOCK_ORGANIZATION, [orgId])
      try {
        const result = await run(batchTransaction(writer.tx, open))
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

function batchTransaction(tx: Transaction, open: OpenTransaction): PostgresTransaction {
  async function execute(command: string): Promise<unknown> {
    return await open.client.unsafe(command)
  }
  return {
    tx,
    isRemote: true,
    execute,
    savepoint: () => execute('savepoint unit'),
    release: () => execute('release unit'),
    rollbackTo: () => execute('rollback to unit'),
    mark() {
      const before = open.changes
      return (reason) => open.changes === before && storageCode(reason) === ''
    },
    async finishChanges() {
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

function newWriter(client: SQL): Writer {
  const handle = drizzle(
    ofTransaction(client, () => openOf(writer).client),
    {
      casing: 'snake_case',
      logger: { logQuery: (query) => guard(tableWrittenBy(query)) },
    },
  ) as unknown as Transaction
  const writer: Writer = { tx: handle, open: undefined }

  function guard(table: string | undefined): void {
    beforeUnitQuery(table)
    if (table !== undefined) openOf(writer).changes += 1
  }

  directConnections.set(handle, {
    guard,
    prepare(prepared) {
      const { sql } = prepared.getQuery()
      return {
        run: (values) => send(openOf(writer), sql, [...values]),
        values: (values) =>
          openOf(writer)
            .client.unsafe(sql, [...values])
            .values(),
      }
    },
  })
  return writer
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
