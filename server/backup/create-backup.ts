import { existsSync, readdirSync, statfsSync } from 'node:fs'
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type Bucket, BucketError, openBucket } from '../attachments/bucket.ts'
import { hashOf, statOf } from '../attachments/disk-files.ts'
import { FolderFiles } from '../attachments/folder-files.ts'
import { lockBackups } from '../database/lock.ts'
import { DATABASE_FILE } from '../database/open.ts'
import { sizeOfPostgres } from '../database/postgresql/postgres-copy.ts'
import { copyDatabase, openSnapshot, type Snapshot, stillReferenced } from '../database/snapshot.ts'
import { isoTime } from '../dates.ts'
import { SECRET_FILE } from '../machine/data-folder.ts'
import type { S3Place } from '../network/s3.ts'
import { formatSize } from '../text/sizes.ts'
import { VERSION } from '../version.ts'
import {
  type ArchiveEntry,
  MANIFEST_FILE,
  type Manifest,
  manifestOf,
  readArchive,
  writeArchive,
} from './archive.ts'
import { fileOf, writeNewFile } from './archive-file.ts'
import { BackupError, namingDiskFaults } from './backup-error.ts'
import { type BackupPlace, backupName, type KeptBackups, outdatedBackups } from './backup-place.ts'
import { openBackupStore } from './backup-store.ts'

/** In the data folder: the copy of the database, and what a killed backup left behind. */
const WORK_FOLDER = 'backup.partial'
/** What must stay free on the disk of the data folder, because the server writes to it too. */
const SPARE_BYTES = 256 * 1024 * 1024

/** Larger files are read twice, in pieces. */
const MAX_BYTES_IN_MEMORY = 1024 * 1024
const DOWNLOADS_AT_ONCE = 16

interface BackupSource {
  dataFolder: string
  /** Of PostgreSQL, if the database is there. */
  databaseUrl: string | undefined
  /** Of the attachments, if they aren't in the data folder. */
  files: S3Place | undefined
  passphrase: string | undefined
  /** Milliseconds since 1970. */
  now: number
}

interface Backup {
  manifest: Manifest
  /** Size of the file. */
  bytes: number
}

/**
 * Writes a backup of a data folder to a new file, whether or not a server is running on it. It has everything that was
 * acknowledged before the call. Its file appears under its name only when it is complete and has been read back and
 * checked. Throws `BackupError`, and leaves nothing behind then. Holds this thread for long: call it in a process of
 * its own.
 */
export async function createBackup(file: string, source: BackupSource): Promise<Backup> {
  lowerPriority()
  return writeNewFile(file, (draft) =>
    withWorkFolder(source.dataFolder, async (work) => {
      const bytes = await writeDraft(draft, work, source)
      return { manifest: await readArchive(fileOf(draft), { passphrase: source.passphrase }), bytes }
    }),
  )
}

/** What the server gives to the process that makes an automatic backup, as JSON. */
export interface BackupJob extends BackupSource {
  place: BackupPlace
  keep: KeptBackups[]
}

export interface BackupResult {
  name: string
  bytes: number
  /** Attachments that the data folder lacks. */
  missing: number
}

/**
 * Makes a backup, stores it, reads it back to its end, and only then deletes those that are not kept. Throws
 * `BackupError`; a backup that can't be read back is deleted.
 */
export async function runBackupJob({ place, keep, ...source }: BackupJob): Promise<BackupResult> {
  lowerPriority()
  const store = openBackupStore(place)
  const name = backupName(source.now, source.passphrase !== undefined)
  return withWorkFolder(source.dataFolder, async (work) => {
    const draft = join(work, name)
    const bytes = await writeDraft(draft, work, source)
    await store.store(draft, name)
    await rm(draft)
    try {
      const { missing } = await readArchive(store.open(name), { passphrase: source.passphrase })
      for (const outdated of outdatedBackups(await store.list(), keep)) await store.delete(outdated)
      return { name, bytes, missing: missing.length }
    } catch (error) {
      await store.delete(name).catch(() => {})
      throw error
    }
  })
}

/** The lowest priority: backups use only the processor time that the server leaves. */
const PRIORITY = 19
/** On Linux, each thread has its own priority. New threads inherit it from the thread that starts them. */
const THREADS_FOLDER = '/proc/self/task'

/** Runs `run` with an empty folder on the disk of the data folder, while no other backup is being made. */
export async function withWorkFolder<T>(dataFolder: string, run: (folder: string) => Promise<T>): Promise<T> {
  const release = lockBackups(dataFolder)
  const work = join(dataFolder, WORK_FOLDER)
  try {
    await rm(work, { recursive: true, force: true })
    await namingDiskFaults(`Can't write to ${dataFolder}`, () => mkdir(work, { mode: 0o700 }))
    return await run(work)
  } finally {
    await rm(work, { recursive: true, force: true })
    release()
  }
}

function lowerPriority(): void {
  const threads = existsSync(THREADS_FOLDER) ? readdirSync(THREADS_FOLDER).map(Number) : [0]
  for (const thread of threads) {
    try {
      setPriority(thread, PRIORITY)
    } catch {
      // The thread has ended since, or already has a lower priority.
    }
  }
}

