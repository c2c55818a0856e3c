import { existsSync, type Stats } from 'node:fs'
import { mkdir, open, rename, rm, statfs, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BunFile } from 'bun'
import { AppError } from '../errors.ts'
import { formatSize } from '../text/sizes.ts'
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
import type { FileFault, FileStore, KeptFile, PutOptions, Source } from './file-store.ts'

const HASH = /^[0-9a-f]{64}$/
const CHUNK_BYTES = 1024 * 1024
const MAX_VERIFIED = 10_000
const HOUR_MS = 3_600_000
const DIGITS = [...'0123456789abcdef']

/**
 * Files in a folder, one for each SHA-256, which are on disk before they are there. Concurrent calls are those of this process:
 * there is one object for each folder and process.
 */
export class FolderFiles implements FileStore {
  readonly #root: string
  readonly #incoming: string
  readonly #now: () => number
  /** How many callers keep each file. */
  readonly #kept = new Map<string, number>()
  /** The deletion that is under way for each hash. Keeping the file takes it out, which cancels it. */
  readonly #deleting = new Map<string, symbol>()
  /** Unfinished files of this process. */
  readonly #unfinished = new Set<string>()
  /** What a file looked like when its bytes had been checked. */
  readonly #verified = new Map<string, string>()
  /** When files were opened last. */
  readonly #openedAt = new Map<string, number>()

  /** `now` is in milliseconds since 1970. */
  constructor(root: string, now: () => number) {
    this.#root = root
    this.#incoming = join(root, 'incoming')
    this.#now = now
  }

