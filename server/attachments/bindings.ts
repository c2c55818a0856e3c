import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { attachments } from '../database/tables/attachments.ts'
import type { Deps } from '../deps.ts'
import { type Fault, invalid } from '../errors.ts'
import { type Attachment, findAttachmentsOf, insertAttachments } from './queries.ts'

/** Uploads that a request names. */
interface Uploads {
  ids: string[]
  /** Id of the agent or the API key. */
  uploader: string
}

/** A file that arrived with a message. It must be kept in the store until the unit is over. */
export type ReceivedFile = Pick<Attachment, 'hash' | 'name' | 'type' | 'size' | 'width' | 'height'> &
  Partial<Pick<Attachment, 'contentId' | 'isInline' | 'position'>>

/** The files of a new message: uploads, what arrived with it, or those that it had while it was scheduled. */
export type NewAttachments = { uploads: Uploads } | { received: ReceivedFile[] } | { bound: Attachment[] }

/** What gets the files: a message, scheduled message, note or suggestion. */
interface Owner {
  ownerId: string
  /** Null for a message that opens a ticket later. */
  ticketId: string | null
}

/**
 * Makes files the attachments of a message, in the unit that stores it. Returns them in order. Throws 400 for too many
 * uploads, and for any that the uploader can't send (anymore).
 */
export async function attach(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { files, ...owner }: Owner & { files: NewAttachments | undefined },
): Promise<Attachment[]> {
  if (!files) return []
  if ('bound' in files) return files.bound
  if ('received' in files) return insertReceived(deps, tx, orgId, { ...owner, received: files.received })
  return attachUploads(deps, tx, orgId, { ...owner, ...files.uploads })
}

async function insertReceived(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { received, ...owner }: Owner & { received: ReceivedFile[] },
): Promise<Attachment[]> {
  const createdAt = deps.clock.now()
  const rows = received.map((file, position) => ({
    contentId: null,
    isInline: false,
    position,
    ...file,
    ...owner,
    id: deps.newId('att'),
    orgId,
    uploadedBy: null,
    createdAt,
  }))
  await insertAttachments(tx, rows)
  return rows
}

async function attachUploads(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { ids, uploader, ticketId, ownerId }: Owner & Uploads,
): Promise<Attachment[]> {
  if (ids.length === 0) return []
  requireReasonable(deps, ids)
  const attached = await tx
    .update(attachments)
    .set({ ownerId, ticketId, position: positionIn(ids) })
    .where(isUnsent(orgId, ids, uploader))
    .returning()
  requireAll(ids, attached)
  return attached.sort((one, other) => one.position - other.position)
}

/** Gives the files of a message that opens a ticket to that ticket. */
export async function bindToTicket(
  tx: Transaction,
  orgId: string,
  { ownerId, ticketId }: { ownerId: string; ticketId: string },
): Promise<void> {
  await tx.update(attachments).set({ ticketId }).where(matches(attachments, { orgId, ownerId }))
}

/** Keeps uploads for a draft, and releases those that it had `before`. Throws the same. */
export async function keepForDraft(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { ids, before, uploader, ticketId }: Uploads & { before: string[]; ticketId: string },
): Promise<void> {
  const dropped = before.filter((id) => !ids.includes(id))
  if (dropped.length > 0) {
    await tx
      .update(attachments)
      .set({ ticketId: null })
      .where(and(isUnsent(orgId, dropped, uploader), eq(attachments.ticketId, ticketId)))
  }
  if (ids.length === 0) return
  requireReasonable(deps, ids)
  const kept = await tx
    .update(attachments)
    .set({ ticketId })
    .where(isUnsent(orgId, ids, uploader))
    .returning({ id: attachments.id })
  requireAll(ids, kept)
}

/**
 * Makes the attachments of a message that is taken back uploads again. With an agent they are in a draft of the ticket, and
 * that agent can send them; an API key can send its own again.
 */
export async function detachUploads(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { ownerId, agentId }: { ownerId: string; agentId: string | null },
): Promise<void> {
  await tx
    .update(attachments)
    .set({
      ownerId: null,
      createdAt: deps.clock.now(),
      ...(agentId === null ? { ticketId: null } : { uploadedBy: agentId }),
    })
    .where(matches(attachments, { orgId, ownerId }))
}

/**
 * Makes these the files of a saved reply, in order: some that it has, and uploads of the agent. Its others are uploads of the
 * agent again. Throws the same.
 */
export async function replaceFiles(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { ownerId, ids, agentId }: { ownerId: string; ids: string[]; agentId: string },
): Promise<Attachment[]> {
  await detachUploads(deps, tx, orgId, { ownerId, agentId })
  return attachUploads(deps, tx, orgId, { ownerId, ticketId: null, ids, uploader: agentId })
}

/** Copies the files of a saved reply or a suggestion as uploads of an agent, in order. */
export async function uploadCopies(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { ownerId, agentId }: { ownerId: string; agentId: string },
): Promise<Attachment[]> {
  const files = await findAttachmentsOf(tx, { orgId, ownerId })
  const createdAt = deps.clock.now()
  const copies = files.map((file) => ({
    ...file,
    id: deps.newId('att'),
    ownerId: null,
    ticketId: null,
    uploadedBy: agentId,
    createdAt,
  }))
  await insertAttachments(tx, copies)
  return copies
}

function isUnsent(orgId: string, ids: string[], uploader: string): SQL | undefined {
  return and(
    eq(attachments.orgId, orgId),
    inArray(attachments.id, ids),
    isNull(attachments.ownerId),
    eq(attachments.uploadedBy, uploader),
  )
}

function positionIn(ids: string[]): SQL {
  const cases = ids.map((id, position) => sql`when ${id} then ${sql.raw(String(position))}`)
  return sql`case ${attachments.id} ${sql.join(cases, sql` `)} else 0 end`
}

function requireReasonable({ config }: Deps, ids: string[]): void {
  const most = config.attachmentsPerMessage
  if (ids.length > most) {
    const detail = `Must have at most ${most} entries.`
    throw invalid([{ pointer: '/attachments', code: 'too_many', detail }])
  }
  const repeated = ids.flatMap((id, index): Fault[] => {
    if (ids.indexOf(id) === index) return []
    return [{ pointer: `/attachments/${index}`, code: 'repeated', detail: 'List each attachment only once.' }]
  })
  if (repeated.length > 0) throw invalid(repeated)
}

function requireAll(ids: string[], found: { id: string }[]): void {
  if (found.length === ids.length) return
  const known = new Set(found.map(({ id }) => id))
  throw invalid(
    ids.flatMap((id, index): Fault[] => {
      if (known.has(id)) return []
      const detail = 'You have no unsent upload with this id. Upload the file again.'
      return [{ pointer: `/attachments/${index}`, code: 'unknown_attachment', detail }]
    }),
  )
}
