import { Database as Connection, SQLiteError } from 'bun:sqlite'
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireDataFolder } from '../data-folder.ts'
import { StartError } from '../errors.ts'

/**
 * Held by an open transaction, so that the operating system lets go of it however the process ends. No process may
 * open this file otherwise: closing any other handle of it would drop the lock (POSIX file locks). Who holds it
 * therefore stands in a file of its own.
 */
const LOCK_FILE = 'server.lock'
const HOLDER_FILE = 'server.json'

export interface FolderLock {
  /** Lets others know where the server is. */
  announce(url: string): void
  release(): void
}

/** A connection that nothing refers to is closed by the garbage collector, and the lock would be gone. */
const held = new Set<Connection>()

/** One server for each data folder. Throws `StartError` that says who holds it. `now` is in milliseconds since 1970. */
export function lockDataFolder(folder: string, now: number): FolderLock {
  requireDataFolder(folder)
  const connection = takeLock(folder)
  held.add(connection)
  const holder = { pid: process.pid, since: new Date(now).toISOString() }
  writeHolder(folder, holder)
  return {
    announce: (url) => writeHolder(folder, { ...holder, url }),
    release() {
      if (!held.delete(connection)) return
      rmSync(join(folder, HOLDER_FILE), { force: true })
      connection.close()
    },
  }
}

/** Where the server of this folder said it is; one that was killed may be gone. Nothing when none runs. */
export function announcedUrl(folder: string): string | undefined {
  return readHolder(folder).url
}

function takeLock(folder: string): Connection {
  const file = join(folder, LOCK_FILE)
  // Whoever may read it could hold it. A file that is there is left alone: this process itself may hold it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const connection = new Connection(file, { create: true })
  try {
    // Nothing is ever written, so no journal need lie about.
    connection.run('PRAGMA journal_mode = MEMORY')
    connection.run('BEGIN EXCLUSIVE')
    return connection
  } catch (error) {
    connection.close()
    if (error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY')) throw taken(folder)
    throw error
  }
}

function taken(folder: string): StartError {
  const { pid, url, since } = readHolder(folder)
  const facts = [pid && `process ${pid}`, url && `at ${url}`, since && `since ${since}`].filter(Boolean)
  const who = facts.length > 0 ? ` (${facts.join(', ')})` : ''
  return new StartError(`Another Bellhop server${who} is using the data folder ${folder}. Stop it first.`)
}

interface Holder {
  pid?: number
  url?: string
  since?: string
}

/** In one step, so that nobody reads half of it. */
function writeHolder(folder: string, holder: Holder): void {
  const draft = join(folder, `${HOLDER_FILE}.${process.pid}`)
  writeFileSync(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 })
  renameSync(draft, join(folder, HOLDER_FILE))
}

function readHolder(folder: string): Holder {
  try {
    return JSON.parse(readFileSync(join(folder, HOLDER_FILE), 'utf8'))
  } catch {
    return {}
  }
}
