import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { BunFile } from 'bun'
import { AppError } from '../errors.ts'
import { formatSize } from '../sizes.ts'
import {
  asStorage,
  HEAD_BYTES,
  hashOf,
  linkIfThere,
  namesIn,
  readHead,
  statOf,
  syncFolder,
  unlinkIfThere,
  writeAll,
} from './disk-files.ts'

const HASH = /^[0-9a-f]{64}$/
const CHUNK_BYTES = 1024 * 1024
const MAX_VERIFIED = 10_000

/** Bytes as they arrive, bytes in memory, or the path of a file. */
type Source = AsyncIterable<Uint8Array> | Uint8Array | string

/**
 * A file in the store. Until it is disposed of, the store doesn't delete it: store the row that refers to it before.
 */
export interface KeptFile extends Disposable {
  /** SHA-256 in hexadecimal. */
  hash: string
  /** Bytes. */
  size: number
  /** Its first bytes. */
  head: Uint8Array
  file: BunFile
}

/**
 * The files of attachments and the raw mails: one file for each SHA-256, under `attachments/` in the data folder. A file
 * is complete and on disk before anything can refer to it. Deleting is safe beside a concurrent `put` of the same bytes,
 * in this process.
 */
export interface FileStore {
  /**
   * Stores bytes and syncs them. Throws 413 over `maxBytes`, 507 when the disk is full, 503 when it fails otherwise, and
   * what the source throws. Leaves nothing behind then.
   */
  put(source: Source, options?: { maxBytes?: number }): Promise<KeptFile>
  /** Moves a file whose hash is known, such as one that a worker wrote, into the store. It must be on the same disk. */
  adopt(path: string, hash: string): Promise<KeptFile>
  /**
   * The stored file, or what is wrong with it. All of its bytes are checked when it is opened first, and again when it was
   * written to since.
   */
  open(hash: string): Promise<{ file: BunFile } | { fault: 'missing' | 'changed' }>
  /** Whether there is a file, whatever its bytes are. */
  has(hash: string): Promise<boolean>
  /** Deletes a file unless something refers to it, or it is being stored again. */
  delete(hash: string, isReferenced: () => Promise<boolean>): Promise<void>
  /** Bytes of the disk, and those that are free. */
  space(): Promise<{ free: number; total: number }>
  /** A folder for files to adopt. What stays there for long is deleted. */
  incomingFolder(): Promise<string>
  /** Deletes unfinished files that no one wrote to since `before`, in milliseconds since 1970. */
  deleteUnfinished(before: number): Promise<void>
  /** Hashes of the files that start with two hexadecimal digits and were stored before a time. */
  listStored(digits: string, before: number): Promise<string[]>
}

