import { type Database as Connection, SQLiteError } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { type Database, StorageError, type Transaction } from './database.ts'
import { openReader, openWriter } from './sqlite-connections.ts'
import { refuseInsideUnit, runAsUnit, UnitFault } from './unit.ts'

/** How long one flush keeps taking queued units before it commits. */
const FLUSH_MS = 5

interface Queued {
  work: (tx: Transaction) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

/**
 * The embedded engine: one writer connection with a queue, one read-only connection.
 * Queued units share a commit: `BEGIN IMMEDIATE`, a savepoint each, one `COMMIT` that is on disk when it returns;
 * only then are the promises settled, refusals too.
 */
export function openSqlite(file: string, onCommit: () => void): Database {
  const writer = openWriter(file)
  const reader = openReader(file)
  const queue: Queued[] = []
  let isFlushing = false
  let isClosed = false
  let lastVersion = dataVersion(writer.connection)

  async function write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    refuseInsideUnit('write')
    if (isClosed) throw new StorageError('The database is closed.')
    return new Promise<T>((resolve, reject) => {
      queue.push({ work, resolve: resolve as Queued['resolve'], reject })
      if (!isFlushing) {
        isFlushing = true
        setImmediate(flush)
      }
    })
  }

  /** One batch in each turn of the event loop: however much is written, requests and timers get theirs. */
  async function flush(): Promise<void> {
    await flushBatch()
    if (queue.length > 0) setImmediate(flush)
    else isFlushing = false
  }

  async function flushBatch(): Promise<void> {
    const taken: Queued[] = []
    const settle: (() => void)[] = []
    try {
      writer.begin.run()
      const startedAt = performance.now()
      do {
        const unit = queue.shift()
        if (!unit) break
        taken.push(unit)
        settle.push(await runQueued(unit))
      } while (performance.now() - startedAt < FLUSH_MS)
      writer.commit.run()
    } catch (cause) {
      if (writer.connection.inTransaction) writer.connection.exec('ROLLBACK')
      const refused = taken.length > 0 ? taken : queue.splice(0)
      for (const unit of refused) unit.reject(diskRefusal(cause))
      return
    }
    for (const each of settle) each()
    onCommit()
  }

  /** Runs one unit inside its savepoint and says how to settle it once the batch is on disk. */
  async function runQueued(unit: Queued): Promise<() => void> {
    writer.savepoint.run()
    try {
      const value = await runAsUnit(() => withinTurn(unit.work(writer.tx)))
      writer.release.run()
      return () => unit.resolve(value)
    } catch (reason) {
      // A full disk can end the whole transaction, not only the unit's part of it.
      if (!writer.connection.inTransaction) throw reason
      writer.rollbackTo.run()
      writer.release.run()
      return () => unit.reject(isDiskFault(reason) ? diskRefusal(reason) : reason)
    }
  }

  return {
    engine: 'sqlite',
    read: reader.read,
    write,
    async changedElsewhere() {
      const version = dataVersion(writer.connection)
      const isChanged = version !== lastVersion
      lastVersion = version
      return isChanged
    },
    async size() {
      return { database: fileSize(file), wal: fileSize(`${file}-wal`) }
    },
    async close() {
      isClosed = true
      while (isFlushing) await new Promise((resolve) => setImmediate(resolve))
      reader.connection.close()
      writer.connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      writer.connection.close()
    },
  }
}

/** Queries on bun:sqlite settle in the present turn of the event loop; whatever is still open after it is not a query. */
async function withinTurn<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setImmediate> | undefined
  const cutOff = new Promise<never>((_, reject) => {
    timer = setImmediate(() => {
      reject(new UnitFault('A unit of work awaited something other than its own queries.'))
    })
  })
  try {
    return await Promise.race([work, cutOff])
  } finally {
    clearImmediate(timer)
  }
}

function dataVersion(connection: Connection): number {
  return connection.query<{ data_version: number }, []>('PRAGMA data_version').get()?.data_version ?? 0
}

function isDiskFault(reason: unknown): boolean {
  const cause = reason instanceof Error && reason.cause instanceof SQLiteError ? reason.cause : reason
  return (
    cause instanceof SQLiteError &&
    /^SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY|NOMEM|CORRUPT|NOTADB|PERM|PROTOCOL)/.test(cause.code ?? '')
  )
}

function diskRefusal(cause: unknown): StorageError {
  return new StorageError('The disk refused the change.', { cause })
}

function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
