import { type Database as Connection, SQLiteError } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { yieldToEventLoop } from '../loop.ts'
import { type Database, StorageError, type Transaction } from './database.ts'
import { openReader, openWriter } from './sqlite-connections.ts'
import { isStorageFault } from './storage-fault.ts'
import { refuseInsideUnit, runAsUnit, UnitFault } from './unit.ts'

/** How long one flush keeps taking queued units before it commits. */
const FLUSH_MS = 5
/** How long a flush waits while another process (a command) is writing, and how often it looks. */
const LONGEST_WAIT_MS = 5_000
const TRY_EVERY_MS = 5

interface Queued {
  work: (tx: Transaction) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

/**
 * The embedded engine: one writer connection with a queue, one read-only connection.
 * Queued units share a commit: `BEGIN IMMEDIATE`, one after the other, one `COMMIT` that is on disk when it returns;
 * only then are the promises settled, refusals too. A unit may be run twice, but only one run is ever kept.
 */
export function openSqlite(file: string, onCommit: () => void): Database {
  const writer = openWriter(file)
  const reader = openReader(file)
  const queue: Queued[] = []
  let isFlushing = false
  let flushStartedAt = 0
  let lockedSince: number | undefined
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
    if (queue.length === 0) isFlushing = false
    else if (lockedSince === undefined) setImmediate(flush)
    else setTimeout(flush, TRY_EVERY_MS)
  }

  async function flushBatch(): Promise<void> {
    const batch: Queued[] = []
    try {
      const settle = (await runBatch(() => nextUnit(batch))) ?? (await runBatch(fromStart(batch), true)) ?? []
      lockedSince = undefined
      for (const each of settle) each()
      onCommit()
    } catch (cause) {
      if (writer.connection.inTransaction) writer.connection.exec('ROLLBACK')
      else if (isLocked(cause) && mayWait()) {
        queue.unshift(...batch)
        return
      }
      lockedSince = undefined
      const refused = batch.length > 0 ? batch : queue.splice(0)
      for (const unit of refused) unit.reject(diskRefusal(cause))
    }
  }

  /** Waiting inside of SQLite would hold up reads and everything else the process does. */
  function mayWait(): boolean {
    const now = performance.now()
    lockedSince ??= now
    return now - lockedSince < LONGEST_WAIT_MS
  }

  /** Takes queued units until the flush has lasted long enough. */
  function nextUnit(batch: Queued[]): Queued | undefined {
    const isTimeLeft = batch.length === 0 || performance.now() - flushStartedAt < FLUSH_MS
    const unit = isTimeLeft ? queue.shift() : undefined
    if (unit) batch.push(unit)
    return unit
  }

  /**
   * Runs units in one transaction and says how to settle them. Nearly every unit succeeds or is refused before it has
   * changed a row, so the first try spends no savepoints, which copy every page a unit touches. When a unit fails
   * behind its changes, nothing is kept, and undefined asks for a second run with a savepoint for each.
   */
  async function runBatch(next: () => Queued | undefined, hasSavepoints = false) {
    const settle: (() => void)[] = []
    writer.begin.run()
    flushStartedAt = performance.now()
    for (let unit = next(); unit; unit = next()) {
      const changes = changesSoFar()
      if (hasSavepoints) writer.savepoint.run()
      const outcome = await runQueued(unit)
      settle.push(outcome.settle)
      // A full disk can end the whole transaction, not only the unit's part of it.
      if (!writer.connection.inTransaction) throw outcome.reason
      if (outcome.isKept || changesSoFar() === changes) {
        if (hasSavepoints) writer.release.run()
      } else if (hasSavepoints) {
        writer.rollbackTo.run()
        writer.release.run()
      } else {
        writer.connection.exec('ROLLBACK')
        return undefined
      }
    }
    writer.commit.run()
    return settle
  }

  async function runQueued(unit: Queued) {
    try {
      const value = await runAsUnit(() => withinTurn(unit.work(writer.tx)))
      return { isKept: true, settle: () => unit.resolve(value) }
    } catch (reason) {
      const refusal = isStorageFault(reason) ? diskRefusal(reason) : reason
      return { isKept: false, reason, settle: () => unit.reject(refusal) }
    }
  }

  function changesSoFar(): number {
    return writer.changes.get()?.changes ?? 0
  }

  return {
    engine: 'sqlite',
    read: reader.read,
    write,
    async hasExternalCommits() {
      const version = dataVersion(writer.connection)
      const isChanged = version !== lastVersion
      lastVersion = version
      return isChanged
    },
    async emptyLog() {
      // Between two flushes: inside of one it would be refused.
      while (writer.connection.inTransaction) await yieldToEventLoop()
      return writer.emptyLog()
    },
    async size() {
      return { database: fileSize(file), wal: fileSize(`${file}-wal`) }
    },
    async close() {
      isClosed = true
      while (isFlushing) await yieldToEventLoop()
      reader.connection.close()
      writer.checkpoint()
      writer.connection.close()
    },
  }
}

/** The same units once more. */
function fromStart(batch: Queued[]): () => Queued | undefined {
  let place = 0
  return () => {
    const unit = batch[place]
    place += 1
    return unit
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

/** Another process holds the write lock: `BEGIN IMMEDIATE` has changed nothing. */
function isLocked(cause: unknown): boolean {
  return cause instanceof SQLiteError && cause.code === 'SQLITE_BUSY'
}

function diskRefusal(cause: unknown): StorageError {
  return new StorageError('The disk refused the change.', { cause })
}

function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
