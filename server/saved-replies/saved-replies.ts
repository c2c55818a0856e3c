import { and, eq, sql } from 'drizzle-orm'
import { detachUploads, replaceFiles, uploadCopies } from '../attachments/bindings.ts'
import { type Attachment, findAttachmentsOf, withAttachments } from '../attachments/queries.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import type { AuditAction } from '../database/tables/audit.ts'
import { savedReplies, savedReplyUses } from '../database/tables/saved-replies.ts'
import type { Actions } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { isId } from '../ids.ts'
import { inSlice, readInSlices } from '../responses/row-slices.ts'
import { isBlank } from '../text/text.ts'
import { lockAssignees, unknownAgent } from '../tickets/update-ticket.ts'

type StoredReply = typeof savedReplies.$inferSelect

/** As one agent sees it. */
export interface SavedReply extends StoredReply {
  attachments: Attachment[]
  /** How often that agent has used it. */
  uses: number
}

/** What a saved reply takes beside its text. */
const ROW_BYTES = 300

interface Content {
  name: string
  text: string
  /** Shared with the team; otherwise only its author sees it. */
  isShared: boolean
  actions: Actions | null
  /** Ids of its files and of uploads of the agent, in order. */
  attachments: string[]
}

/** In order of their names, in slices: the team's, and those of an agent. */
export function savedReplySlices(
  { database: { read } }: Deps,
  orgId: string,
  agentId: string,
): AsyncGenerator<SavedReply[], void, void> {
  return readInSlices(
    { name: '', id: '' },
    ({ name, id }: SavedReply) => ({ name, id }),
    async (place) => {
      const replies = await nextReplies(read, { orgId, agentId, ...place })
      const uses = new Map(
        (await usesOf(read, { orgId, agentId })).map(({ replyId, count }) => [replyId, count]),
      )
      const withFiles = await withAttachments(read, orgId, replies)
      return withFiles.map((reply) => ({ ...reply, uses: uses.get(reply.id) ?? 0 }))
    },
  )
}

const nextReplies = statement(
  'saved_replies',
  { orgId: text, agentId: text, name: text, id: text },
  (read: Reader, p) => {
    const { orgId, agentId, isShared, name, id } = savedReplies
    const where = and(
      eq(orgId, p.orgId),
      sql`(${isShared} or ${agentId} = ${p.agentId})`,
      sql`(${name}, ${id}) > (${p.name}, ${p.id})`,
    )
    const bytes = sql`octet_length(${savedReplies.text}) + ${sql.raw(String(ROW_BYTES))}`
    return read
      .select()
      .from(savedReplies)
      .where(where)
      .orderBy(inSlice([name, id], { where, bytes }))
  },
)

const usesOf = statement('saved_reply_uses', { orgId: text, agentId: text }, (read: Reader, p) =>
  read
    .select({ replyId: savedReplyUses.replyId, count: savedReplyUses.count })
    .from(savedReplyUses)
    .where(matches(savedReplyUses, { orgId: p.orgId, agentId: p.agentId })),
)

/** Throws 400 for one that has nothing in it, for an unknown agent in its actions, and for files that can't be used. */
export async function createSavedReply(
  deps: Deps,
  orgId: string,
  { agentId, ...input }: Pick<Content, 'name' | 'text'> & Partial<Content> & { agentId: string | null },
): Promise<SavedReply> {
  const now = deps.clock.now()
  const id = deps.newId('svr')
  const { isShared = true, attachments: ids = [] } = input
  const content = {
    name: input.name.trim(),
    text: input.text,
    isShared,
    actions: cleanActions(input.actions),
  }
  requireContent({ ...content, attachments: ids })
  return deps.database.write(orgId, async (tx) => {
    await requireAssignee(tx, orgId, content.actions)
    const dates = { createdAt: now, updatedAt: now }
    const reply = { id, orgId, agentId, ...content, attachmentCount: ids.length, ...dates }
    await tx.insert(savedReplies).values(reply)
    const attachments = await replaceFiles(deps, tx, orgId, { ownerId: id, ids, agentId: agentId ?? '' })
    await recordSavedReplyChange(deps, tx, reply, 'saved_reply.created')
    return { ...reply, attachments, uses: 0 }
  })
}

