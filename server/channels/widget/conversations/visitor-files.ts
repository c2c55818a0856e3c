import type { BunFile } from 'bun'
import { openAttachment } from '../../../attachments/download.ts'
import { type Attachment, findAttachment } from '../../../attachments/queries.ts'
import { receiveUpload } from '../../../attachments/uploads.ts'
import type { Deps } from '../../../deps.ts'
import { AppError, notFound } from '../../../errors.ts'
import { isId } from '../../../ids.ts'
import type { CountedUpload } from '../visitors/upload-limits.ts'
import type { SignedInVisitor } from '../visitors/visitors.ts'
import { findConversation, findMessage } from './queries.ts'
import { findInMerged, followedTickets, isOwn } from './read-conversations.ts'

interface NewFile {
  name: string
  body: AsyncIterable<Uint8Array> | null
  announcedBytes: number | undefined
  /** Counts a file before it is received. Throws 429 and 507. */
  count(announcedBytes: number): Promise<CountedUpload>
}

/** Stores a file that the visitor can then send. Throws 403 before their first message, 429, and what an upload throws. */
export async function receiveFile(
  deps: Deps,
  me: SignedInVisitor,
  { name, body, announcedBytes, count }: NewFile,
): Promise<Attachment> {
  const own = await followedTickets(deps, me)
  if (own.length === 0) {
    throw new AppError(403, 'message_first', 'Write a message first. Then you can send files.')
  }
  const counted = await count(announcedBytes ?? deps.config.attachmentLimitBytes)
  const upload = { uploader: me.id, name, body, announcedBytes }
  const stored = await receiveUpload(deps, me.orgId, upload).catch((error) => {
    counted.failed()
    throw error
  })
  counted.stored(stored)
  return stored
}

/** A file of a message that the visitor sees, or their own upload. Throws 404. */
export async function openFile(
  deps: Deps,
  me: SignedInVisitor,
  id: string,
): Promise<{ attachment: Attachment; file: BunFile }> {
  const { orgId } = me
  const found = isId('att', id) ? await findAttachment(deps.database.read, { orgId, id }) : undefined
  if (!found || !(await isShown(deps, me, found))) throw notFound('file')
  return openAttachment(deps, orgId, { id, viewer: { id: me.id, seesNotes: false } })
}

/** A reply that isn't sent yet also has files, under the id that it will have. */
async function isShown(
  deps: Deps,
  me: SignedInVisitor,
  { ticketId, ownerId, uploadedBy }: Attachment,
): Promise<boolean> {
  if (ownerId === null) return uploadedBy === me.id
  if (ticketId === null) return false
  const { read } = deps.database
  const { orgId } = me
  const [conversation] = await findConversation(read, { orgId, ticketId })
  const [message] =
    conversation && isOwn(conversation, me)
      ? await findMessage(read, { orgId, ticketId, within: '', id: ownerId })
      : [await findInMerged(read, me, { ticketId, id: ownerId })]
  return message !== undefined && !message.isRemoved
}