/** `now` is in milliseconds since 1970. There is one store for each data folder and process. */
export function createFileStore({ dataFolder, now }: { dataFolder: string; now(): number }): FileStore {
  const root = join(dataFolder, 'attachments')
  const incoming = join(root, 'incoming')
  /** How many callers keep each file. */
  const kept = new Map<string, number>()
  /** The deletion that is under way for each hash. Keeping the file takes it out, which cancels it. */
  const deleting = new Map<string, symbol>()
  /** Unfinished files of this process. */
  const unfinished = new Set<string>()
  /** What a file looked like when its bytes had been checked. */
  const verified = new Map<string, string>()

  function put(source: Source, { maxBytes = Number.POSITIVE_INFINITY } = {}): Promise<KeptFile> {
    return withDraft(async (draft) => place(draft, await write(draft, source, maxBytes)))
  }

  /** Calls `work` with the path for an unfinished file, and deletes what it leaves there. */
  async function withDraft(work: (draft: string) => Promise<KeptFile>): Promise<KeptFile> {
    await makeIncoming()
    const draft = join(incoming, crypto.randomUUID())
    unfinished.add(draft)
    try {
      return await work(draft)
    } finally {
      unfinished.delete(draft)
      await rm(draft, { force: true })
    }
  }

  async function makeIncoming(): Promise<void> {
    await asStorage(() => mkdir(incoming, { recursive: true, mode: 0o700 }))
  }

  async function write(draft: string, source: Source, maxBytes: number) {
    const handle = await asStorage(() => open(draft, 'wx', 0o600))
    try {
      const hasher = new Bun.CryptoHasher('sha256')
      const head: Uint8Array[] = []
      let size = 0
      for await (const chunk of chunksOf(source)) {
        if (size < HEAD_BYTES) head.push(chunk.slice(0, HEAD_BYTES - size))
        size += chunk.byteLength
        if (size > maxBytes) throw tooLarge(maxBytes)
        hasher.update(chunk)
        await asStorage(() => writeAll(handle, chunk))
      }
      await asStorage(() => handle.sync())
      return { hash: hasher.digest('hex'), size, head: Buffer.concat(head) }
    } finally {
      await handle.close()
    }
  }

  async function adopt(path: string, hash: string): Promise<KeptFile> {
    return withDraft(async (draft) => {
      // Two mails with the same file have the same path: the first to finish removes it, once the file is in the store.
      if (!(await asStorage(() => linkIfThere(path, draft)))) return keepStored(hash)
      const file = await place(draft, { hash, ...(await asStorage(() => readHead(draft))) })
      await rm(path, { force: true })
      return file
    })
  }

  /** What another caller has adopted meanwhile. Throws when it isn't there. */
  async function keepStored(hash: string): Promise<KeptFile> {
    const release = keep(hash)
    try {
      const path = pathOf(hash)
      return { hash, ...(await readHead(path)), file: Bun.file(path), [Symbol.dispose]: release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** A file with these bytes that is there already is replaced: it may have been damaged. */
  async function place(draft: string, written: { hash: string; size: number; head: Uint8Array }) {
    const { hash } = written
    const path = pathOf(hash)
    const release = keep(hash)
    try {
      await asStorage(async () => {
        await utimes(draft, now() / 1000, now() / 1000)
        const folder = join(root, hash.slice(0, 2))
        const isNew = !existsSync(folder)
        if (isNew) await mkdir(folder, { recursive: true, mode: 0o700 })
        await rename(draft, path)
        await syncFolder(folder)
        if (isNew) await syncFolder(root)
      })
    } catch (error) {
      release()
      throw error
    }
    return { ...written, file: Bun.file(path), [Symbol.dispose]: release }
  }

  function keep(hash: string): () => void {
    deleting.delete(hash)
    kept.set(hash, (kept.get(hash) ?? 0) + 1)
    let isKept = true
    return () => {
      if (!isKept) return
      isKept = false
      const others = (kept.get(hash) ?? 1) - 1
      if (others > 0) kept.set(hash, others)
      else kept.delete(hash)
    }
  }

  function pathOf(hash: string): string {
    if (!HASH.test(hash)) throw new Error(`Not a SHA-256 in hexadecimal: ${hash}`)
    return join(root, hash.slice(0, 2), hash)
  }

  return {
    put,
    adopt,

    async open(hash) {
      const path = pathOf(hash)
      const found = await statOf(path)
      if (!found) return { fault: 'missing' }
      const looks = `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`
      if (verified.get(hash) !== looks) {
        if ((await hashOf(path)) !== hash) return { fault: 'changed' }
        if (verified.size >= MAX_VERIFIED) verified.clear()
        verified.set(hash, looks)
      }
      return { file: Bun.file(path) }
    },

    async has(hash) {
      return (await statOf(pathOf(hash))) !== undefined
    },

    async delete(hash, isReferenced) {
      if (kept.has(hash)) return
      const deletion = Symbol(hash)
      deleting.set(hash, deletion)
      try {
        const isUsed = await isReferenced()
        if (isUsed || deleting.get(hash) !== deletion) return
        // No other code runs between the check and the end of the deletion.
        unlinkIfThere(pathOf(hash))
        verified.delete(hash)
      } finally {
        if (deleting.get(hash) === deletion) deleting.delete(hash)
      }
    },

    async space() {
      await makeIncoming()
      const { bavail, blocks, bsize } = await asStorage(() => statfs(incoming))
      return { free: bavail * bsize, total: blocks * bsize }
    },

    async incomingFolder() {
      await makeIncoming()
      return incoming
    },

    async deleteUnfinished(before) {
      for (const name of await namesIn(incoming)) {
        const path = join(incoming, name)
        if (unfinished.has(path)) continue
        const found = await statOf(path)
        if (found && found.mtimeMs < before) await rm(path, { force: true, recursive: true })
      }
    },

    async listStored(digits, before) {
      const folder = join(root, digits)
      const hashes: string[] = []
      for (const name of await namesIn(folder)) {
        if (!HASH.test(name) || !name.startsWith(digits)) continue
        const found = await statOf(join(folder, name))
        if (found && found.mtimeMs < before) hashes.push(name)
      }
      return hashes
    },
  }
}

/** In pieces that are quick to hash, because hashing holds up the event loop. */
async function* chunksOf(source: Source): AsyncIterable<Uint8Array> {
  if (!(source instanceof Uint8Array)) {
    yield* typeof source === 'string' ? Bun.file(source).stream() : source
    return
  }
  for (let start = 0; start < source.byteLength; start += CHUNK_BYTES) {
    yield source.subarray(start, start + CHUNK_BYTES)
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError(413, 'file_too_large', `The file is larger than ${formatSize(maxBytes)}.`)
}