/** Writes a backup without reading it back, in a work folder that the caller has. Returns its size. */
async function writeDraft(file: string, work: string, source: BackupSource): Promise<number> {
  const { dataFolder, passphrase, now } = source
  await requireSpace(source)
  const copy = join(work, DATABASE_FILE)
  await namingDiskFaults(`Can't copy the database to ${dataFolder}`, () => copyDatabase(source, copy, now))
  using snapshot = openSnapshot(copy)
  const entries = entriesOf(copy, snapshot, { ...source, work })
  await namingDiskFaults(`Can't write to ${dirname(resolve(file))}`, () =>
    writeArchive(file, { entries, at: now, ...(passphrase !== undefined && { passphrase }) }),
  )
  await rm(copy)
  return (await stat(file)).size
}

async function* entriesOf(
  copy: string,
  snapshot: Snapshot,
  source: BackupSource & { work: string },
): AsyncGenerator<ArchiveEntry> {
  const { dataFolder, now } = source
  const files: Manifest['files'] = {}
  const database = { bytes: (await stat(copy)).size, sha256: await hashOf(copy) }
  files[DATABASE_FILE] = database
  yield { name: DATABASE_FILE, size: database.bytes, from: copy }

  const keyFile = join(dataFolder, SECRET_FILE)
  if (existsSync(keyFile)) {
    const key = await readFile(keyFile)
    files[SECRET_FILE] = {
      bytes: key.byteLength,
      sha256: Bun.SHA256.hash(key, 'hex'),
    }
    yield { name: SECRET_FILE, size: key.byteLength, from: key }
  }

  const attachments = { files: 0, bytes: 0 }
  const absent: string[] = []
  for await (const { hash, found } of attachmentsOf(snapshot, source)) {
    if (!found) {
      absent.push(hash)
      continue
    }
    attachments.files += 1
    attachments.bytes += found.size
    yield { name: join('attachments', hash.slice(0, 2), hash), ...found }
  }

  const manifest = manifestOf({
    bellhop: VERSION,
    schema: snapshot.schema,
    createdAt: isoTime(now),
    files,
    attachments,
    // The others were deleted after the database was copied.
    missing: await stillReferenced(source, absent),
  })
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  yield { name: MANIFEST_FILE, size: text.byteLength, from: text }
}

type Intact = Omit<ArchiveEntry, 'name'>

/** `found` is undefined for a file that isn't there, or whose bytes have changed. */
async function* attachmentsOf(
  snapshot: Snapshot,
  { files, dataFolder, work }: BackupSource & { work: string },
): AsyncGenerator<{ hash: string; found: Intact | undefined }> {
  if (files) return yield* downloads(openBucket(files), snapshot, join(work, 'files'))
  for (const hash of snapshot.referencedFiles()) {
    yield { hash, found: await readIntact(join(dataFolder, 'attachments', hash.slice(0, 2), hash), hash) }
  }
}

/** Some at a time. Each is deleted when it is in the backup. */
async function* downloads(
  bucket: Bucket,
  snapshot: Snapshot,
  folder: string,
): AsyncGenerator<{ hash: string; found: Intact | undefined }> {
  const store = new FolderFiles(folder, () => 0)
  const running: { hash: string; download: Promise<Intact | undefined> }[] = []
  async function* next() {
    for (const { hash, download } of running.splice(0)) {
      const found = await download
      yield { hash, found }
      if (typeof found?.from === 'string') await rm(found.from)
    }
  }
  for (const hash of snapshot.referencedFiles()) {
    const download = downloadIntact(bucket, store, hash)
    // Those after one that failed fail as well.
    download.catch(() => {})
    running.push({ hash, download })
    if (running.length === DOWNLOADS_AT_ONCE) yield* next()
  }
  yield* next()
}

async function downloadIntact(bucket: Bucket, store: FolderFiles, hash: string): Promise<Intact | undefined> {
  try {
    const bytes = await bucket.get(hash)
    if (!bytes) return undefined
    using stored = await store.put(bytes)
    return stored.hash === hash ? { size: stored.size, from: stored.file.name ?? '' } : undefined
  } catch (error) {
    throw error instanceof BucketError ? new BackupError(error.reason, { cause: error }) : error
  }
}

/** Undefined for a file that isn't there, or whose bytes have changed. */
async function readIntact(path: string, hash: string): Promise<Intact | undefined> {
  try {
    const { size } = await stat(path)
    const from = size > MAX_BYTES_IN_MEMORY ? path : await readFile(path)
    const found = typeof from === 'string' ? await hashOf(from) : Bun.SHA256.hash(from, 'hex')
    return found === hash ? { size, from } : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** The copy of the database is at most as large as the database and its log. */
export async function requireSpace({
  dataFolder,
  databaseUrl,
}: Pick<BackupSource, 'dataFolder' | 'databaseUrl'>): Promise<void> {
  const file = join(dataFolder, DATABASE_FILE)
  const sizes = await Promise.all([statOf(file), statOf(`${file}-wal`)])
  const ofFiles = sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0)
  const needed = SPARE_BYTES + (databaseUrl === undefined ? ofFiles : await sizeOfPostgres(databaseUrl))
  const { bavail, bsize } = statfsSync(dataFolder)
  if (bavail * bsize >= needed) return
  throw new BackupError(
    `The disk of ${dataFolder} has ${formatSize(bavail * bsize)} free. A backup needs ${formatSize(needed)}.`,
  )
}
