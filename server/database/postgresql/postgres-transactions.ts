import type { SQLQueryBindings } from 'bun:sqlite'
import type { SQL } from 'bun'
import { drizzle } from 'drizzle-orm/bun-sql'
import type { BatchTransaction } from '../batch.ts'
import { isRetryable, isStorageFault, storageCode, type Transaction } from '../database.ts'
import { directConnections } from '../direct-queries.ts'
import { beforeUnitQuery, tableWrittenBy, UnitFault } from '../unit.ts'

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
 * row first, so that all changes of one happen one after the other, as on SQLite.
 */
export function openTransactions(client: SQL) {
  const idle: Writer[] = []

  return async function transact<T>(
    orgId: string | undefined,
    run: (on: PostgresTransaction) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    let writer: Writer | undefined
    try {
      return await client.begin(async (connection) => {
        writer = idle.pop() ?? newWriter(client)
        Object.assign(writer, { client: connection, changes: 0, sent: [], failure: undefined })
        if (orgId !== undefined) send(writer, LOCK_ORGANIZATION, [orgId])
        const result = await run(batchTransaction(writer))
        if (result === undefined) throw NOT_KEPT
        return result
      })
    } catch (reason) {
      if (reason === NOT_KEPT) return undefined
      throw reason
    } finally {
      if (writer) {
        writer.client = undefined
        idle.push(writer)
      }
    }
  }
}

const LOCK_ORGANIZATION = 'select 1 from organizations where id = $1 for no key update'

interface PostgresTransaction extends BatchTransaction {
  execute(command: string): Promise<unknown>
}

function batchTransaction(writer: Writer): PostgresTransaction {
  async function execute(command: string): Promise<unknown> {
    return await clientOf(writer).unsafe(command)
  }
  return {
    tx: writer.tx,
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
