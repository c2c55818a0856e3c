import { Database as Connection, SQLiteError } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { type Database, type Reader, StorageError, type Transaction } from './database.ts'

/** How long one flush keeps taking queued units before it commits. */
const FLUSH_MS = 5
const BUSY_TIMEOUT_MS = 5_000
/** Negative: in KiB. Holds the upper levels of every index at a million tickets. */
const CACHE_KIB = -16_384

interface Unit {
  work: (tx: Transaction) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

/** A unit that awaited something other than its own queries; it would have held up every other write. */
export class UnitCutOff extends Error {
  override name = 'UnitCutOff'
  override message = 'A unit of work awaited something other than its own queries and was rolled back.'
}

/**
 * The embedded engine: one writer connection with a queue, one read-only connection.
 * Queued units share a commit: `BEGIN IMMEDIATE`, a savepoint each, one `COMMIT` that is on disk when it returns;
 * only then are the promises settled, refusals too.
 */
export function openSqlite(file: string, onCommit: () => void): Database {
  let writer = openWriter(file)
  const reader = openReader(file)
  const queue: Unit[] = []
  let isFlushing = false
  let lastVersion = dataVersion(writer.connection)

  function write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.push({ work, resolve: resolve as Unit['resolve'], reject })
      if (!isFlushing) {
        isFlushing = true
        setImmediate(flush)
      }
    })
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) await flushOnce()
    isFlushing = false
  }

  async function flushOnce(): Promise<void> {
    const done: Unit[] = []
    const settle: (() => void)[] = []
    const connection = writer.connection
    try {
      writer.begin.run()
      const startedAt = performance.now()
      do {
        const unit = queue.shift()
        if (!unit) break
        done.push(unit)
        settle.push(await runUnit(unit))
      } while (performance.now() - startedAt < FLUSH_MS)
      writer.commit.run()
    } catch (cause) {
      if (cause instanceof UnitCutOff) return startAfresh(done)
      if (connection.inTransaction) connection.exec('ROLLBACK')
      const refusal = storageRefusal(cause)
      for (const unit of done) unit.reject(refusal)
      return
    }
    for (const each of settle) each()
    onCommit()
  }

  /** Runs one unit inside its savepoint and says how to settle it once the batch is on disk. */
  async function runUnit(unit: Unit): Promise<() => void> {
    writer.savepoint.run()
    try {
      const value = await withinTurn(unit.work(writer.tx))
      writer.release.run()
      return () => unit.resolve(value)
    } catch (reason) {
      if (reason instanceof UnitCutOff) throw reason
      // A full disk can end the whole transaction, not only the unit's part of it.
      if (!writer.connection.inTransaction) throw reason
      writer.rollbackTo.run()
      writer.release.run()
      return () => unit.reject(isStorageFault(reason) ? storageRefusal(reason) : reason)
    }
  }

  /**
   * The cut-off unit still holds `tx` and may wake up later. Closing its connection rolls everything back and
   * leaves it nothing to write to; its neighbours, which did nothing wrong, go first in the next batch.
   */
  function startAfresh(done: Unit[]): void {
    done.pop()?.reject(new UnitCutOff())
    queue.unshift(...done)
    writer.connection.close()
    writer = openWriter(file)
    lastVersion = dataVersion(writer.connection)
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
      while (isFlushing) await new Promise((resolve) => setImmediate(resolve))
      reader.connection.close()
      writer.connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      writer.connection.close()
    },
  }
}

function openWriter(file: string) {
  const connection = new Connection(file, { create: true, strict: true })
  connection.exec(`
    PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = ${CACHE_KIB};
  `)
  return {
    connection,
    tx: asPostgres<Transaction>(connection),
    begin: connection.prepare('BEGIN IMMEDIATE'),
    commit: connection.prepare('COMMIT'),
    savepoint: connection.prepare('SAVEPOINT unit'),
    release: connection.prepare('RELEASE unit'),
    rollbackTo: connection.prepare('ROLLBACK TO unit'),
  }
}

function openReader(file: string) {
  const connection = new Connection(file, { readonly: true, strict: true })
  connection.exec(`
    PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = ${CACHE_KIB};
  `)
  return { connection, read: asPostgres<Reader>(connection) }
}

/** Tables are typed as PostgreSQL (columns.ts), so the connection that runs them is too. */
function asPostgres<T>(connection: Connection): T {
  return drizzle(connection, { casing: 'snake_case' }) as unknown as T
}

/** Queries on bun:sqlite settle in the present turn of the event loop; whatever is still open after it is not a query. */
async function withinTurn<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setImmediate> | undefined
  const cutOff = new Promise<never>((_, reject) => {
    timer = setImmediate(() => reject(new UnitCutOff()))
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

function isStorageFault(reason: unknown): boolean {
  const cause = reason instanceof Error && reason.cause instanceof SQLiteError ? reason.cause : reason
  return (
    cause instanceof SQLiteError && /SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY|NOMEM)/.test(cause.code ?? '')
  )
}

function storageRefusal(cause: unknown): unknown {
  return isStorageFault(cause) ? new StorageError('The disk refused the change.', { cause }) : cause
}

function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
