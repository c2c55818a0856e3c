import { and, eq, isNull } from 'drizzle-orm'
import type { AlsoSave } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { attachments } from '../database/tables/attachments.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { formatSize } from '../text/sizes.ts'
import { cleanFileName } from './file-name.ts'
import type { KeptFile } from './file-store.ts'
import { isShownInEmail, sniffType } from './file-type.ts'
import { readImageSize } from './image-size.ts'
import { type Attachment, deleteFiles, findAttachment, insertAttachments } from './queries.ts'

interface NewUpload {
  /** Id of the agent, or of the API key. Only they can send it. */
  uploader: string
  name: string
  /** Whether it is shown in the text of an email, if it is an image that mail programs show. */
  isInline?: boolean
  /** The bytes as they arrive. */
  body: AsyncIterable<Uint8Array> | null
  /** The size that the request announced. */
  announcedBytes: number | undefined
}

/**
 * Stores a file that can then be sent with a message or note. Throws 400 for an empty file or a broken upload, 413, 503,
 * and 507.
 */
export async function receiveUpload(deps: Deps, orgId: string, sent: NewUpload): Promise<Attachment> {
  const { upload } = await receiveOnce(deps, orgId, sent, async (upload) => {
    await saveUpload(deps, upload)
    return { upload, isReplay: false }
  })
  return upload
}

/** The same with another way to save it, which may find that it was uploaded before. Then, this file isn't kept. */
export async function receiveOnce<Saved extends { isReplay: boolean }>(
  deps: Deps,
  orgId: string,
  { uploader, name, isInline = false, body, announcedBytes }: NewUpload,
  save: (upload: Attachment) => Promise<Saved>,
): Promise<Saved> {
  const maxBytes = deps.config.attachmentLimitBytes
  if (announcedBytes !== undefined && announcedBytes > maxBytes) {
    throw new AppError(413, 'file_too_large', `The file is larger than ${formatSize(maxBytes)}.`)
  }
  if (!body || announcedBytes === 0) throw emptyFile()
  using file = await deps.files.put(complete(body), { maxBytes })
  const { hash, size } = file
  try {
    if (size === 0) throw emptyFile()
    const described = await describeFile(file, name)
    const upload: Attachment = {
      ...described,
      id: deps.newId('att'),
      orgId,
      ticketId: null,
      ownerId: null,
      uploadedBy: uploader,
      contentId: null,
      isInline: isInline && isShownInEmail(described.type),
      position: 0,
      createdAt: deps.clock.now(),
    }
    const saved = await save(upload)
    if (saved.isReplay) await discard()
    return saved
  } catch (error) {
    await discard()
    throw error
  }

  async function discard(): Promise<void> {
    file[Symbol.dispose]()
    await deleteFiles(deps, [hash])
  }
}

/** `alsoSave` is in the same unit. */
export async function saveUpload(
  deps: Deps,
  upload: Attachment,
  alsoSave?: AlsoSave<Attachment>,
): Promise<Attachment> {
  return deps.database.write(upload.orgId, async (tx) => {
    await insertAttachments(tx, [upload])
    await alsoSave?.(tx, upload)
    return upload
  })
}

/** What the row of a stored file says about it, from its content. */
export async function describeFile(
  { hash, size, head, file }: KeptFile,
  name: string,
): Promise<Pick<Attachment, 'hash' | 'size' | 'name' | 'type' | 'width' | 'height'>> {
  const type = sniffType(head, name)
  const { width = null, height = null } = (await readImageSize(type, head, file)) ?? {}
  return { hash, size, name: cleanFileName(name), type, width, height }
}

/** Deletes an upload that is not sent. Throws 404 for another caller's, and 409 when it is sent. */
export async function deleteUpload(
  deps: Deps,
  orgId: string,
  { id, uploader }: { id: string; uploader: string },
): Promise<void> {
  if (!isId('att', id)) throw notFound('attachment')
  const [deleted] = await deps.database.write(orgId, async (tx) =>
    tx
      .delete(attachments)
      .where(
        and(
          matches(attachments, { orgId, id }),
          isNull(attachments.ownerId),
          eq(attachments.uploadedBy, uploader),
        ),
      )
      .returning({ hash: attachments.hash }),
  )
  if (deleted) {
    await deleteFiles(deps, [deleted.hash])
    return
  }
  const known = await findAttachment(deps.database.read, { orgId, id })
  if (known?.ownerId == null || known.uploadedBy !== uploader) throw notFound('attachment')
  throw new AppError(409, 'already_sent', 'The attachment is already sent.')
}

/** The body fails when its sender closes the connection. */
async function* complete(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* body
  } catch {
    throw new AppError(400, 'incomplete_body', 'The file is incomplete. Upload it again.')
  }
}

function emptyFile(): AppError {
  return new AppError(400, 'empty_file', 'The file is empty.')
}
