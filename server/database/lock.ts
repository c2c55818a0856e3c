import { Database as Connection, SQLiteError } from 'bun:sqlite'
import {
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../errors.ts'
import { isFullDisk, requireDataFolder } from '../machine/data-folder.ts'
import type { RecordedSettings } from '../machine/recorded-settings.ts'

/**
 * An open transaction holds this lock, so the operating system releases it however the process ends. Nothing else may
 * open the file: with POSIX file locks, closing another handle would release the lock. The holder's details are
 * therefore in a separate file.
 */
const LOCK_FILE = 'server.lock'
const HOLDER_FILE = 'server.json'
/** Held while a backup of the folder is being made. */
const BACKUP_LOCK_FILE = 'backup.lock'
/** The files that locks leave in a folder. */
export const LOCK_FILES = [LOCK_FILE, HOLDER_FILE, BACKUP_LOCK_FILE]

interface FolderLock {
  /** While it is missing, another server could start on the same data. */
  file: string
  /** Publishes facts about the server for commands, in addition to those published before. */
  announce(facts: Announced): void
  release(): void
}

/** Keeps a reference, because the garbage collector would close the connection and release the lock. */
const held = new Set<Connection>()

/** Allows one server per data folder. Throws `StartError` with the current holder. `now` is in milliseconds since 1970. */
export function lockDataFolder(folder: string, now: number): FolderLock {
  requireDataFolder(folder)
  const connection = takeLock(join(folder, LOCK_FILE), () => taken(folder))
  held.add(connection)
  let holder: Holder = { pid: process.pid, since: new Date(now).toISOString() }
  function release(): void {
    if (!held.delete(connection)) return
    rmSync(join(folder, HOLDER_FILE), { force: true })
    connection.close()
  }
  try {
    writeHolder(folder, holder)
  } catch (error) {
    release()
    throw error
  }
  return {
    file: join(folder, LOCK_FILE),
    announce(facts) {
      holder = { ...holder, ...facts }
      if (!held.has(connection)) return
      try {
        writeHolder(folder, holder)
      } catch (cause) {
        // On a full disk, the server still runs. Commands then know what it published before.
        if (!isFullDisk(cause)) throw cause
      }
    },
    release,
  }
}

/** Allows one backup of a data folder at a time. Returns how to release the lock. Throws `StartError` when it is taken. */
export function lockBackups(folder: string): () => void {
  const connection = takeLock(join(folder, BACKUP_LOCK_FILE), () => {
    return new StartError(`Another backup of ${folder} is being made. Wait until it has ended.`)
  })
  held.add(connection)
  return () => {
    if (held.delete(connection)) connection.close()
  }
}

/** The URL that this folder's server published, or undefined. A killed server may have left it. */
export function announcedUrl(folder: string): string | undefined {
  return readHolder(folder).url
}

/** What another process published that holds the folder, if it still runs. */
export function holderOf(folder: string): (Announced & { pid: number }) | undefined {
  const { pid, ...holder } = readHolder(folder)
  return pid !== undefined && pid !== process.pid && isRunning(pid) ? { ...holder, pid } : undefined
}

/** A process of another user counts as running, too. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM'
  }
}

function takeLock(file: string, taken: () => StartError): Connection {
  // An existing file isn't touched: this process may hold it.
  if (!existsSync(file)) createLockFile(file)
  const connection = new Connection(file, { create: true })
  try {
    // Nothing is ever written, so no journal file is needed.
    connection.run('PRAGMA journal_mode = MEMORY')
    connection.run('BEGIN EXCLUSIVE')
    return connection
  } catch (error) {
    connection.close()
    if (error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY')) throw taken()
    throw error
  }
}

/** Readable only by its owner, because any reader could hold the lock. Root leaves it to the owner of the folder. */
function createLockFile(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
  const { uid, gid } = statSync(dirname(file))
  if (process.geteuid?.() === 0) chownSync(file, uid, gid)
}

function taken(folder: string): StartError {
  const { pid, url, since } = readHolder(folder)
  const facts = [pid && `process ${pid}`, url && `at ${url}`, since && `since ${since}`].filter(Boolean)
  const who = facts.length > 0 ? ` (${facts.join(', ')})` : ''
  return new StartError(`Another Bellhop server${who} is using the data folder ${folder}. Stop it first.`)
}

interface Announced {
  url?: string
  settings?: RecordedSettings
  /** The address of a proxy that isn't trusted. */
  untrustedProxy?: string
}

interface Holder extends Announced {
  pid?: number
  since?: string
}

/** Replaces the file atomically, so that no one reads half of it. */
function writeHolder(folder: string, holder: Holder): void {
  const draft = join(folder, `${HOLDER_FILE}.${process.pid}`)
  try {
    writeFileSync(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 })
    renameSync(draft, join(folder, HOLDER_FILE))
  } catch (cause) {
    rmSync(draft, { force: true })
    throw cause
  }
}

function readHolder(folder: string): Holder {
  try {
    return JSON.parse(readFileSync(join(folder, HOLDER_FILE), 'utf8'))
  } catch {
    return {}
  }
}
