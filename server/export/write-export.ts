import { createWriteStream } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { and, asc, eq, isNotNull } from 'drizzle-orm'
import { encrypt, writeNewFile } from '../backup/archive-file.ts'
import { BackupError, namingDiskFaults } from '../backup/backup-error.ts'
import type { Reader } from '../database/database.ts'
import { inByteOrder, openReadTransaction, type ReadTransaction } from '../database/read-transaction.ts'
import { attachments } from '../database/tables/attachments.ts'
import { mails } from '../database/tables/mailboxes.ts'
import type { Deps } from '../deps.ts'
import { verifySecretKey } from '../organizations/verify-secret-key.ts'
import { CHUNK_BYTES, type ExportEnd, headerOf } from './export-format.ts'
import { FIELDED_KINDS, type FieldedKind, recordOf } from './record-kinds.ts'

/** A mail or the body of a webhook may have megabytes. */
const ROWS_AT_ONCE = 64
const HASHES_AT_ONCE = 1_000
/** Bytes written at once. */
const BLOCK_LENGTH = 256 * 1024

interface ExportResult {
  /** Size of the file. */
  bytes: number
  /** Records by kind, and `file`. */
  records: Record<string, number>
  /** Files of attachments and mails that are not in the data folder, or changed there. */
  missing: number
}

/**
 * Writes everything of an organization to a new file, whether or not a server is running. It is the state of one moment.
 * The file appears under its name only when it is complete, and only its owner can read it. Throws `BackupError`, and
 * leaves nothing behind then.
 */
export async function exportOrganization(
  deps: Deps,
  organization: { id: string; name: string },
  { file, passphrase }: { file: string; passphrase: string | undefined },
): Promise<ExportResult> {
  await verifySecretKey(deps)
  const result: ExportResult = { bytes: 0, records: {}, missing: 0 }
  const read = await openReadTransaction(deps.config)
  try {
    return await writeNewFile(file, async (draft) => {
      const text = sealed(linesOf({ deps, read, organization, result }))
      const out = createWriteStream(draft, { mode: 0o600, flush: true })
      await namingDiskFaults(`Can't write to ${dirname(resolve(file))}`, () =>
        passphrase === undefined
          ? pipeline(text, out)
          : pipeline(text, (bytes) => encrypt(bytes, passphrase), out),
      )
      return { ...result, bytes: (await stat(draft)).size }
    })
  } finally {
    await read.close()
  }
}

interface Exporting {
  deps: Deps
  read: ReadTransaction
  organization: { id: string; name: string }
  result: ExportResult
}

async function* linesOf(exporting: Exporting): AsyncGenerator<object> {
  yield headerOf(exporting.organization)
  for (const kind of FIELDED_KINDS) yield* recordsOf(exporting, kind)
  yield* filesOf(exporting)
}

async function* recordsOf(
  { deps, read, organization, result }: Exporting,
  kind: FieldedKind,
): AsyncGenerator<object> {
  const { name, table, fields, ownedBy, orderedBy, boundTo } = kind
  const selected = Object.fromEntries(fields.map((field) => [field.name, field.column]))
  const query = (reader: Reader) =>
    reader
      .select(selected)
      .from(table)
      .where(eq(ownedBy, organization.id))
      .orderBy(...orderedBy.map(inByteOrder))
  const columns = fields.map(({ column }) => column)
  const placeOf = (field: string) => fields.findIndex((one) => one.name === field)
  const [owner, deletedAt] = [placeOf(boundTo), placeOf('deletedAt')]
  result.records[name] = 0
  for await (const page of read.rows(query, columns, ROWS_AT_ONCE)) {
    result.records[name] += page.length
    for (const values of page) {
      const boundTo = owner < 0 ? organization.id : String(values[owner])
      const isRemoved = deletedAt >= 0 && values[deletedAt] !== null
      yield recordOf(kind, values, (secret) => reveal(deps, { secret, boundTo, isRemoved }))
    }
  }
}

/**
 * The server doesn't use the secrets of removed channels and endpoints, so some may be encrypted with an earlier key.
 */
function reveal(
  { encryption }: Deps,
  { secret, boundTo, isRemoved }: { secret: Uint8Array; boundTo: string; isRemoved: boolean },
): string {
  try {
    return encryption.decrypt(secret, boundTo)
  } catch (cause) {
    if (isRemoved) return ''
    throw new BackupError(`A secret of ${boundTo} was encrypted with another key. Set it again first.`, {
      cause,
    })
  }
}

/** Each file once, whatever refers to it. */
async function* filesOf({ deps, read, organization: { id }, result }: Exporting): AsyncGenerator<object> {
  const query = (reader: Reader) => {
    const ofMails = reader
      .selectDistinct({ hash: mails.hash })
      .from(mails)
      .where(and(eq(mails.orgId, id), isNotNull(mails.hash)))
    const ofAttachments = reader
      .selectDistinct({ hash: attachments.hash })
      .from(attachments)
      .where(eq(attachments.orgId, id))
    const all = ofMails.union(ofAttachments).as('files')
    return reader
      .select({ hash: all.hash })
      .from(all)
      .orderBy(asc(inByteOrder(all.hash)))
  }
  result.records.file = 0
  for await (const page of read.rows(query, [attachments.hash], HASHES_AT_ONCE)) {
    for (const [hash] of page) {
      result.records.file += 1
      yield* fileOf(deps, String(hash), result)
    }
  }
}

async function* fileOf(deps: Deps, sha256: string, result: ExportResult): AsyncGenerator<object> {
  const handle = await openIntact(deps, sha256)
  if (!handle) {
    result.missing += 1
    yield { record: 'file', sha256, bytes: null }
    return
  }
  try {
    const { size } = await handle.stat()
    yield { record: 'file', sha256, bytes: size }
    for (let start = 0; start < size; start += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES, size - start)
      yield { record: 'fileBytes', base64: (await readExactly(handle, start, length)).toString('base64') }
    }
  } finally {
    await handle.close()
  }
}

/** Undefined for a file that isn't there, or whose bytes have changed. An open one stays readable when it is deleted. */
async function openIntact({ files }: Deps, hash: string): Promise<FileHandle | undefined> {
  const found = await files.open(hash)
  if (!('file' in found) || found.file.name === undefined) return undefined
  try {
    return await open(found.file.name, 'r')
  } catch {
    return undefined
  }
}

async function readExactly(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, start + filled)
    if (bytesRead === 0) throw new Error('A file became shorter while it was exported.')
    filled += bytesRead
  }
  return bytes
}

/** The text of the lines in blocks, and after them the line by which damage is noticed. */
async function* sealed(lines: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  const hasher = new Bun.CryptoHasher('sha256')
  let count = 0
  let block: string[] = []
  let length = 0
  function takeBlock(): Uint8Array {
    const bytes = Buffer.from(block.join(''))
    hasher.update(bytes)
    block = []
    length = 0
    return bytes
  }
  for await (const line of lines) {
    const text = `${JSON.stringify(line)}\n`
    count += 1
    length += text.length
    block.push(text)
    if (length >= BLOCK_LENGTH) yield takeBlock()
  }
  yield takeBlock()
  const end: ExportEnd = { record: 'end', lines: count, sha256: hasher.digest('hex') }
  yield Buffer.from(`${JSON.stringify(end)}\n`)
}
