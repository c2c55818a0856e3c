import { closeSync, fsync, openSync, type Stats, unlinkSync } from 'node:fs'
import { type FileHandle, link, open, readdir, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { AppError } from '../errors.ts'
import { yieldToEventLoop } from '../loop.ts'

/** Bytes at the start of a file that tell its type and, for most images, its dimensions. */
export const HEAD_BYTES = 64 * 1024
const sync = promisify(fsync)
const NO_SPACE = ['ENOSPC', 'EDQUOT']

/** Writes all of the bytes: one write can end early, before it fails. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.byteLength; ) {
    written += (await handle.write(bytes, written, bytes.byteLength - written)).bytesWritten
  }
}

/** Without this, a power cut could undo the rename. */
export async function syncFolder(path: string): Promise<void> {
  // A folder that was just used opens at once; in another thread it would take longer than the sync.
  const folder = openSync(path, 'r')
  try {
    await sync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Syncs a file and reads its start. */
export async function readHead(path: string): Promise<{ size: number; head: Uint8Array }> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
    const { size } = await handle.stat()
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return { size, head: buffer.subarray(0, bytesRead) }
  } finally {
    await handle.close()
  }
}

/** The SHA-256 of a file in hexadecimal. */
export async function hashOf(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(path).stream()) {
    hasher.update(chunk)
    // Cached data is read without a pause, so let other work run.
    await yieldToEventLoop()
  }
  return hasher.digest('hex')
}

/** What the file system knows of a file; undefined when it isn't there. */
export function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(nothingThere)
}

/** The names in a folder, none when it isn't there. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(nothingThere)) ?? []
}

/** Gives a file a second path. Returns false when it isn't there. */
export async function linkIfThere(path: string, other: string): Promise<boolean> {
  const linked = await link(path, other).then(() => 'linked' as const, nothingThere)
  return linked !== undefined
}

/** Synchronous: the caller has just checked that nothing refers to the file. */
export function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    nothingThere(error)
  }
}

function nothingThere(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** Turns a failure of the disk into an error for the caller of a request. */
export async function asStorage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw NO_SPACE.includes(String(codeOf(cause))) ? noSpace() : new StoreError(cause)
  }
}

class StoreError extends AppError {
  override name = 'StoreError'
  constructor(override readonly cause: unknown) {
    const detail = 'The file couldn’t be saved, because the server’s disk failed. Nothing changed. Try again.'
    super(503, 'storage_unavailable', detail, { headers: { 'retry-after': '5' } })
  }
}

function noSpace(): AppError {
  const detail = 'The file couldn’t be saved, because the server’s disk is full. Nothing changed.'
  return new AppError(507, 'disk_full', detail)
}
