import { asDamage, fileOf, openArchive } from '../backup/archive-file.ts'
import { BackupError } from '../backup/backup-error.ts'
import { CHUNK_BYTES, type ExportHeader, isNewer, parseHeader } from './export-format.ts'
import { FIELDED_KINDS, type FieldedKind, rowOf } from './record-kinds.ts'

const NEWLINE = 10
/** Only this much is read of a file that isn't an export. */
const MAX_HEADER_BYTES = 64 * 1024
/** Far above the largest record. */
const MAX_LINE_BYTES = 256 * 1024 * 1024

export interface ExportFile {
  path: string
  passphrase: string | undefined
}

/** A part of an export. The bytes of a file come in pieces; read them before the next part. */
export type ExportPart =
  | { header: ExportHeader }
  | { kind: FieldedKind; row: Record<string, unknown>; length: number }
  | { file: { sha256: string; bytes: number }; pieces: AsyncGenerator<Uint8Array> }

/** Reads all of an export without doing anything. Returns its header. */
export async function verifyExport(file: ExportFile): Promise<ExportHeader> {
  let header: ExportHeader | undefined
  for await (const part of readExport(file)) {
    if ('header' in part) header = part.header
    if ('pieces' in part) for await (const _ of part.pieces);
  }
  if (!header) throw asDamage(file.path, undefined)
  return header
}

/**
 * Reads an export with bounded memory. Whether it is complete is only certain after the last part. Throws `BackupError`
 * for a file that isn't an export, is damaged, cut off, or made by a newer program, and for a wrong or missing
 * passphrase.
 */
export async function* readExport(file: ExportFile): AsyncGenerator<ExportPart> {
  const { bytes } = await openArchive(fileOf(file.path), file.passphrase)
  const lines = split(bytes)
  try {
    yield* namingDamageOf(file.path, partsOf(file.path, lines))
  } finally {
    await lines.return(undefined)
  }
}

async function* namingDamageOf<T>(path: string, parts: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* parts
  } catch (cause) {
    throw asDamage(path, cause)
  }
}

async function* partsOf(path: string, lines: AsyncGenerator<Buffer>): AsyncGenerator<ExportPart> {
  const hasher = new Bun.CryptoHasher('sha256')
  let count = 0
  let kindBefore = 0
  /** The next line, which is not the last one. */
  async function take(): Promise<Buffer | undefined> {
    const { value, done } = await lines.next()
    if (done) return undefined
    count += 1
    return value
  }

  const header = await takeHeader(path, take)
  hasher.update(header.line)
  yield { header: header.value }
  for (;;) {
    const line = await take()
    if (!line) throw new Error('The last line is missing.')
    const record = parseRecord(line)
    if (record.record === 'end') {
      const isWhole = record.lines === count - 1 && record.sha256 === hasher.digest('hex')
      if (!isWhole || (await take())) throw new Error('It has changed.')
      return
    }
    hasher.update(line)
    if (record.record === 'file') {
      const { sha256, bytes } = record
      if (bytes === null) continue
      if (typeof sha256 !== 'string' || !isSize(bytes)) throw new Error('A file has no hash or size.')
      const bytesOfFile = piecesOf({ sha256, bytes }, async () => {
        const next = await take()
        if (next) hasher.update(next)
        return next
      })
      // Errors reach the reader of the pieces.
      const pieces = namingDamageOf(path, bytesOfFile)
      yield { file: { sha256, bytes }, pieces }
      if (!(await pieces.next()).done) throw new Error('A file was not read to its end.')
      continue
    }
    const place = FIELDED_KINDS.findIndex(({ name }) => name === record.record)
    const kind = FIELDED_KINDS[place]
    if (!kind || place < kindBefore) throw new Error(`"${record.record}" isn't expected here.`)
    kindBefore = place
    yield { kind, row: rowOf(kind, record), length: line.byteLength }
  }
}

async function takeHeader(path: string, take: () => Promise<Buffer | undefined>) {
  const line = await take().catch((cause) => {
    if (cause instanceof TooLongError) return undefined
    throw cause
  })
  const value = line && parseHeader(line.toString())
  if (!line || !value) throw new BackupError(`${path} isn't a Bellhop export.`)
  if (isNewer(value)) {
    throw new BackupError(
      `${path} was made by a newer version of Bellhop, ${value.bellhop}. Use that version.`,
    )
  }
  return { line, value }
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function parseRecord(line: Buffer): Record<string, unknown> {
  const record: unknown = JSON.parse(line.toString())
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw new Error('A line has no record.')
  }
  return { ...record }
}

async function* piecesOf(
  { sha256, bytes }: { sha256: string; bytes: number },
  take: () => Promise<Buffer | undefined>,
): AsyncGenerator<Uint8Array> {
  const hasher = new Bun.CryptoHasher('sha256')
  for (let left = bytes; left > 0; ) {
    const line = await take()
    if (!line) throw new Error('The end of a file is missing.')
    const { record, base64 } = parseRecord(line)
    const piece = Buffer.from(String(base64), 'base64')
    if (record !== 'fileBytes' || piece.byteLength !== Math.min(left, CHUNK_BYTES)) {
      throw new Error('The bytes of a file are missing.')
    }
    left -= piece.byteLength
    hasher.update(piece)
    yield piece
  }
  if (hasher.digest('hex') !== sha256) throw new Error('The bytes of a file have changed.')
}

class TooLongError extends Error {}

/** The lines, each with the character that ends it. What comes after the last one is a line, too. */
async function* split(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let begun: Uint8Array[] = []
  let length = 0
  let limit = MAX_HEADER_BYTES
  for await (const chunk of bytes) {
    for (let start = 0; start < chunk.byteLength; ) {
      const newline = chunk.indexOf(NEWLINE, start)
      const part = chunk.subarray(start, newline < 0 ? undefined : newline + 1)
      length += part.byteLength
      if (length > limit) throw new TooLongError('A line is too long.')
      begun.push(part)
      start += part.byteLength
      if (newline < 0) break
      yield Buffer.concat(begun)
      begun = []
      length = 0
      limit = MAX_LINE_BYTES
    }
  }
  if (length > 0) yield Buffer.concat(begun)
}
