import type { BunFile } from 'bun'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { isNamed } from '../requests/headers.ts'
import { contentDisposition } from './file-name.ts'
import { downloadType, isShownInline } from './file-type.ts'
import { type Attachment, findAttachment } from './queries.ts'

interface Viewer {
  /** Id of the agent, or of the API key. */
  id: string
  /** The API shows no notes, and so no files of notes. */
  seesNotes: boolean
}

/**
 * An attachment that the viewer may see, and its file: those of messages, and the viewer's own uploads. Throws 404, with
 * the code `file_missing` or `file_changed` when the bytes are not what they were.
 */
export async function openAttachment(
  deps: Deps,
  orgId: string,
  { id, viewer }: { id: string; viewer: Viewer },
): Promise<{ attachment: Attachment; file: BunFile }> {
  const attachment = isId('att', id) ? await findAttachment(deps.database.read, { orgId, id }) : undefined
  if (!attachment || !isVisible(attachment, viewer)) throw notFound('attachment')
  const opened = await deps.files.open(attachment.hash)
  if ('file' in opened) return { attachment, file: opened.file }
  deps.log.error('attachment_file_damaged', { attachment: id, file: attachment.hash, fault: opened.fault })
  throw damaged(opened.fault)
}

function isVisible({ ownerId, uploadedBy }: Attachment, viewer: Viewer): boolean {
  if (ownerId === null) return uploadedBy === viewer.id
  return viewer.seesNotes || !isId('not', ownerId)
}

function damaged(fault: 'missing' | 'changed'): AppError {
  return fault === 'missing'
    ? new AppError(404, 'file_missing', 'The file is missing on the server. It may be in a backup.')
    : new AppError(
        404,
        'file_changed',
        'The file was damaged on the server. An undamaged one may be in a backup.',
      )
}

/**
 * The response with the file: whole, a range of it (RFC 9110, section 14), or 304. Nothing in it can run: only images are
 * shown, everything else is saved, and even a page made from it could load nothing.
 */
export function fileResponse(
  { headers, method }: Request,
  { attachment, file }: { attachment: Attachment; file: BunFile },
  caching = 'no-store',
): Response {
  const { hash, name, type, size } = attachment
  const etag = `"${hash}"`
  const common = {
    etag,
    'cache-control': caching,
    // Another visitor in the same browser must not get it from the cache.
    vary: 'Authorization, Cookie',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
  }
  if (isNamed(headers.get('if-none-match') ?? '', etag))
    return new Response(null, { status: 304, headers: common })
  const described = {
    ...common,
    'content-type': downloadType(type),
    'content-disposition': contentDisposition(isShownInline(type) ? 'inline' : 'attachment', name),
  }
  const range = wantedRange(headers, { etag, size })
  if (range === 'unsatisfiable') throw unsatisfiable(size)
  const [start, end] = range ?? [0, size - 1]
  return new Response(method === 'HEAD' ? null : file.slice(start, end + 1), {
    status: range ? 206 : 200,
    headers: {
      ...described,
      'content-length': String(end - start + 1),
      ...(range && { 'content-range': `bytes ${start}-${end}/${size}` }),
    },
  })
}

/** First and last byte. Undefined for the whole file: without a range, and for several or malformed ones. */
function wantedRange(
  headers: Headers,
  { etag, size }: { etag: string; size: number },
): [number, number] | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get('range')?.trim() ?? '')
  const ifRange = headers.get('if-range')
  if (!match || (ifRange !== null && ifRange !== etag)) return undefined
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return undefined
  if (first === '') return Number(last) > 0 ? [Math.max(size - Number(last), 0), size - 1] : 'unsatisfiable'
  if (Number(first) >= size) return 'unsatisfiable'
  if (last !== '' && Number(last) < Number(first)) return undefined
  return [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)]
}

function unsatisfiable(size: number): AppError {
  return new AppError(416, 'range_not_satisfiable', `The file has ${size} bytes.`, {
    headers: { 'content-range': `bytes */${size}` },
  })
}
