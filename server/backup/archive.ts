import { createReadStream, createWriteStream, writeFileSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { extract, type Header, pack } from 'tar-stream'
import { DATABASE_FILE } from '../database/open.ts'
import { SECRET_FILE } from '../machine/data-folder.ts'
import { type ArchiveFile, encrypt, namingDamage, openArchive } from './archive-file.ts'
import { BackupError, namingDiskFaults } from './backup-error.ts'

/** The last file in a backup, so that a backup that was cut off has none. */
export const MANIFEST_FILE = 'manifest.json'
const FORMAT = 'bellhop-backup'
const FORMAT_VERSION = 1

export interface Manifest {
  format: string
  formatVersion: number
  /** Version of the program that made it. */
  bellhop: string
  /** Number of migrations of the database. */
  schema: number
  /** ISO 8601. */
  createdAt: string
  /** Files by name, without the attachments: the name of an attachment is its SHA-256. */
  files: Record<string, { bytes: number; sha256: string }>
  attachments: { files: number; bytes: number }
  /** SHA-256 of attachments that the database refers to, but that were missing or damaged when the backup was made. */
  missing: string[]
}

export function manifestOf(content: Omit<Manifest, 'format' | 'formatVersion'>): Manifest {
  return { format: FORMAT, formatVersion: FORMAT_VERSION, ...content }
}

/** Undefined when it isn't a manifest. */
function parseManifest(text: string): Manifest | undefined {
  try {
    const manifest: Manifest = JSON.parse(text)
    const isWhole =
      manifest.format === FORMAT &&
      Number.isInteger(manifest.formatVersion) &&
      Number.isInteger(manifest.schema) &&
      Number.isInteger(manifest.attachments.files) &&
      Object.values(manifest.files).every(({ bytes, sha256 }) => Number.isInteger(bytes) && sha256.length > 0)
    return isWhole ? manifest : undefined
  } catch {
    return undefined
  }
}

/** Whether a newer program made the backup. */
function isNewerFormat({ formatVersion }: Manifest): boolean {
  return formatVersion > FORMAT_VERSION
}

/** A file in the archive: its bytes, or the path of the file to read. */
export interface ArchiveEntry {
  name: string
  size: number
  from: Uint8Array | string
}

/**
 * Writes a tar file compressed with Zstandard (RFC 8878) and, with a passphrase, encrypted in the age format, so that
 * `age -d`, `zstd -d`, and `tar` open it. Replaces the file, and syncs it. `at` is in milliseconds since 1970.
 */
export async function writeArchive(
  file: string,
  { entries, passphrase, at }: { entries: AsyncIterable<ArchiveEntry>; passphrase?: string; at: number },
): Promise<void> {
  const archive = pack()
  const compress = createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
  })
  const out = createWriteStream(file, { mode: 0o600, flush: true })
  const written =
    passphrase === undefined
      ? pipeline(archive, compress, out)
      : pipeline(archive, compress, (bytes) => encrypt(bytes, passphrase), out)
  written.catch((error) => archive.destroy(error))
  const outcomes = await Promise.allSettled([written, fill(archive, entries, new Date(at))])
  // The disk's error comes first: it is what ended the other.
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

async function fill(
  archive: ReturnType<typeof pack>,
  entries: AsyncIterable<ArchiveEntry>,
  mtime: Date,
): Promise<void> {
  try {
    for await (const { name, size, from } of entries) {
      const header = { name, size, mode: 0o600, mtime }
      if (typeof from === 'string') await pipeline(createReadStream(from), archive.entry(header))
      else await addWhole(archive, header, from)
    }
    archive.finalize()
  } catch (error) {
    archive.destroy(error instanceof Error ? error : undefined)
    throw error
  }
}

function addWhole(
  archive: ReturnType<typeof pack>,
  header: Partial<Header> & { name: string },
  bytes: Uint8Array,
): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry(header, Buffer.from(bytes), (error) => (error ? reject(error) : resolve()))
  })
}

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const ATTACHMENT = /^attachments\/([0-9a-f]{2})\/(\1[0-9a-f]{62})$/
const MAX_BYTES_IN_MEMORY = 1024 * 1024
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024

interface Reading {
  passphrase: string | undefined
  /** Where to write a file, if it is to be written. */
  pathOf?: (name: string) => Promise<string> | string
  /** Called when a file is complete. Its hash isn't compared yet, unless it is an attachment. */
  onFile?: (name: string) => void
}

