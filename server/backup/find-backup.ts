import { statSync } from 'node:fs'
import { type BackupPlace, describePlace, readBackupPlace, type S3Settings } from '../backup-place.ts'
import { BackupError } from './backup-error.ts'
import { isBackupName } from './backup-names.ts'
import { openBackupStore } from './backup-store.ts'
import { type BackupFile, fileOf } from './read-archive.ts'

/** The backup that a person names: a file, an object on S3, or the newest one of a folder or a prefix. */
export async function findBackup(named: string, s3: S3Settings): Promise<BackupFile> {
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
