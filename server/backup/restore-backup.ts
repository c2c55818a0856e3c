import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BucketError, openBucket } from '../attachments/bucket.ts'
import { syncFolder } from '../attachments/disk-files.ts'
import { UNFINISHED_RESTORE } from '../database/database-file.ts'
import { LOCK_FILES, lockDataFolder } from '../database/lock.ts'
import { DATABASE_FILE } from '../database/open.ts'
import { fillPostgres } from '../database/postgresql/postgres-copy.ts'
import { beginLogs, openSnapshot } from '../database/snapshot.ts'
import { SECRET_FILE } from '../machine/data-folder.ts'
import type { S3Place } from '../network/s3.ts'
import { type Manifest, readArchive } from './archive.ts'
import type { ArchiveFile } from './archive-file.ts'
import { BackupError, namingDiskFaults } from './backup-error.ts'

const FILES_AT_ONCE = 32
/**
 * In the order in which they are moved. The database comes last, so that it only exists once everything else is in
 * place.
 */
const RESTORED = ['attachments', SECRET_FILE, DATABASE_FILE]
/** What is on the disk when the database is on PostgreSQL. */
const RESTORED_FILES = RESTORED.filter((name) => name !== DATABASE_FILE)

/**
 * Restores a backup into an empty or missing data folder, and into an empty PostgreSQL database if a URL is given. The
 * files are written and checked in a folder inside it, synced, and then moved. Throws `BackupError` or `StartError`, and
 * leaves the folder as it was then. After a kill, Bellhop doesn't start in the folder, and another restore starts again.
 */
export async function restoreBackup(
  file: ArchiveFile,
  target: {
    dataFolder: string
    databaseUrl: string | undefined
    /** Where to put the attachments, if not into the data folder. */
    files: S3Place | undefined
    passphrase: string | undefined
    now: number
  },
): Promise<Manifest> {
  const { dataFolder, databaseUrl, files, passphrase, now } = target
  const before = namesIn(dataFolder)
  const isLocked = LOCK_FILES.some((name) => before?.includes(name))
  if (!isLocked) requireEmpty(dataFolder)
  const created = before ? undefined : mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(dataFolder, now)
  let isDone = false
  try {
    requireEmpty(dataFolder)
    const staging = join(dataFolder, UNFINISHED_RESTORE)
    await removeRestored(dataFolder)
    await namingDiskFaults(`Can't write to ${dataFolder}`, () => mkdir(staging, { mode: 0o700 }))
    const manifest = await unpackInto(staging, file, passphrase)
    if (files) await uploadAll(join(staging, 'attachments'), files)
    if (databaseUrl === undefined) await publish(staging, dataFolder, RESTORED)
    else {
      const beforeCommit = () => publish(staging, dataFolder, RESTORED_FILES)
      await fillPostgres(databaseUrl, join(staging, DATABASE_FILE), { now, beforeCommit })
    }
    isDone = true
    await rm(staging, { recursive: true })
    await syncFolder(dataFolder)
    return manifest
  } finally {
    if (!isDone) {
      await removeRestored(dataFolder)
      if (!isLocked) for (const name of LOCK_FILES) rmSync(join(dataFolder, name), { force: true })
    }
    lock.release()
    if (!isDone && created !== undefined) rmSync(created, { recursive: true, force: true })
  }
}

function namesIn(folder: string): string[] | undefined {
  return existsSync(folder) ? readdirSync(folder) : undefined
}

/** Ignores files that an unfinished restore left behind. */
function requireEmpty(folder: string): void {
  const names = namesIn(folder) ?? []
  const ours = names.includes(UNFINISHED_RESTORE) ? [UNFINISHED_RESTORE, ...RESTORED] : []
  const others = names.filter((name) => !LOCK_FILES.includes(name) && !ours.includes(name))
  const other = others.find((name) => name === DATABASE_FILE) ?? others[0]
  if (other === undefined) return
  throw new BackupError(
    `The data folder ${folder} isn't empty: it has ${other}. Choose an empty or a new folder with BELLHOP_DATA.`,
  )
}

/** Its marker last: until then, nothing in the folder counts. */
async function removeRestored(folder: string): Promise<void> {
  if (!existsSync(join(folder, UNFINISHED_RESTORE))) return
  for (const name of [...RESTORED, UNFINISHED_RESTORE])
    await rm(join(folder, name), { recursive: true, force: true })
}

async function unpackInto(
  staging: string,
  file: ArchiveFile,
  passphrase: string | undefined,
): Promise<Manifest> {
  const folders = new Set<string>()
  const manifest = await readArchive(file, {
    passphrase,
    async pathOf(name) {
      const path = join(staging, name)
      if (!folders.has(dirname(path))) await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      folders.add(dirname(path))
      return path
    },
    onFile(name) {
      if (name === DATABASE_FILE) requireUsable(join(staging, name), file.name)
    },
  })
  beginLogs(join(staging, DATABASE_FILE))
  await namingDiskFaults(`Can't write to ${staging}`, () => syncAll(staging))
  return manifest
}

/** Uploads the attachments, and deletes them here. Files that are there already are replaced: they may be damaged. */
async function uploadAll(folder: string, files: S3Place): Promise<void> {
  if (!existsSync(folder)) return
  const bucket = openBucket(files)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const stored = entries.filter((entry) => entry.isFile())
  try {
    for (let start = 0; start < stored.length; start += FILES_AT_ONCE) {
      const some = stored.slice(start, start + FILES_AT_ONCE)
      await Promise.all(some.map(({ name, parentPath }) => bucket.put(name, join(parentPath, name))))
    }
  } catch (error) {
    throw error instanceof BucketError ? new BackupError(error.reason, { cause: error }) : error
  }
  await rm(folder, { recursive: true })
}

function requireUsable(database: string, file: string): void {
  using snapshot = openSnapshot(database)
  if (!snapshot.isNewer) return
  throw new BackupError(`${file} has data of a newer version of Bellhop. Restore it with that version.`)
}

/** Many at once, because the disk then syncs them together. */
async function syncAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (let start = 0; start < entries.length; start += FILES_AT_ONCE) {
    const some = entries.slice(start, start + FILES_AT_ONCE)
    await Promise.all(some.map((entry) => syncPath(join(entry.parentPath, entry.name))))
  }
  await syncPath(folder)
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function publish(staging: string, dataFolder: string, names: string[]): Promise<void> {
  for (const name of names) {
    if (existsSync(join(staging, name))) await rename(join(staging, name), join(dataFolder, name))
  }
  await syncFolder(dataFolder)
}
