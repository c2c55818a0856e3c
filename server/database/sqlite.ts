import { type Database as Connection, SQLiteError } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { yieldToEventLoop } from '../loop.ts'
import { type Database, isStorageFault, type OnCommit, StorageError, type Transaction } from './database.ts'
import { openBackgroundReader, openDatabaseThread } from './database-thread.ts'
import { openReader, openWriter } from './sqlite-connections.ts'
import { refuseInsideUnit, runAsUnit, UnitFault } from './unit.ts'
import { fileIdentity } from './watch-files.ts'

/** How long a flush takes queued units before it commits. */
const FLUSH_MS = 5
/** How long a flush waits for another process that writes, such as a command, and how often it checks. */
const MAX_WAIT_MS = 5_000
const TRY_EVERY_MS = 5

/**
 * A log with this many pages is moved into the database before the next write, so that it doesn't grow indefinitely.
 */
const MAX_LOG_PAGES = 1_000

interface Queued {
  work: (tx: Transaction) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

/**
 * The embedded engine: one writer connection with a queue, and one read-only connection. Queued units share a commit:
 * `BEGIN IMMEDIATE`, the units in order, one `COMMIT`, and a wait until it is on disk, which doesn't block the event
 * loop. Only then do their promises settle, including rejections. A unit may run twice, but only one run is kept.
 *
 * A commit appends to the log, and `sync` brings the log to the disk (sqlite-connections.ts). Neither callers nor
 * listeners are told about a change before it is on disk. A reader may see it some milliseconds earlier. Before
 * anything is sent because of a row, a row records that it is being sent, and the disk never has the later change
 * without the earlier one.
 *
 * If the sync fails, it is unknown which changes of the batch are kept, and all its callers are told so.
 *
 * SQLite itself still waits for the disk where order matters: the header of a new or restarted log and its folder, the
 * log before a checkpoint, and the database before the log is restarted (`synchronous = NORMAL`).
 */
export function openSqlite(file: string, onCommit: OnCommit): Database {
  const writer = openWriter(file)
  const reader = openReader(file)
  const background = openBackgroundReader(file)
  const checkpoints = openDatabaseThread(file)
  const queue: Queued[] = []
  let isFlushing = false
  let flushStartedAt = 0
  let lockedSince: number | undefined
  let isClosed = false
  let lastVersion = dataVersion(writer.connection)
  const identity = fileIdentity(file)

  async function write<T>(_orgId: string | undefined, work: (tx: Transaction) => Promise<T>): Promise<T> {
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

  /** Runs one batch per turn of the event loop, so that writes don't delay requests and timers. */
  async function flush(): Promise<void> {
    // An open read of the old log would keep SQLite from starting it over.
    reader.refresh()
    await flushBatch()
    await shortenLog()
    if (queue.length === 0) isFlushing = false
    else if (lockedSince === undefined) setImmediate(flush)
    else setTimeout(flush, TRY_EVERY_MS)
  }

  async function flushBatch(): Promise<void> {
    const batch: Queued[] = []
    const written = new Set<string>()
    try {
      const before = changesSoFar()
      const settle =
        (await runBatch(() => nextUnit(batch), written)) ??
        (await runBatch(fromStart(batch), written, true)) ??
        []
      lockedSince = undefined
      if (changesSoFar() !== before) await syncLog()
      for (const each of settle) each()
      if (written.size > 0) onCommit(written)
    } catch (cause) {
      if (writer.connection.inTransaction) writer.connection.exec('ROLLBACK')
      else if (isLocked(cause) && mayWait()) {
        queue.unshift(...batch)
        return
      }
      lockedSince = undefined
      const refused = batch.length > 0 ? batch : queue.splice(0)
      for (const unit of refused) unit.reject(cause instanceof StorageError ? cause : diskRefusal(cause))
    }
  }

  /**
   * Runs in another thread, because it takes 20 ms or more. Writes wait meanwhile: otherwise the log would never be
   * fully moved, and only then can SQLite start it over. After a failure, such as a full disk, it is tried again after
   * the next write.
   */
  async function shortenLog(): Promise<void> {
    if (writer.pagesInLog() < MAX_LOG_PAGES) return
    await checkpoints.run({ checkpoint: file }).catch(() => writer.checkpointNow())
  }

  /** The changes are committed, so it isn't certain that they are lost when this fails. */
  async function syncLog(): Promise<void> {
    try {
      await writer.sync()
    } catch (cause) {
      throw diskRefusal(cause, false)
    }
  }

  /** Waiting inside SQLite would block reads and everything else in the process. */
  function mayWait(): boolean {
    const now = performance.now()
    lockedSince ??= now
    return now - lockedSince < MAX_WAIT_MS
  }

  /** Takes queued units until the flush has lasted its time. */
  function nextUnit(batch: Queued[]): Queued | undefined {
    const isTimeLeft = batch.length === 0 || performance.now() - flushStartedAt < FLUSH_MS
    const unit = isTimeLeft ? queue.shift() : undefined
    if (unit) batch.push(unit)
    return unit
  }

  /**
   * Runs units in one transaction and returns how to settle them. Nearly every unit succeeds or fails before it changes
   * a row, so the first run uses no savepoints, which copy every page that a unit touches. When a unit fails after a
   * change, nothing is kept, and undefined asks for a second run with a savepoint per unit.
   */
  async function runBatch(next: () => Queued | undefined, written: Set<string>, hasSavepoints = false) {
    const settle: (() => void)[] = []
    writer.begin.run()
    flushStartedAt = performance.now()
    using turn = guardTurn()
    for (let unit = next(); unit; unit = next()) {
      const changes = changesSoFar()
      if (hasSavepoints) writer.savepoint.run()
      const outcome = await runQueued(unit, turn, written)
      settle.push(outcome.settle)
      // A full disk can end the whole transaction, not only this unit.
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
    // SQLite would commit to the deleted file, where the data would be lost.
    if (fileIdentity(file) !== identity) throw new StorageError('The database file was deleted.')
    writer.commit.run()
    reader.refresh()
    return settle
  }

  async function runQueued(unit: Queued, turn: TurnGuard, written: Set<string>) {
    try {
      const value = await runAsUnit(() => turn.run(() => unit.work(writer.tx)), written)
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
    background: background.read,
    write,
    refresh: reader.refresh,
    async hasExternalCommits() {
      const version = dataVersion(writer.connection)
      const isChanged = version !== lastVersion
      if (isChanged) reader.refresh()
      lastVersion = version
      return isChanged
    },
    async emptyLog() {
      // Between two flushes, because it isn't allowed inside one.
      while (writer.connection.inTransaction) await yieldToEventLoop()
      reader.refresh()
      return writer.emptyLog()
    },
    async size() {
      return { database: fileSize(file), wal: fileSize(`${file}-wal`) }
    },
    async close() {
      isClosed = true
      while (isFlushing) await yieldToEventLoop()
      background.close()
      checkpoints.close()
      reader.close()
      writer.checkpoint()
      writer.close()
    },
  }
}

/** Runs the same units again. */
function fromStart(batch: Queued[]): () => Queued | undefined {
  let place = 0
  return () => {
    const unit = batch[place]
    place += 1
    return unit
  }
}

interface TurnGuard extends Disposable {
  run<T>(work: () => Promise<T>): Promise<T>
}

/**
 * One guard per batch, because each costs a timer. Queries on bun:sqlite settle in the current turn of the event loop.
 * If a unit is still pending after it, it awaits something other than a query, and is cut off.
 */
function guardTurn(): TurnGuard {
  let cutOff = (_: UnitFault) => {}
  const endTurn = () => {
    timer = setImmediate(endTurn)
    cutOff(new UnitFault('A unit of work awaited something other than its own queries.'))
  }
  let timer = setImmediate(endTurn)
  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        cutOff = reject
        work().then(resolve, reject)
      }),
    [Symbol.dispose]: () => clearImmediate(timer),
  }
}

function dataVersion(connection: Connection): number {
  return connection.query<{ data_version: number }, []>('PRAGMA data_version').get()?.data_version ?? 0
}

/** Whether another process holds the write lock. `BEGIN IMMEDIATE` has then changed nothing. */
function isLocked(cause: unknown): boolean {
  return cause instanceof SQLiteError && cause.code === 'SQLITE_BUSY'
}

function diskRefusal(cause: unknown, isCertain = true): StorageError {
  return new StorageError("The change couldn't be written to disk.", { cause, isCertain })
}

function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