  put(source: Source, { maxBytes = Number.POSITIVE_INFINITY }: PutOptions = {}): Promise<KeptFile> {
    return this.#withDraft(async (draft) => {
      const file = await this.#place(draft, await write(draft, source, maxBytes))
      // These are the bytes that were hashed.
      const found = await statOf(this.#pathOf(file.hash))
      if (found) this.#remember(file.hash, looksOf(found))
      return file
    })
  }

  /** The file must be on the same disk. */
  adopt(path: string, hash: string): Promise<KeptFile> {
    return this.#withDraft(async (draft) => {
      // Two mails with the same file have the same path: the first to finish removes it, once the file is in the store.
      if (!(await asStorage(() => linkIfThere(path, draft)))) return this.#keepStored(hash)
      const file = await this.#place(draft, { hash, ...(await asStorage(() => readHead(draft))) })
      // The draft is still there if it was this same file that was in the store: then `rename` does nothing.
      await Promise.all([path, draft].map((one) => rm(one, { force: true })))
      return file
    })
  }

  /**
   * All of its bytes are checked when it is opened first, unless this process has just stored them, and again when it was
   * written to since.
   */
  async open(hash: string): Promise<{ file: BunFile } | FileFault> {
    const path = this.#pathOf(hash)
    const found = await statOf(path)
    if (!found) return { fault: 'missing' }
    if (this.#openedAt.size >= MAX_VERIFIED) this.#openedAt.clear()
    this.#openedAt.set(hash, this.#now())
    const looks = looksOf(found)
    if (this.#verified.get(hash) !== looks) {
      if ((await hashOf(path)) !== hash) return { fault: 'changed' }
      this.#remember(hash, looks)
    }
    return { file: Bun.file(path) }
  }

  #remember(hash: string, looks: string): void {
    if (this.#verified.size >= MAX_VERIFIED) this.#verified.clear()
    this.#verified.set(hash, looks)
  }

  async has(hash: string): Promise<boolean> {
    return (await statOf(this.#pathOf(hash))) !== undefined
  }

  async delete(hash: string, isReferenced: () => Promise<boolean>): Promise<void> {
    if (this.#kept.has(hash)) return
    const deletion = Symbol(hash)
    this.#deleting.set(hash, deletion)
    try {
      const isUsed = await isReferenced()
      if (isUsed || this.#deleting.get(hash) !== deletion) return
      // No other code runs between the check and the end of the deletion.
      unlinkIfThere(this.#pathOf(hash))
      this.#verified.delete(hash)
    } finally {
      if (this.#deleting.get(hash) === deletion) this.#deleting.delete(hash)
    }
  }

  async space(): Promise<{ free: number; total: number }> {
    const folder = await this.incomingFolder()
    const { bavail, blocks, bsize } = await asStorage(() => statfs(folder))
    return { free: bavail * bsize, total: blocks * bsize }
  }

  async incomingFolder(): Promise<string> {
    if (!existsSync(this.#incoming)) {
      await asStorage(() => mkdir(this.#incoming, { recursive: true, mode: 0o700 }))
    }
    return this.#incoming
  }

  async deleteUnfinished(before: number): Promise<void> {
    for (const name of await namesIn(this.#incoming)) {
      const path = join(this.#incoming, name)
      if (this.#unfinished.has(path)) continue
      const found = await statOf(path)
      if (found && found.mtimeMs < before) await rm(path, { force: true, recursive: true })
    }
  }

  async *list(): AsyncIterable<string[]> {
    for (const folder of this.#folders()) yield (await this.#filesIn(folder)).map(({ hash }) => hash)
  }

  /** After an hour, no one is about to refer to a file. */
  async *listIdle(): AsyncIterable<string[]> {
    const before = this.#now() - HOUR_MS
    for (const folder of this.#folders()) {
      const files = await this.#filesIn(folder)
      yield files.flatMap(({ hash, storedAt }) => (storedAt < before ? [hash] : []))
    }
  }

  /**
   * Deletes those that were opened or stored longest ago, until at most `maxBytes` are left. None that is kept, or was
   * opened since `before`, in milliseconds since 1970.
   */
  async trim(maxBytes: number, before: number): Promise<void> {
    const files: { hash: string; size: number; usedAt: number }[] = []
    for (const folder of this.#folders()) {
      for (const { hash, size, storedAt } of await this.#filesIn(folder)) {
        files.push({ hash, size, usedAt: Math.max(storedAt, this.#openedAt.get(hash) ?? 0) })
      }
    }
    files.sort((one, other) => one.usedAt - other.usedAt)
    let bytes = files.reduce((sum, { size }) => sum + size, 0)
    for (const { hash, size, usedAt } of files) {
      if (bytes <= maxBytes || usedAt >= before) return
      if (this.#kept.has(hash)) continue
      unlinkIfThere(this.#pathOf(hash))
      bytes -= size
    }
  }

  /** First two digits of hashes. */
  #folders(): string[] {
    return DIGITS.flatMap((first) => DIGITS.map((second) => first + second))
  }

  async #filesIn(digits: string): Promise<{ hash: string; size: number; storedAt: number }[]> {
    const folder = join(this.#root, digits)
    const files: { hash: string; size: number; storedAt: number }[] = []
    for (const name of (await namesIn(folder)).sort()) {
      if (!HASH.test(name) || !name.startsWith(digits)) continue
      const found = await statOf(join(folder, name))
      if (found) files.push({ hash: name, size: found.size, storedAt: found.mtimeMs })
    }
    return files
  }

  /** Calls `work` with the path for an unfinished file, which it moves away, and deletes what it leaves there when it fails. */
  async #withDraft(work: (draft: string) => Promise<KeptFile>): Promise<KeptFile> {
    const draft = join(await this.incomingFolder(), crypto.randomUUID())
    this.#unfinished.add(draft)
    try {
      return await work(draft)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    } finally {
      this.#unfinished.delete(draft)
    }
  }

  /** What another caller has adopted meanwhile. Throws when it isn't there. */
  async #keepStored(hash: string): Promise<KeptFile> {
    const release = this.#keep(hash)
    try {
      const path = this.#pathOf(hash)
      return { hash, ...(await readHead(path)), file: Bun.file(path), [Symbol.dispose]: release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** A file with these bytes that is there already is replaced: it may have been damaged. */
  async #place(draft: string, written: Written): Promise<KeptFile> {
    const { hash } = written
    const path = this.#pathOf(hash)
    const release = this.#keep(hash)
    try {
      await asStorage(async () => {
        await utimes(draft, this.#now() / 1000, this.#now() / 1000)
        const folder = join(this.#root, hash.slice(0, 2))
        const isNew = !existsSync(folder)
        if (isNew) await mkdir(folder, { recursive: true, mode: 0o700 })
        await rename(draft, path)
        await syncFolder(folder)
        if (isNew) await syncFolder(this.#root)
      })
    } catch (error) {
      release()
      throw error
    }
    return { ...written, file: Bun.file(path), [Symbol.dispose]: release }
  }

  #keep(hash: string): () => void {
    this.#deleting.delete(hash)
    this.#kept.set(hash, (this.#kept.get(hash) ?? 0) + 1)
    let isKept = true
    return () => {
      if (!isKept) return
      isKept = false
      const others = (this.#kept.get(hash) ?? 1) - 1
      if (others > 0) this.#kept.set(hash, others)
      else this.#kept.delete(hash)
    }
  }

  #pathOf(hash: string): string {
    if (!HASH.test(hash)) throw new Error(`Not a SHA-256 in hexadecimal: ${hash}`)
    return join(this.#root, hash.slice(0, 2), hash)
  }
}

/** Changes when a file is written to, or replaced. */
function looksOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
}

type Written = Pick<KeptFile, 'hash' | 'size' | 'head'>

async function write(draft: string, source: Source, maxBytes: number): Promise<Written> {
  if (source instanceof Uint8Array && source.byteLength <= CHUNK_BYTES) {
    return writeSmall(draft, source, maxBytes)
  }
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

/** In one call, which takes a third of the time: most mails are small. */
async function writeSmall(draft: string, bytes: Uint8Array, maxBytes: number): Promise<Written> {
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes)
  const written = {
    hash: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
    size: bytes.byteLength,
    head: bytes.slice(0, HEAD_BYTES),
  }
  await asStorage(() => writeFile(draft, bytes, { flag: 'wx', mode: 0o600, flush: true }))
  return written
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
