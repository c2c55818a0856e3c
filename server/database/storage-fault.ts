import { StorageError } from './database.ts'

/** Serialization failure and deadlock (PostgreSQL manual, appendix A). The unit is correct and runs again. */
const RETRYABLE = new Set(['40001', '40P01'])
/** Disk full, out of memory, too many connections, shutting down, not accepting connections, connection lost. */
const POSTGRES_FAULT = /^(53|55000|57P|58|08)/
const SQLITE_FAULT = /^SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY|NOMEM|CORRUPT|NOTADB|PERM|PROTOCOL)/
/** Bun's codes for no server or a lost connection. */
const CONNECTION_LOST = /^(08|ERR_POSTGRES_CONNECTION_)/
const STORAGE_CODE = /^([0-9A-Z]{5}$|SQLITE_|ERR_POSTGRES_CONNECTION_)/

/** Whether the disk or the database server failed, not the query. Looks through the causes that Drizzle adds. */
export function isStorageFault(reason: unknown): boolean {
  if (reason instanceof StorageError) return true
  const code = storageCode(reason)
  return SQLITE_FAULT.test(code) || POSTGRES_FAULT.test(code) || CONNECTION_LOST.test(code)
}

/** Whether the connection was lost, so that it is unknown whether the change was stored. */
export function isConnectionLost(reason: unknown): boolean {
  return CONNECTION_LOST.test(storageCode(reason))
}

export function isRetryable(reason: unknown): boolean {
  return RETRYABLE.has(storageCode(reason))
}

/** The SQLSTATE, SQLite's error name, or Bun's code; empty when there is none. */
export function storageCode(reason: unknown): string {
  for (let at = reason; at instanceof Error; at = at.cause) {
    if ('errno' in at && typeof at.errno === 'string') return at.errno
    if ('code' in at && typeof at.code === 'string' && STORAGE_CODE.test(at.code)) return at.code
  }
  return ''
}
