import { Database, type SQLQueryBindings } from 'bun:sqlite'

/** What the thread is asked: first the file of the database, then queries. */
export type ReaderRequest = { file: string } | { id: number; sql: string; params: SQLQueryBindings[] }
export type ReaderResponse =
  | { id: number; rows: unknown[][] }
  | { id: number; error: { message: string; code: string | undefined } }

const BUSY_TIMEOUT_MS = 5_000
/** Negative values are KiB. */
const CACHE_KIB = -8_192

let connection: Database | undefined

/** The thread of background-reader.ts. It imports nothing but SQLite, so that it starts fast and stays small. */
addEventListener('message', ({ data }: MessageEvent<ReaderRequest>) => {
  if ('file' in data) {
    connection = new Database(data.file, { readonly: true, strict: true })
    connection.exec(
      `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA temp_store = MEMORY; PRAGMA cache_size = ${CACHE_KIB}`,
    )
  } else postMessage(answer(data.id, data.sql, data.params))
})

function answer(id: number, sql: string, params: SQLQueryBindings[]): ReaderResponse {
  try {
    return { id, rows: connection?.query(sql).values(...params) ?? [] }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    return { id, error: { message, code } }
  }
}
