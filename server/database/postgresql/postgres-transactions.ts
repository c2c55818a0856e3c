import type { SQLQueryBindings } from 'bun:sqlite'
import type { SQL } from 'bun'
import { drizzle } from 'drizzle-orm/bun-sql'
import { systemClock } from '../../clock.ts'
import type { BatchTransaction } from '../batch.ts'
import {
  isConnectionLost,
  isRetryable,
  isStorageFault,
  StorageError,
  storageCode,
  type Transaction,
} from '../database.ts'
import { directConnections } from '../direct-queries.ts'
import { beforeUnitQuery, tableWrittenBy, UnitFault } from '../unit.ts'
import { SILENT } from './postgres-pool.ts'

type Client = Pick<SQL, 'unsafe'>

/** A handle of Drizzle's that outlives its transactions: a query is built once for each, and not in every transaction. */
interface Writer {
  tx: Transaction
  client: Client | undefined
  /** Queries of the transaction that change something. */
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
 * connection is lost, unless the server says that the transaction was committed.
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
      Object.assign(writer, { client: connection, changes: 0, sent: [], failure: undefined })
      const begun =
        orgId === undefined ? connection.unsafe(BEGIN, [1]) : connection.unsafe(LOCK_ORGANIZATION, [orgId])
      writer.sent.push(
        begun.values().then(
          ([row]) => {
            id = row?.[0]
          },
          (reason) => {
            writer.failure ??= reason
          },
        ),
      )
      try {
        const result = await run(batchTransaction(writer))
        if (result === undefined) throw NOT_KEPT
        return result
      } finally {
        // Also a transaction that was given up ends here, and not before.
        writer.client = undefined
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
      if (!isConnectionLost(reason) || storageCode(reason) === SILENT) throw reason
      const outcome = finished === undefined ? 'aborted' : await outcomeOf(client, id)
      if (outcome === 'committed') return finished
      throw new StorageError("The database server couldn't save the change.", {
        cause: reason,
        isCertain: outcome === 'aborted',
      })
    }
  }
}

/** Both return the id of the transaction. They have a parameter, because only such a query isn't waited for. */
const BEGIN = 'select pg_current_xact_id()::text where $1::int = 1'
const LOCK_ORGANIZATION =
  'select pg_current_xact_id()::text from organizations where id = $1 for no key update'

/** How long the server is asked what became of a transaction whose connection was lost in its commit. */
const MAX_ASK_MS = 8_000
const ASK_EVERY_MS = 100

/** Undefined when the server doesn't say. */
async function outcomeOf(client: SQL, id: string | undefined): Promise<string | undefined> {
  const until = systemClock.monotonic() + MAX_ASK_MS
  while (id !== undefined && systemClock.monotonic() < until) {
    try {
      const [row] = await client.unsafe('select pg_xact_status($1::text::xid8) as status', [id])
      if (row?.status !== 'in progress') return row?.status
    } catch {}
    const { promise, resolve } = Promise.withResolvers<void>()
    systemClock.after(ASK_EVERY_MS, resolve)
    await promise
  }
  return undefined
}

interface PostgresTransaction extends BatchTransaction {
  execute(command: string): Promise<unknown>
}

function batchTransaction(writer: Writer): PostgresTransaction {
  async function execute(command: string): Promise<unknown> {
    return await clientOf(writer).unsafe(command)
  }
  return {
    tx: writer.tx,
    isRemote: true,
    execute,
    savepoint: () => execute('savepoint unit'),
    release: () => execute('release unit'),
    rollbackTo: () => execute('rollback to unit'),
    mark() {
      const before = writer.changes
      return (reason) => writer.changes === before && storageCode(reason) === ''
    },
    async finishChanges() {
      await Promise.all(writer.sent.splice(0))
      if (writer.failure !== undefined) throw writer.failure
    },
    takeFailure() {
      const { failure } = writer
      writer.failure = undefined
      return failure
    },
    isOver: (reason) => isRetryable(reason) || isStorageFault(reason),
    refusal: (reason) => reason,
  }
}

function newWriter(client: SQL): Writer {
  const handle = drizzle(
    ofTransaction(client, () => clientOf(writer)),
    {
      casing: 'snake_case',
      logger: { logQuery: (query) => guard(tableWrittenBy(query)) },
    },
  ) as unknown as Transaction
  const writer: Writer = { tx: handle, client: undefined, changes: 0, sent: [], failure: undefined }

  function guard(table: string | undefined): void {
    beforeUnitQuery(table)
    if (table !== undefined) writer.changes += 1
  }

  directConnections.set(handle, {
    guard,
    prepare(prepared) {
      const { sql } = prepared.getQuery()
      return {
        run: (values) => send(writer, sql, [...values]),
        values: (values) =>
          clientOf(writer)
            .unsafe(sql, [...values])
            .values(),
      }
    },
  })
  return writer
}

/** Queries on one connection run in the order in which they are sent. */
function send(writer: Writer, query: string, values: SQLQueryBindings[]): void {
  const sent = clientOf(writer).unsafe(query, values)
  writer.sent.push(
    sent.then(
      () => {},
      (reason) => {
        writer.failure ??= reason
      },
    ),
  )
}

function clientOf({ client }: Writer): Client {
  if (!client) throw new UnitFault('A query ran after its unit of work had ended.')
  return client
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
