import type { BunFile } from 'bun'
import { and, asc, eq, gt, inArray, lt, or, sql } from 'drizzle-orm'
import { pause, systemClock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { fileLocks } from '../database/tables/attachments.ts'
import type { Log } from '../log.ts'
import { type Bucket, BucketError } from './bucket.ts'
import type { FileFault, FileStore, KeptFile, PutOptions, Source } from './file-store.ts'
import type { FolderFiles } from './folder-files.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A process that keeps a file for longer has ended: no one takes so long to store the row that refers to it. */
const KEPT_MS = DAY_MS
/** Longer than a deletion takes, so that one that another process began has ended. */
const DELETING_MS = 60_000
/** How long a deletion has to reach the bucket. What is left of its time is for the bucket. */
const DELETION_SENT_MS = 20_000
const WAIT_MS = 50
const CACHE_BYTES = 2 * 1024 ** 3
/** The cache is trimmed after so many new bytes, and by every sweep. */
const TRIM_EVERY_BYTES = CACHE_BYTES / 8
/** A file is used for so long after it was opened. */
const IN_USE_MS = HOUR_MS / 4
/** Copies of a database may still refer to younger ones, such as one that is restored for a drill beside the server. */
const STRAY_MS = 7 * DAY_MS
const LOCKS_AT_ONCE = 100

/**
 * Files in a bucket, for any number of processes with the same database. A file is uploaded once a row in `file_locks` keeps it,
 * and deleted only while a row there says so: no row refers to a file that isn't there.
 */
export class BucketFiles implements FileStore {
  readonly cache: FolderFiles
  readonly bucket: Bucket
  readonly #database: Database
  readonly #now: () => number
  readonly #log: Log
  /** Ends of keeping that aren't recorded yet. */
  readonly #releasing = new Map<string, Promise<void>>()
  /** Downloads into the cache. */
  readonly #filling = new Map<string, Promise<{ file: BunFile } | FileFault>>()
  #newBytes = 0

  constructor(
    bucket: Bucket,
    { cache, database, now, log }: { cache: FolderFiles; database: Database; now: () => number; log: Log },
  ) {
    this.bucket = bucket
    this.cache = cache
    this.#database = database
    this.#now = now
    this.#log = log
  }

  async put(source: Source, given: PutOptions = {}): Promise<KeptFile> {
    return this.#upload(await this.cache.put(source, given), given)
  }

  async adopt(path: string, hash: string): Promise<KeptFile> {
    return this.#upload(await this.cache.adopt(path, hash))
  }

  async #upload(local: KeptFile, { isAlone = false }: PutOptions = {}): Promise<KeptFile> {
    using kept = new DisposableStack()
    kept.use(local)
    const { hash, size, file } = local
    if (!isAlone) {
      await this.#keep(hash)
      kept.defer(() => this.#release(hash))
    }
    await this.bucket.put(hash, file.name ?? '')
    this.#count(size)
    const release = kept.move()
    return { ...local, [Symbol.dispose]: () => release.dispose() }
  }

  /** From the cache, where all of it is before its first byte is sent: its hash is checked, and a response has a length. */
  async open(hash: string): Promise<{ file: BunFile } | FileFault> {
    const cached = await this.cache.open(hash)
    if ('file' in cached) return cached
    const filling = this.#filling.get(hash) ?? this.#fill(hash).finally(() => this.#filling.delete(hash))
    this.#filling.set(hash, filling)
    return filling
  }

  async #fill(hash: string): Promise<{ file: BunFile } | FileFault> {
    const bytes = await this.bucket.get(hash)
    if (!bytes) return { fault: 'missing' }
    const filled = await this.cache.put(bytes)
    filled[Symbol.dispose]()
    this.#count(filled.size)
    return filled.hash === hash ? { file: filled.file } : { fault: 'changed' }
  }

  has(hash: string): Promise<boolean> {
    return this.bucket.has(hash)
  }

  /** Doesn't throw when the bucket can't be reached: the next sweep deletes the file. */
  async delete(hash: string, isReferenced: (tx?: Transaction) => Promise<boolean>): Promise<void> {
    await this.#releasing.get(hash)
    const by = systemClock.monotonic() + DELETION_SENT_MS
    const until = this.#now() + DELETING_MS
    if (!(await this.#beginDeletion(hash, until, isReferenced))) return
    await this.cache.delete(hash, async () => false)
    try {
      await this.bucket.delete(hash, by)
    } catch (error) {
      if (!(error instanceof BucketError)) throw error
      this.#log.warn('file_not_deleted', { file: hash, error: error.reason })
      return
    }
    await this.#database.write(
      undefined,
      async (tx) => await tx.delete(fileLocks).where(isDeletion(hash, until)),
    )
  }

  /** Returns false when the file is kept, another process deletes it, or something refers to it. */
  #beginDeletion(
    hash: string,
    until: number,
    isReferenced: (tx: Transaction) => Promise<boolean>,
  ): Promise<boolean> {
    return this.#database.write(undefined, async (tx) => {
      // From here on, no one stores it. What was stored before is committed.
      const [locked] = await tx
        .insert(fileLocks)
        .values({ hash, keepers: 0, until })
        .onConflictDoUpdate({
          target: fileLocks.hash,
          set: { keepers: 0, until },
          setWhere: lt(fileLocks.until, this.#now()),
        })
        .returning({ hash: fileLocks.hash })
      if (!locked) return false
      if (!(await isReferenced(tx))) return true
      await tx.delete(fileLocks).where(isDeletion(hash, until))
      return false
    })
  }

  /** Waits while the file is being deleted. */
  async #keep(hash: string): Promise<void> {
    while (!(await this.#tryToKeep(hash))) await pause(WAIT_MS)
  }

  #tryToKeep(hash: string): Promise<boolean> {
    const now = this.#now()
    const isOver = lt(fileLocks.until, now)
    return this.#database.write(undefined, async (tx) => {
      const kept = await tx
        .insert(fileLocks)
        .values({ hash, keepers: 1, until: now + KEPT_MS })
        .onConflictDoUpdate({
          target: fileLocks.hash,
          set: {
            keepers: sql`case when ${isOver} then 1 else ${fileLocks.keepers} + 1 end`,
            until: now + KEPT_MS,
          },
          setWhere: or(gt(fileLocks.keepers, 0), isOver) ?? sql`false`,
        })
        .returning({ hash: fileLocks.hash })
      return kept.length > 0
    })
  }

  #release(hash: string): void {
    const before = this.#releasing.get(hash)
    const releasing = (async () => {
      await before
      await this.#database.write(undefined, async (tx) => {
        const { keepers } = fileLocks
        const [left] = await tx
          .update(fileLocks)
          .set({ keepers: sql`${keepers} - 1` })
          .where(and(eq(fileLocks.hash, hash), gt(keepers, 0)))
          .returning({ keepers })
        // Until the commit, others see that it is kept, and wait.
        if (left?.keepers === 0) await tx.delete(fileLocks).where(eq(fileLocks.hash, hash))
      })
    })()
      .catch((error) => this.#log.warn('file_not_released', { file: hash, error }))
      .finally(() => {
        if (this.#releasing.get(hash) === releasing) this.#releasing.delete(hash)
      })
    this.#releasing.set(hash, releasing)
  }

  async *list(): AsyncIterable<string[]> {
    for await (const page of this.bucket.list()) yield page.map(({ hash }) => hash)
  }

  /** Those that a process was storing or deleting when it ended, and then old ones. */
  async *listIdle(): AsyncIterable<string[]> {
    yield* this.#expiredLocks()
    const before = this.#now() - STRAY_MS
    for await (const page of this.bucket.list()) {
      yield page.flatMap(({ hash, storedAt }) => (storedAt < before ? [hash] : []))
    }
  }

  async *#expiredLocks(): AsyncIterable<string[]> {
    for (let after = ''; ; ) {
      const isOver = lt(fileLocks.until, this.#now())
      const locks = await this.#database.read
        .select({ hash: fileLocks.hash })
        .from(fileLocks)
        .where(and(isOver, gt(fileLocks.hash, after)))
        .orderBy(asc(fileLocks.hash))
        .limit(LOCKS_AT_ONCE)
      const hashes = locks.map(({ hash }) => hash)
      if (hashes.length === 0) return
      yield hashes
      // Those without a reference are deleted by now.
      await this.#database.write(undefined, (tx) =>
        tx.delete(fileLocks).where(and(inArray(fileLocks.hash, hashes), gt(fileLocks.keepers, 0), isOver)),
      )
      after = hashes.at(-1) ?? ''
    }
  }

  space(): Promise<{ free: number; total: number }> {
    return this.cache.space()
  }

  incomingFolder(): Promise<string> {
    return this.cache.incomingFolder()
  }

  deleteUnfinished(before: number): Promise<void> {
    return this.cache.deleteUnfinished(before)
  }

  #count(bytes: number): void {
    this.#newBytes += bytes
    if (this.#newBytes < TRIM_EVERY_BYTES) return
    this.#newBytes = 0
    this.trim().catch((error) => this.#log.warn('file_cache_not_trimmed', { error }))
  }

  /** Keeps the cache at its size. */
  trim(): Promise<void> {
    return this.cache.trim(CACHE_BYTES, this.#now() - IN_USE_MS)
  }
}

function isDeletion(hash: string, until: number) {
  return and(eq(fileLocks.hash, hash), eq(fileLocks.keepers, 0), eq(fileLocks.until, until))
}
