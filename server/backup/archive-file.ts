import { createReadStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { Decrypter, Encrypter } from 'age-encryption'
import { syncFolder } from '../attachments/disk-files.ts'
import { BackupError, namingDiskFaults } from './backup-error.ts'

// The file of a backup or an export: new on the disk, readable to its end, and encrypted with a passphrase.

type Bytes = AsyncIterable<Uint8Array>

/** The start of every file in the age format (age-encryption.org/v1). */
const AGE_HEADER = Buffer.from('age-encryption.org/v1')
const HEAD_BYTES = 32
const READ_BYTES = 192 * 1024

/** Bytes that can be read once, and what to call them. */
export interface ArchiveFile {
  name: string
  read(): Bytes
}

export function fileOf(path: string): ArchiveFile {
  return { name: path, read: () => createReadStream(path, { highWaterMark: READ_BYTES }) }
}

/**
 * Opens an archive for reading. Returns its first bytes and all of them, both as they are before encryption if it has a
 * passphrase. Throws `BackupError` for a file that can't be read, and for a wrong or missing passphrase.
 */
export async function openArchive(
  { name, read }: ArchiveFile,
  passphrase: string | undefined,
): Promise<{ head: Buffer; bytes: Bytes }> {
  const stored = await namingDiskFaults(`Can't read ${name}`, () => peek(read()))
  if (!AGE_HEADER.equals(stored.head.subarray(0, AGE_HEADER.length))) return stored
  if (passphrase === undefined) {
    throw new BackupError(`${name} is encrypted. Give its passphrase with --passphrase-file.`)
  }
  return namingDamage(name, () => peek(decrypt(name, stored.bytes, passphrase)))
}

/** Runs a step that reads an archive. An error that isn't the disk's, nor explained already, is damage. */
export async function namingDamage<T>(file: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    throw asDamage(file, cause)
  }
}

export function asDamage(file: string, cause: unknown): unknown {
  const isDisk = cause instanceof Error && 'syscall' in cause
  if (cause instanceof BackupError || isDisk) return cause
  return new BackupError(`${file} is damaged or incomplete. Use another copy.`, { cause })
}

/**
 * Writes a new file. It appears under its name only when `write` has ended, and nothing is left behind when that throws.
 * Throws `BackupError` for a name that exists already.
 */
export async function writeNewFile<T>(file: string, write: (draft: string) => Promise<T>): Promise<T> {
  requireNewFile(file)
  const draft = `${file}.partial`
  try {
    const result = await write(draft)
    // Someone may have made a file with this name meanwhile.
    requireNewFile(file)
    await namingDiskFaults(`Can't write ${file}`, async () => {
      await rename(draft, file)
      await syncFolder(dirname(resolve(file)))
    })
    return result
  } finally {
    // If nothing can be written, nothing can be deleted either. The first error is the reason.
    await rm(draft, { force: true }).catch(() => {})
  }
}

function requireNewFile(file: string): void {
  if (existsSync(file)) throw new BackupError(`${file} exists already. Choose another name.`)
  const folder = dirname(resolve(file))
  if (!existsSync(folder)) {
    throw new BackupError(`Can't write ${basename(file)}: there is no folder ${folder}.`)
  }
}

export async function* encrypt(bytes: Bytes, passphrase: string): AsyncGenerator<Uint8Array> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  yield* await encrypter.encrypt(webStreamOf(bytes))
}

async function* decrypt(file: string, bytes: Bytes, passphrase: string): AsyncGenerator<Uint8Array> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  const decrypted = await decrypter.decrypt(webStreamOf(bytes)).catch((cause) => {
    const isWrong = cause instanceof Error && cause.message.includes('no identity matched')
    throw isWrong ? new BackupError(`The passphrase doesn't fit ${file}.`, { cause }) : cause
  })
  yield* decrypted
}

function webStreamOf(bytes: Bytes): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = bytes[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(new Uint8Array(value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/** Returns the first bytes, and an iterable over all of them. */
async function peek(bytes: Bytes): Promise<{ head: Buffer; bytes: Bytes }> {
  const rest = bytes[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let size = 0
  while (size < HEAD_BYTES) {
    const { done, value } = await rest.next()
    if (done) break
    first.push(value)
    size += value.byteLength
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* first
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  return { head: Buffer.concat(first), bytes: all() }
}