/**
 * Reads a backup to its end and checks every byte by its hash. Throws `BackupError` for a file that isn't a backup, is
 * damaged, cut off, or made by a newer program, and for a wrong or missing passphrase.
 */
export async function readArchive(file: ArchiveFile, reading: Reading): Promise<Manifest> {
  const { head, bytes } = await openArchive(file, reading.passphrase)
  if (!ZSTD_MAGIC.equals(head.subarray(0, ZSTD_MAGIC.length))) {
    throw new BackupError(`${file.name} isn't a Bellhop backup.`)
  }
  return namingDamage(file.name, async () => requireWhole(file.name, await unpack(file.name, bytes, reading)))
}

interface Contents {
  files: Manifest['files']
  attachments: Manifest['attachments']
  manifest: Manifest | undefined
}

async function unpack(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  { pathOf, onFile }: Reading,
): Promise<Contents> {
  const archive = extract()
  const unpacked = pipeline(bytes, createZstdDecompress(), archive)
  const contents: Contents = { files: {}, attachments: { files: 0, bytes: 0 }, manifest: undefined }
  const read = (async () => {
    for await (const entry of archive) {
      const { name, type, size = 0 } = entry.header
      if (
        type !== 'file' ||
        contents.manifest ||
        (Object.keys(contents.files).length === 0 && name !== DATABASE_FILE)
      ) {
        throw new BackupError(`${file} isn't a Bellhop backup.`)
      }
      if (name === MANIFEST_FILE) {
        contents.manifest = parseManifest(await textOf(entry))
        continue
      }
      const expected = requireKnown(name, file)
      const sha256 = await copy(entry, { size, path: await pathOf?.(name) })
      if (expected === undefined) {
        contents.files[name] = { bytes: size, sha256 }
      } else {
        if (sha256 !== expected) throw new Error(`The bytes of ${name} are damaged.`)
        contents.attachments.files += 1
        contents.attachments.bytes += size
      }
      onFile?.(name)
    }
  })().catch((error) => {
    archive.destroy(error)
    throw error
  })
  const [reads, piped] = await Promise.allSettled([read, unpacked])
  // The error that ended the reading is the reason, unless the bytes themselves ended it.
  if (reads.status === 'rejected' && reads.reason instanceof BackupError) throw reads.reason
  if (piped.status === 'rejected') throw piped.reason
  if (reads.status === 'rejected') throw reads.reason
  return contents
}

/** Returns the hash that an attachment must have. Undefined for a file listed in the manifest. */
function requireKnown(name: string, file: string): string | undefined {
  if (name === DATABASE_FILE || name === SECRET_FILE) return undefined
  const hash = ATTACHMENT.exec(name)?.[2]
  if (hash === undefined) throw new BackupError(`${file} isn't a Bellhop backup.`)
  return hash
}

/** Writes a file if it has a path. Returns its hash. */
async function copy(
  entry: AsyncIterable<unknown>,
  { size, path }: { size: number; path: string | undefined },
): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytesOf(entry)) {
      hasher.update(chunk)
      yield chunk
    }
  }
  if (path === undefined) for await (const _ of hashed());
  else await namingDiskFaults(`Can't write ${path}`, () => write(path, size, hashed()))
  return hasher.digest('hex')
}

/** Small files at once: a stream for each would take most of the time. */
async function write(path: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  if (size > MAX_BYTES_IN_MEMORY) return pipeline(bytes, createWriteStream(path, { mode: 0o600 }))
  writeFileSync(path, Buffer.concat(await Array.fromAsync(bytes)), { mode: 0o600 })
}

async function* bytesOf(entry: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of entry) if (chunk instanceof Uint8Array) yield chunk
}

async function textOf(entry: AsyncIterable<unknown>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytesOf(entry)) {
    size += chunk.byteLength
    if (size > MAX_MANIFEST_BYTES) throw new Error('The manifest is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The manifest is written last: without one, the end is missing. */
function requireWhole(file: string, { manifest, files, attachments }: Contents): Manifest {
  if (!manifest) throw new Error('The manifest is missing.')
  if (isNewerFormat(manifest)) {
    throw new BackupError(
      `${file} was made by a newer version of Bellhop, ${manifest.bellhop}. Use that version.`,
    )
  }
  const isSame =
    Bun.deepEquals(files, manifest.files, true) && Bun.deepEquals(attachments, manifest.attachments, true)
  if (!isSame) throw new Error('The files differ from the manifest.')
  return manifest
}
