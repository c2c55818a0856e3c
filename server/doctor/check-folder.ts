import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Bucket, BucketError } from '../attachments/bucket.ts'
import { BucketFiles } from '../attachments/bucket-files.ts'
import { referencedFiles, sampleFiles } from '../attachments/queries.ts'
import type { Deps } from '../deps.ts'
import { codeOf } from '../network/connection-errors.ts'
import { countOf, type Finding, findingsOf, type Installation, type OpenInstallation } from './finding.ts'

const { ok, warning, error } = findingsOf('folder')
const files = findingsOf('files')
/** Of the newest attachments, and of others. */
const SAMPLE = 1_000
const FROM_BACKUP = 'Copy attachments/ from your newest backup into the data folder.'
/** Group and others. */
const NOT_THE_OWNER = 0o077

/** Checks that the data folder exists, is writable, has one owner, and is closed to others. */
export async function checkFolder({ config }: Pick<Installation, 'config'>): Promise<Finding[]> {
  const folder = resolve(config.dataFolder)
  const facts = await stat(folder).catch(() => undefined)
  if (!facts?.isDirectory()) {
    return [
      error(
        `There is no data folder at ${folder}.`,
        "Set BELLHOP_DATA to the server's folder, or start Bellhop once to create it.",
      ),
    ]
  }
  const fault = (await unwritable(folder)) ?? (await unwritableEntry(folder))
  if (fault) return [fault]
  const found = [...(await foreignFiles(folder, facts)), ...openToOthers(folder, facts)]
  return found.length > 0 ? found : [ok(`${folder} is writable, and closed to other users.`)]
}

async function unwritableEntry(folder: string): Promise<Finding | undefined> {
  for (const name of await readdir(folder)) {
    const fault = await unwritable(join(folder, name))
    if (fault) return fault
  }
  return undefined
}

async function unwritable(path: string): Promise<Finding | undefined> {
  try {
    await access(path, constants.R_OK | constants.W_OK)
    return undefined
  } catch (cause) {
    const code = cause instanceof Error ? codeOf(cause) : ''
    // A file that SQLite has just deleted.
    if (code === 'ENOENT') return undefined
    if (code === 'EROFS') {
      return error(
        `${path} is on a disk that is mounted read-only.`,
        'Check the disk, and mount it with write access.',
      )
    }
    return error(
      `This user can't read and write ${path}.`,
      'Run Bellhop as the owner of the data folder, or give the folder to its user with chown -R.',
    )
  }
}

/** A command that was run as another user leaves files that the server can't open. */
async function foreignFiles(folder: string, { uid }: Stats): Promise<Finding[]> {
  const attachments = join(folder, 'attachments')
  const names = [
    ...(await readdir(folder)),
    ...(await readdir(attachments).catch(() => [])).map((name) => join('attachments', name)),
  ]
  for (const name of names) {
    const facts = await stat(join(folder, name)).catch(() => undefined)
    if (!facts || facts.uid === uid) continue
    const detail = `${join(folder, name)} belongs to another user (${facts.uid}) than the data folder (${uid}).`
    return [error(detail, `Give all files to the same user: chown -R ${uid} ${folder}`)]
  }
  return []
}

function openToOthers(folder: string, { mode }: Stats): Finding[] {
  if (process.platform === 'win32' || (mode & NOT_THE_OWNER) === 0) return []
  const detail = `Other users of this machine can open ${folder}, which holds customers' data and keys.`
  return [warning(detail, `Close it: chmod 700 ${folder}`)]
}

/** Checks that the files of some attachments are there. Only looks for them: reading them would take hours. */
export async function checkFiles({ deps }: Pick<OpenInstallation, 'deps'>): Promise<Finding[]> {
  if (!(deps.files instanceof BucketFiles)) return missingFiles(deps, FROM_BACKUP)
  const faults = await bucketFaults(deps.files.bucket)
  if (faults.some(({ state }) => state === 'error')) return faults
  return [...faults, ...(await missingFiles(deps, 'List them with: bellhop files check'))]
}

async function bucketFaults(bucket: Bucket): Promise<Finding[]> {
  try {
    const { keepsVersions } = await bucket.probe()
    if (!keepsVersions) return []
    const detail = `The bucket of ${bucket.where} keeps versions, so files that were deleted can still be read.`
    return [files.warning(detail, 'Turn off versioning, and let a lifecycle rule delete earlier versions.')]
  } catch (error) {
    if (!(error instanceof BucketError)) throw error
    const advice = error.isRefusal
      ? 'Check BELLHOP_FILES, AWS_REGION, and the keys. They must allow listing, reading, writing, and deleting.'
      : 'Check the bucket, and AWS_ENDPOINT_URL_S3. Until it answers, files can’t be sent, received, or read.'
    return [files.error(error.reason, advice)]
  }
}

async function missingFiles(deps: Deps, advice: string): Promise<Finding[]> {
  const from = randomBytes(32).toString('hex')
  const { hashes, total } = await sampleFiles(deps.database.background, { from, size: SAMPLE })
  if (total === 0) return [files.ok('No attachments yet.')]
  const isThere = await Promise.all(hashes.map((hash) => deps.files.has(hash)))
  const absent = hashes.filter((_, index) => !isThere[index])
  // Not those of attachments that were deleted meanwhile.
  const missing = (await referencedFiles(deps.database.read, absent)).size
  const looked = `of ${countOf(hashes.length, 'file')} looked at, for ${countOf(total, 'attachment')}`
  if (missing === 0) return [files.ok(`None is missing ${looked}.`)]
  const detail = `${missing} ${missing === 1 ? 'is' : 'are'} missing ${looked}.`
  return [files.error(detail, advice)]
}
