import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { decodeWords } from 'postal-mime'
import { cleanFileName } from '../../../attachments/file-name.ts'
import { sniffType } from '../../../attachments/file-type.ts'
import { readHeaders } from './mail-headers.ts'
import type { MimePart } from './mime-parts.ts'
import type { MailAttachment } from './parsed-mail.ts'

/** Bytes that tell the type of a file. */
const HEAD_BYTES = 65_536
/** Types that have a signature. A file without one isn't of them, whatever the sender declares. */
const SIGNED = /^(?:image|video|audio)\/|^application\/pdf$/
const WELL_FORMED = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/

/** Writes a file and returns where it is. Throws errors of the file system, and leaves nothing behind then. */
export type StoreFile = (
  content: Iterable<Uint8Array>,
  declared: Pick<MailAttachment, 'name' | 'type' | 'contentId'>,
) => MailAttachment

/**
 * Writes the files of one mail into a folder, each under a name of its own, so that another mail with the same file has
 * another one. The same content twice is one file. They are not synced: the file store does that when it adopts them.
 */
export function createFileWriter(folder: string): StoreFile {
  const written = new Map<string, string>()
  return (content, declared) => {
    const path = join(folder, crypto.randomUUID())
    const { hash, size, head } = writeFile(path, content)
    const same = written.get(hash)
    if (same !== undefined) rmSync(path)
    else written.set(hash, path)
    return { ...declared, hash, path: same ?? path, size, type: mediaType(head, declared), isInline: false }
  }
}

function writeFile(
  path: string,
  content: Iterable<Uint8Array>,
): { hash: string; size: number; head: Uint8Array } {
  const hasher = new Bun.CryptoHasher('sha256')
  const head: Uint8Array[] = []
  let size = 0
  const file = openSync(path, 'wx', 0o600)
  try {
    for (const chunk of content) {
      for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at)
      hasher.update(chunk)
      if (size < HEAD_BYTES) head.push(chunk.subarray(0, HEAD_BYTES - size))
      size += chunk.length
    }
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  return { hash: hasher.digest('hex'), size, head: Buffer.concat(head) }
}

/** The declared type only where the content says nothing: senders declare anything. */
function mediaType(head: Uint8Array, { name, type }: { name: string; type: string }): string {
  const sniffed = sniffType(head, name)
  const isVague = sniffed === 'application/octet-stream' || sniffed === 'text/plain'
  return isVague && WELL_FORMED.test(type) && !SIGNED.test(type) ? type : sniffed
}

const MAX_SUBJECT_LENGTH = 100
/** Names of files without one, by the type of the part. */
const NAMES: Record<string, string> = {
  'text/calendar': 'invite.ics',
  'text/plain': 'text.txt',
  'text/html': 'text.html',
  'text/csv': 'table.csv',
  'text/vcard': 'contact.vcf',
  'text/rfc822-headers': 'headers.txt',
  'message/delivery-status': 'delivery-status.txt',
  'application/pdf': 'document.pdf',
  'application/zip': 'archive.zip',
  'application/ms-tnef': 'winmail.dat',
  'application/pkcs7-mime': 'smime.p7m',
  'application/pkcs7-signature': 'smime.p7s',
  'application/pgp-signature': 'signature.asc',
}
const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp|tiff|heic)$/

/** The name of a file: the sender's last path segment, or one made from the type. */
export function attachmentName(part: MimePart): string {
  const { type, parameters, disposition } = part
  const declared = disposition.parameters.get('filename') ?? parameters.get('name') ?? ''
  if (/[^./\\\s]/.test(declared)) return cleanFileName(declared)
  if (type === 'message/rfc822') return cleanFileName(`${subjectOf(part) || 'message'}.eml`)
  return NAMES[type] ?? imageName(type) ?? 'attachment.bin'
}

/** The name of an image without one. Undefined for other files. */
export function imageName(type: string): string | undefined {
  const [, format] = IMAGE.exec(type) ?? []
  return format && `image.${format === 'jpeg' ? 'jpg' : format}`
}

function subjectOf({ body }: MimePart): string {
  const subject = decodeWords(readHeaders(body).headers.first('subject') ?? '')
  return subject.replace(/[/\\]/g, '-').slice(0, MAX_SUBJECT_LENGTH).trim()
}
