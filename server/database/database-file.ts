import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../errors.ts'
import { SECRET_FILE } from '../machine/data-folder.ts'

const OWNER_ONLY = 0o600
/** The first bytes of every SQLite file (https://sqlite.org/fileformat.html). */
const SQLITE_HEADER = 'SQLite format 3\0'

/**
 * Creates the database file in a new data folder. Throws `StartError` for a file that can't be Bellhop's: one that isn't
 * writable, isn't a database, or is missing or empty where an installation was.
 */
export function requireDatabaseFile(file: string): void {
  requireWholeRestore(dirname(file))
  // Checked before the file itself: another program that is starting now creates the database first.
  const remains = remainsBeside(file)
  const size = existsSync(file) ? statSync(file).size : undefined
  if (size === undefined || size === 0) requireNewFolder(file, size === 0, remains)
  // SQLite gives the write-ahead log the same permissions.
  if (size === undefined) closeSync(openSync(file, 'a', OWNER_ONLY))
  else if (size > 0 && headerOf(file) !== SQLITE_HEADER) throw notBellhops(file)
}

/** The error for a file of another program. */
export function notBellhops(file: string): StartError {
  return new StartError(
    `${file} isn't a Bellhop database. Restore it from your backup, or choose another folder with BELLHOP_DATA.`,
  )
}

/** The folder with what a restore has written so far. Everything else beside it belongs to the same restore. */
export const UNFINISHED_RESTORE = 'restore.partial'

function requireWholeRestore(folder: string): void {
  if (!existsSync(join(folder, UNFINISHED_RESTORE))) return
  throw new StartError(`A restore into ${folder} didn't finish. Run bellhop restore again.`)
}

interface Remains {
  hasLog: boolean
  hasKey: boolean
}

function remainsBeside(file: string): Remains {
  return {
    hasLog: (statSync(logOf(file), { throwIfNoEntry: false })?.size ?? 0) > 0,
    hasKey: existsSync(join(dirname(file), SECRET_FILE)),
  }
}

function logOf(file: string): string {
  return `${file}-wal`
}

/** The key is stored after the database, so an empty file beside it says that there was one. */
function requireNewFolder(file: string, isEmpty: boolean, { hasLog, hasKey }: Remains): void {
  if (!hasLog && !(isEmpty && hasKey)) return
  throw new StartError(
    `${file} is ${isEmpty ? 'empty' : 'missing'}, but there is ${hasLog ? logOf(file) : SECRET_FILE} beside it. Restore the whole data folder from your backup, or start with an empty folder.`,
  )
}

function headerOf(file: string): string {
  const handle = openForWriting(file)
  try {
    const header = Buffer.alloc(SQLITE_HEADER.length)
    readSync(handle, header, 0, header.length, 0)
    return header.toString('latin1')
  } finally {
    closeSync(handle)
  }
}

/** Permissions alone aren't enough: the disk may be mounted read-only. */
function openForWriting(file: string): number {
  try {
    return openSync(file, 'r+')
  } catch (cause) {
    throw new StartError(`${file} isn't writable by this user. Change its owner, its mode, or its disk.`, {
      cause,
    })
  }
}
