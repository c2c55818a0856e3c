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
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { MIN_SECRET_LENGTH } from './encryption.ts'
import { StartError } from './errors.ts'

const SECRET_FILE = 'secret.key'

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
 * Reads the secret that encrypts secrets at rest, and creates it on first use, readable only by its owner. The file is
 * synced and linked into place, so that it is complete before anything is encrypted and concurrent processes agree on
 * it. Throws `StartError` when the file is too short to be a key.
 */
export function readSecretKey(folder: string): string {
  const file = join(folder, SECRET_FILE)
  if (!existsSync(file)) createSecretKey(folder, file)
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length >= MIN_SECRET_LENGTH) return secret
  throw new StartError(
    `${file} is empty or truncated. Restore it from your backup: without it, stored secrets can't be decrypted.`,
  )
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
