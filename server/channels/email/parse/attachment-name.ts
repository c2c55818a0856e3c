import { decodeWords } from 'postal-mime'
import { cleanFileName } from '../../../attachments/file-name.ts'
import { readHeaders } from './mail-headers.ts'
import type { MimePart } from './mime-parts.ts'

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
  const given = disposition.parameters.get('filename') ?? parameters.get('name') ?? ''
  if (/[^./\\\s]/.test(given)) return cleanFileName(given)
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
