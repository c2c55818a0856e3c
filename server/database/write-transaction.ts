import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import type { Transaction } from './database.ts'
import { saveDeferred } from './deferred-writes.ts'
import { DATABASE_FILE } from './open.ts'
import { openOwnConnection } from './postgresql/own-connection.ts'
import { openWriter } from './sqlite/sqlite-connections.ts'
import { runAsUnit } from './unit.ts'

const BUSY_TIMEOUT_MS = 5_000
/** Negative values are KiB. For many rows in indexes that aren't in their order. */
const CACHE_KIB = -32_768

/**
 * Runs one unit of work on its own connection. Unlike units of `Database.write`, it may take minutes and await
 * anything. It is for commands that have the data to themselves: on SQLite, no one else can write meanwhile. Its
 * changes are durable when the promise resolves. When it rejects or the process ends, none is kept.
 */
export async function writeInOneTransaction<T>(
  place: { dataFolder: string; databaseUrl: string | undefined },
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return place.databaseUrl === undefined
    ? writeSqlite(join(place.dataFolder, DATABASE_FILE), work)
    : writePostgres(place.databaseUrl, work)
}

async function writeSqlite<T>(file: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const writer = openWriter(file)
  const { connection } = writer
  connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA cache_size = ${CACHE_KIB}`)
  try {
    writer.begin.run()
    const value = await runAsUnit(() => inWhole(writer.tx, work))
    writer.commit.run()
    await writer.sync()
    return value
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw error
  } finally {
    writer.close()
  }
}

async function writePostgres<T>(url: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  // Not imported: that would load it on SQLite, too.
  const [{ drizzle }, { TELL_NODES }] = await Promise.all([
    import('drizzle-orm/bun-sql'),
    import('./postgresql/postgres.ts'),
  ])
  const client = await openOwnConnection(url)
  try {
    const database = drizzle(client, { casing: 'snake_case' })
    return await database.transaction(async (tx) => {
      // PostgreSQL keeps plans for the session. A plan made while a table was empty would later scan all of it for each
      // row.
      await tx.execute(sql`set local enable_seqscan = off`)
      const value = await runAsUnit(() => inWhole(tx as unknown as Transaction, work))
      await tx.execute(sql.raw(TELL_NODES))
      return value
    })
  } finally {
    await client.close({ timeout: 0 })
  }
}

async function inWhole<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const value = await work(tx)
  await saveDeferred(tx)
  return value
}
