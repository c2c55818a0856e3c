import { randomBytes } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  statfsSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { MIN_SECRET_LENGTH } from '../encryption.ts'
import { StartError } from '../errors.ts'

/** The key that encrypts secrets at rest. */
export const SECRET_FILE = 'secret.key'
const FULL_DISK = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL']
/** SQLite reports a full disk like this when it has no room for the files beside the database. */
const IO_ERROR = /^SQLITE_IOERR/
/** What those files need. */
const LITTLE_BYTES = 64 * 1024

/** Creates the data folder, accessible only to its owner. Throws `StartError` when it isn't writable. */
export function requireDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new StartError(
      `BELLHOP_DATA is "${folder}". It must be a folder that this user can create or write to.`,
      { cause },
    )
  }
}

/**
 * Reads the secret that encrypts secrets at rest. Only a new installation (`isNew`) gets one, readable only by its owner.
 * The file is synced and linked into place, so that it is complete before anything is encrypted and concurrent processes
 * agree on it. Throws `StartError` when the file is missing or too short to be a key.
 */
export function readSecretKey(folder: string, isNew: boolean): string {
  const file = join(folder, SECRET_FILE)
  if (!existsSync(file) && isNew) createSecretKey(folder, file)
  const secret = existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
  if (secret !== undefined && secret.length >= MIN_SECRET_LENGTH) return secret
  const fault = secret === undefined ? 'missing' : 'empty or truncated'
  throw new StartError(
    `${file} is ${fault}. Restore it from your backup, or set BELLHOP_SECRET to its content: without it, stored secrets can't be decrypted.`,
  )
}

/** Runs a step of the start. Throws `StartError` with the folder when the disk is full. */
export async function namingFullDisk<T>(folder: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    const isFull = isFullDisk(cause) || (IO_ERROR.test(codeOf(cause)) && isAlmostFull(folder))
    if (!isFull) throw cause
    throw new StartError(
      `The disk of the data folder ${folder} is full. Free some space, then start again.`,
      {
        cause,
      },
    )
  }
}

/** Whether a file could not be written because the disk is full. */
export function isFullDisk(cause: unknown): boolean {
  return FULL_DISK.includes(codeOf(cause))
}

function isAlmostFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < LITTLE_BYTES
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

function createSecretKey(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!existsSync(file)) throw error
  } finally {
    unlinkSync(draft)
  }
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

/** The node of a cluster that used this data folder last. */
const NODE_FILE = 'node.id'

/** Names the node of this start. `before`: that of the last one, whose process has ended, because the folder is locked. */
export function renewNodeId(folder: string): { id: string; before: string } {
  const file = join(folder, NODE_FILE)
  const before = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  const id = randomBytes(8).toString('hex')
  writeFileSync(file, `${id}\n`, { mode: 0o600 })
  return { id, before }
}
