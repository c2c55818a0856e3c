import { type Database as Connection, SQLiteError } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { yieldToEventLoop } from '../../loop.ts'
import {
  type BatchTransaction,
  fromStart,
  organizationsOf,
  type QueuedUnit,
  queuedUnit,
  runBatch,
  takeFrom,
} from '../batch.ts'
import { type Database, isStorageFault, type OnCommit, StorageError } from '../database.ts'
import { openBackgroundReader, openDatabaseThread } from '../database-thread.ts'
import { refuseInsideUnit, UnitFault } from '../unit.ts'
import { fileIdentity } from '../watch-files.ts'
import { openReader, openWriter } from './sqlite-connections.ts'

/** How long a flush takes queued units before it commits. */
const FLUSH_MS = 5
/** How long a flush waits for another process that writes, such as a command, and how often it checks. */
const MAX_WAIT_MS = 5_000
const TRY_EVERY_MS = 5

/**
 * A log with this many pages is moved into the database before the next write, so that it doesn't grow indefinitely.
 */
const MAX_LOG_PAGES = 1_000
/** A long read, such as a backup, keeps pages in the log. Until it has grown as much again, they are tried this often. */
const TRY_HELD_PAGES_EVERY_MS = 1_000

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
  const queue: QueuedUnit[] = []
  let isFlushing = false
  let flushStartedAt = 0
  let lockedSince: number | undefined
  /** Of the last batch. The next one is committed meanwhile, so that neither the disk nor the processor waits. */
  let syncing = Promise.resolve()
  let isClosed = false
  /** Pages that a read kept in the log when it was last to be moved. */
  let heldPages = 0
  let movedAt = 0
  const transaction: BatchTransaction = {
    tx: writer.tx,
    isRemote: false,
    savepoint: () => writer.savepoint.run(),
    release: () => writer.release.run(),
    rollbackTo: () => writer.rollbackTo.run(),
    mark() {
      const before = changesSoFar()
      return () => changesSoFar() === before
    },
    // A full disk can end the whole transaction, not only a unit.
    isOver: () => !writer.connection.inTransaction,
    refusal: (reason) => (isStorageFault(reason) ? diskRefusal(reason) : reason),
  }
  let lastVersion = dataVersion(writer.connection)
  const identity = fileIdentity(file)

  const write: Database['write'] = async (orgId, work, first) => {
    refuseInsideUnit('write')
    if (isClosed) throw new StorageError('The database is closed.')
    return new Promise((resolve, reject) => {
      queue.push(queuedUnit({ orgId, work, first, resolve, reject }))
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
    const committed = await commitBatch()
    await syncing
    if (committed) syncing = syncBatch(committed)
    await shortenLog()
    if (queue.length === 0) isFlushing = false
    else if (lockedSince === undefined) setImmediate(flush)
    else setTimeout(flush, TRY_EVERY_MS)
  }

  async function commitBatch(): Promise<CommittedBatch | undefined> {
    const units: QueuedUnit[] = []
    const written = new Set<string>()
    const isFull = () => performance.now() - flushStartedAt >= FLUSH_MS
    try {
      const before = changesSoFar()
      const settle =
        (await transact((on) => runBatch(on, takeFrom(queue, units, isFull), written))) ??
        (await transact((on) => runBatch(on, fromStart(units), written, true))) ??
        []
      lockedSince = undefined
      return { units, settle, written, isChanged: changesSoFar() !== before }
    } catch (cause) {
      if (isLocked(cause) && mayWait()) {
        queue.unshift(...units)
        return undefined
      }
      lockedSince = undefined
      const refused = units.length > 0 ? units : queue.splice(0)
      for (const unit of refused) unit.reject(cause instanceof StorageError ? cause : diskRefusal(cause))
      return undefined
    }
  }

  /** The changes are committed, so it isn't certain that they are lost when this fails. */
  async function syncBatch({ units, settle, written, isChanged }: CommittedBatch): Promise<void> {
    try {
      if (isChanged) await writer.sync()
    } catch (cause) {
      for (const unit of units) unit.reject(diskRefusal(cause, false))
      return
    }
    for (const each of settle) each()
    if (written.size > 0) onCommit(written, organizationsOf(units))
  }

  /**
   * Runs in another thread, because it takes 20 ms or more. Writes wait meanwhile: otherwise the log would never be
   * fully moved, and only then can SQLite start it over. After a failure, such as a full disk, it is tried again after
   * the next write.
   */
  async function shortenLog(): Promise<void> {
    const pages = writer.pagesInLog()
    if (pages < MAX_LOG_PAGES) return
    const isHeld = pages < heldPages + MAX_LOG_PAGES
    if (isHeld && performance.now() - movedAt < TRY_HELD_PAGES_EVERY_MS) return
    try {
      await checkpoints.run({ checkpoint: file })
      heldPages = writer.pagesInLog()
      movedAt = performance.now()
    } catch {
      heldPages = 0
      writer.checkpointNow()
    }
  }

  /** Waiting inside SQLite would block reads and everything else in the process. */
  function mayWait(): boolean {
    const now = performance.now()
    lockedSince ??= now
    return now - lockedSince < MAX_WAIT_MS
  }

  /** Commits what `run` changes, unless it returns undefined. */
  async function transact(
    run: (on: BatchTransaction) => Promise<(() => void)[] | undefined>,
  ): Promise<(() => void)[] | undefined> {
    try {
      writer.begin.run()
      flushStartedAt = performance.now()
      using turn = guardTurn()
      const settle = await run({ ...transaction, guard: turn.run })
      if (settle) {
        // SQLite would commit to the deleted file, where the data would be lost.
        if (fileIdentity(file) !== identity) throw new StorageError('The database file was deleted.')
        writer.commit.run()
        reader.refresh()
      }
      return settle
    } finally {
      if (writer.connection.inTransaction) writer.connection.exec('ROLLBACK')
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
      await syncing
      background.close()
      checkpoints.close()
      reader.close()
      writer.checkpoint()
      writer.close()
    },
  }
}

/** Its callers are told when it is on disk. */
interface CommittedBatch {
  units: QueuedUnit[]
  settle: (() => void)[]
  written: Set<string>
  isChanged: boolean
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
