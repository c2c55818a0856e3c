import { drizzle } from 'drizzle-orm/sqlite-proxy'
import { type Reader, StorageError } from './database.ts'
import type { ReaderRequest, ReaderResponse } from './reader-worker.ts'
import { refuseInsideUnit } from './unit.ts'

/** A Worker without work is ended after this time, which frees its memory. */
const MAX_IDLE_MS = 60_000
/** In the compiled program, the path of the entry point named in the build command. */
const WORKER = Bun.isStandaloneExecutable
  ? './database/reader-worker.ts'
  : new URL('./reader-worker.ts', import.meta.url).href

type Task = ReaderRequest extends infer Request
  ? Request extends { id: number }
    ? Omit<Request, 'id'>
    : never
  : never

interface DatabaseThread {
  /** Does one task after the other. Rejects with the code of SQLite, or when the thread ends. */
  run(task: Task): Promise<unknown[][]>
  /** Tasks that are running or waiting are rejected. */
  close(): void
}

interface Waiting {
  resolve: (rows: unknown[][]) => void
  reject: (reason: Error) => void
}

/** Work with a SQLite file in a Worker, which starts with the first task. A task takes about 0.1 ms longer there. */
export function openDatabaseThread(file: string): DatabaseThread {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let idle: ReturnType<typeof setTimeout> | undefined
  let lastId = 0
  let isClosed = false

  function run(task: Task): Promise<unknown[][]> {
    if (isClosed) return Promise.reject(new StorageError('The database is closed.'))
    clearTimeout(idle)
    worker ??= startWorker()
    lastId += 1
    const id = lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown[][]>()
    waiting.set(id, { resolve, reject })
    tell(worker, { ...task, id })
    return promise
  }

  function startWorker(): Worker {
    const started = new Worker(WORKER, { ref: false })
    started.onmessage = ({ data }: MessageEvent<ReaderResponse>) => settle(data)
    started.onerror = ({ message }) => fail(started, message)
    started.addEventListener('close', () => fail(started, 'The thread ended.'))
    tell(started, { file })
    return started
  }

  function settle(response: ReaderResponse): void {
    const one = waiting.get(response.id)
    waiting.delete(response.id)
    if ('rows' in response) one?.resolve(response.rows)
    else {
      const { message, code } = response.error
      one?.reject(Object.assign(new Error(message), { code }))
    }
    if (waiting.size > 0) return
    idle = setTimeout(end, MAX_IDLE_MS)
    idle.unref()
  }

  function fail(failed: Worker, message: string): void {
    if (worker !== failed) return
    worker = undefined
    refuseAll(new Error(`A thread of the database failed: ${message}`))
  }

  function refuseAll(reason: Error): void {
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
  }

  function end(): void {
    clearTimeout(idle)
    const ended = worker
    worker = undefined
    ended?.terminate()
  }

  return {
    run,
    close() {
      isClosed = true
      end()
      refuseAll(new StorageError('The database is closed.'))
    },
  }
}

function tell(worker: Worker, request: ReaderRequest): void {
  worker.postMessage(request)
}

interface BackgroundReader {
  read: Reader
  /** Queries that are running or waiting are rejected. */
  close(): void
}

/**
 * Reads of a SQLite file in a Worker, one after the other. SQLite runs each query to its end, and a full-text query can
 * take long before its first row, whatever its limit. On the main thread it would hold up every request.
 */
export function openBackgroundReader(file: string): BackgroundReader {
  const thread = openDatabaseThread(file)

  async function query(sql: string, params: unknown[]): Promise<{ rows: unknown[][] }> {
    refuseInsideUnit('read')
    const bindings = params as Extract<ReaderRequest, { params: unknown }>['params']
    return { rows: await thread.run({ sql, params: bindings }) }
  }

  return {
    // The second argument is for batches.
    read: drizzle(query, undefined, { casing: 'snake_case' }) as unknown as Reader,
    close: thread.close,
  }
}
