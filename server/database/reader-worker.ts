import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { getPriority, setPriority } from 'node:os'

/** Messages to the thread: first the file of the database, then queries. A separate thread makes checkpoints only. */
export type ReaderRequest =
  | { file: string }
  | { id: number; sql: string; params: SQLQueryBindings[] }
  | { id: number; checkpoint: string }
export type ReaderResponse =
  | { id: number; rows: unknown[][] }
  | { id: number; error: { message: string; code: string | undefined } }

const BUSY_TIMEOUT_MS = 5_000
/** Negative values are KiB. */
const CACHE_KIB = -8_192
/** The priority of queries. The thread that responds to requests comes first. */
const NICE = 5

let connection: Database | undefined
let hasYielded = false

/** The thread of database-thread.ts. It imports little besides SQLite, so that it starts fast and stays small. */
addEventListener('message', ({ data }: MessageEvent<ReaderRequest>) => {
  if ('file' in data) {
    connection = new Database(data.file, { readonly: true, strict: true })
    connection.exec(
      `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA temp_store = MEMORY; PRAGMA cache_size = ${CACHE_KIB}`,
    )
  } else if ('checkpoint' in data) postMessage(answer(data.id, () => checkpoint(data.checkpoint)))
  else {
    yieldProcessor()
    postMessage(answer(data.id, () => connection?.query(data.sql).values(...data.params) ?? []))
  }
})

/** Moves the log into the database, as far as readers let it. The writer waits meanwhile (sqlite.ts). */
function checkpoint(file: string): unknown[][] {
  using writable = new Database(file, { readwrite: true, strict: true })
  writable.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA synchronous = NORMAL`)
  return writable.query('PRAGMA wal_checkpoint(PASSIVE)').values()
}

/** On Linux, this sets the priority of the calling thread; elsewhere, that of the whole process. */
function yieldProcessor(): void {
  if (hasYielded) return
  hasYielded = true
  if (process.platform === 'linux') setPriority(Math.max(NICE, getPriority()))
}

function answer(id: number, work: () => unknown[][]): ReaderResponse {
  try {
    return { id, rows: work() }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    return { id, error: { message, code } }
  }
}
