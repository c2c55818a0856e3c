import { existsSync, statSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { S3File } from 'bun'
import { syncFolder } from '../attachments/disk-files.ts'
import { codeOfS3, describeS3, openS3, reasonOfS3, type S3Place, type S3Settings } from '../network/s3.ts'
import { type ArchiveFile, fileOf } from './archive-file.ts'
import { BackupError, namingDiskFaults } from './backup-error.ts'
import { type BackupPlace, describePlace, isBackupName, readBackupPlace } from './backup-place.ts'

/** S3 takes at most 10,000 parts: files of up to 160 GB. */
const PART_BYTES = 16 * 1024 * 1024
const MAX_READS = 3
const PARTS_AT_ONCE = 2

/** The backups in a folder or a bucket. Everything throws `BackupError` when it can't be reached. */
interface BackupStore {
  /** Names of the complete backups. */
  list(): Promise<string[]>
  /** The name is there only once all of the file is. */
  store(file: string, name: string): Promise<void>
  open(name: string): ArchiveFile
  delete(name: string): Promise<void>
}

export function openBackupStore(place: BackupPlace): BackupStore {
  return place.kind === 'folder' ? openFolder(place.path) : openBucket(place)
}

/** The backup that a person names: a file, an object on S3, or the newest one of a folder or a prefix. */
export async function findBackup(named: string, s3: S3Settings): Promise<ArchiveFile> {
  const isOnS3 = named.startsWith('s3://')
  if (!isOnS3 && !statSync(named, { throwIfNoEntry: false })?.isDirectory()) return fileOf(named)
  const place = placeOf(named, s3)
  const slash = named.lastIndexOf('/')
  const name = named.slice(slash + 1)
  if (isOnS3 && isBackupName(name)) return openBackupStore(placeOf(named.slice(0, slash), s3)).open(name)
  const store = openBackupStore(place)
  const newest = (await store.list()).sort().at(-1)
  if (newest === undefined) throw new BackupError(`There is no backup in ${describePlace(place)}.`)
  return store.open(newest)
}

function placeOf(named: string, s3: S3Settings): BackupPlace {
  try {
    return readBackupPlace(named, s3)
  } catch (cause) {
    const needed = 's3://bucket/prefix, with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY set'
    throw new BackupError(`"${named}" can't be used. It must be a file, a folder, or ${needed}.`, { cause })
  }
}

function openFolder(folder: string): BackupStore {
  return {
    async list() {
      const names = await namingDiskFaults(`Can't read ${folder}`, () =>
        existsSync(folder) ? readdir(folder) : [],
      )
      return names.filter(isBackupName)
    },
    async store(file, name) {
      const draft = join(folder, `${name}.partial`)
      await namingDiskFaults(`Can't write to ${folder}`, async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        try {
          await copyFile(file, draft)
          const handle = await open(draft, 'r+')
          await handle.sync().finally(() => handle.close())
          await rename(draft, join(folder, name))
          await syncFolder(folder)
        } finally {
          // What failed before is the reason.
          await rm(draft, { force: true }).catch(() => {})
        }
      })
    },
    open: (name) => fileOf(join(folder, name)),
    delete: (name) => namingDiskFaults(`Can't delete ${join(folder, name)}`, () => rm(join(folder, name))),
  }
}

function openBucket(place: S3Place): BackupStore {
  const prefix = place.prefix && `${place.prefix}/`
  const where = describeS3(place)
  const client = openS3(place)

  async function listAll(): Promise<string[]> {
    const names: string[] = []
    for (let startAfter: string | undefined; ; ) {
      const page = await client.list({ prefix, ...(startAfter !== undefined && { startAfter }) })
      const keys = page.contents?.map(({ key }) => key) ?? []
      names.push(...keys.map((key) => key.slice(prefix.length)).filter(isBackupName))
      startAfter = keys.at(-1)
      if (!page.isTruncated || startAfter === undefined) return names
    }
  }

  return {
    list: () => namingS3Faults(`Can't list ${where}`, listAll),
    async store(file, name) {
      const options = { partSize: PART_BYTES, queueSize: PARTS_AT_ONCE }
      // An upload in parts doesn't say what is wrong with the bucket or the keys.
      await namingS3Faults(`Can't list ${where}`, listAll)
      await namingS3Faults(`Can't upload to ${where}`, () =>
        client.file(prefix + name).write(Bun.file(file), options),
      )
    },
    open: (name) => ({
      name: `${where}/${name}`,
      read: () => readObject(client.file(prefix + name), `Can't read ${where}/${name}`),
    }),
    delete: (name) => namingS3Faults(`Can't delete ${where}/${name}`, () => client.delete(prefix + name)),
  }
}

/** Begins again if the connection was closed before the first byte: a kept one can be closed already. */
async function* readObject(object: S3File, what: string): AsyncGenerator<Uint8Array> {
  let hasBegun = false
  for (let attempt = 1; ; attempt += 1) {
    try {
      for await (const chunk of object.stream()) {
        hasBegun = true
        yield chunk
      }
      return
    } catch (cause) {
      const isStale = codeOfS3(cause) === 'ConnectionClosed' && !hasBegun
      if (!isStale || attempt === MAX_READS) throw asBackupError(what, cause)
    }
  }
}

async function namingS3Faults<T>(what: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    throw asBackupError(what, cause)
  }
}

function asBackupError(what: string, cause: unknown): BackupError {
  return new BackupError(`${what}: ${reasonOfS3(cause)}.`, { cause })
}