/** Throws 404, the same as creating one, and 403 when someone else than its author takes it from the team. */
export function updateSavedReply(
  deps: Deps,
  orgId: string,
  { id, agentId, change }: { id: string; agentId: string; change: Partial<Content> },
): Promise<SavedReply> {
  return deps.database.write(orgId, async (tx) => {
    if (change.actions) await requireAssignee(tx, orgId, change.actions)
    const before = await requireReply(tx, orgId, { id, agentId })
    if (change.isShared === false && before.isShared && before.agentId !== agentId) throw notYours()
    const { attachments: ids, actions, ...fields } = change
    const known = await findAttachmentsOf(tx, { orgId, ownerId: id })
    const wanted = ids ?? known.map((file) => file.id)
    const after: StoredReply = {
      ...before,
      ...fields,
      name: (fields.name ?? before.name).trim(),
      actions: actions === undefined ? before.actions : cleanActions(actions),
      attachmentCount: wanted.length,
      updatedAt: deps.clock.now(),
    }
    requireContent({ ...after, attachments: wanted })
    await tx.update(savedReplies).set(after).where(matches(savedReplies, { orgId, id }))
    const attachments = ids ? await replaceFiles(deps, tx, orgId, { ownerId: id, ids, agentId }) : known
    await recordSavedReplyChange(deps, tx, after, 'saved_reply.changed')
    return { ...after, attachments, uses: 0 }
  })
}

/** Its files are uploads of the agent again, for an Undo. Throws 404. */
export async function deleteSavedReply(
  deps: Deps,
  orgId: string,
  { id, agentId }: { id: string; agentId: string },
): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const reply = await requireReply(tx, orgId, { id, agentId })
    if (reply.attachmentCount > 0) await detachUploads(deps, tx, orgId, { ownerId: id, agentId })
    await tx.delete(savedReplyUses).where(matches(savedReplyUses, { orgId, replyId: id }))
    await tx.delete(savedReplies).where(matches(savedReplies, { orgId, id }))
    await recordSavedReplyChange(deps, tx, reply, 'saved_reply.deleted')
  })
}

/** Counts that an agent has used it, and returns copies of its files as their uploads, to send. Throws 404. */
export function recordSavedReplyUse(
  deps: Deps,
  orgId: string,
  { id, agentId }: { id: string; agentId: string },
): Promise<Attachment[]> {
  return deps.database.write(orgId, async (tx) => {
    const reply = await requireReply(tx, orgId, { id, agentId })
    const lastUsedAt = deps.clock.now()
    await tx
      .insert(savedReplyUses)
      .values({ orgId, agentId, replyId: id, count: 1, lastUsedAt })
      .onConflictDoUpdate({
        target: [savedReplyUses.orgId, savedReplyUses.agentId, savedReplyUses.replyId],
        set: { count: sql`${savedReplyUses.count} + 1`, lastUsedAt },
      })
    return reply.attachmentCount === 0 ? [] : uploadCopies(deps, tx, orgId, { ownerId: id, agentId })
  })
}

/** Locks its row. Another agent's own one isn't there. */
async function requireReply(
  tx: Transaction,
  orgId: string,
  { id, agentId }: { id: string; agentId: string },
): Promise<StoredReply> {
  if (!isId('svr', id)) throw notFound('saved reply')
  const [reply] = await tx
    .update(savedReplies)
    .set({ id })
    .where(matches(savedReplies, { orgId, id }))
    .returning()
  if (!reply || !(reply.isShared || reply.agentId === agentId)) throw notFound('saved reply')
  return reply
}

async function requireAssignee(tx: Transaction, orgId: string, actions: Actions | null): Promise<void> {
  if (!actions?.assignedTo) return
  const assignable = await lockAssignees(tx, orgId, [actions])
  if (!assignable.has(actions.assignedTo)) throw unknownAgent('/actions/assignedTo')
}

/** Null if they do nothing. */
function cleanActions(actions: Actions | null = null): Actions | null {
  const does = Object.values(actions ?? {}).some((value) => !Array.isArray(value) || value.length > 0)
  return does ? actions : null
}

function requireContent({ text: written, actions, attachments }: Omit<Content, 'name' | 'isShared'>): void {
  if (!isBlank(written) || actions || attachments.length > 0) return
  const detail = 'Write a text, add a file, or choose an action.'
  throw invalid([{ pointer: '/text', code: 'blank', detail }])
}

function notYours(): AppError {
  const detail = 'Only its author can take a saved reply from the team. You can delete it instead.'
  return new AppError(403, 'not_yours', detail)
}

/** The audit log has what concerns the team. */
async function recordSavedReplyChange(
  deps: Deps,
  tx: Transaction,
  { orgId, id, name, isShared }: StoredReply,
  action: AuditAction,
): Promise<void> {
  if (isShared) await recordAudit(deps, tx, orgId, { action, subject: { id, label: name } })
  recordWorkspaceChange(deps, tx, orgId)
}
