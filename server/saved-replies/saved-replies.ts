import { and, eq, sql } from 'drizzle-orm'
import { recordAudit } from '../audit/audit.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import type { AuditAction } from '../database/tables/audit.ts'
import { savedReplies } from '../database/tables/saved-replies.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { isId } from '../ids.ts'
import { inSlice, readInSlices } from '../responses/row-slices.ts'

export type SavedReply = typeof savedReplies.$inferSelect

/** What a saved reply takes beside its text. */
const ROW_BYTES = 300

/** In order of their names, in slices. */
export function savedReplySlices(
  { database: { read } }: Deps,
  orgId: string,
): AsyncGenerator<SavedReply[], void, void> {
  return readInSlices(
    { orgId, name: '', id: '' },
    ({ name, id }: SavedReply) => ({ orgId, name, id }),
    (place) => nextReplies(read, place),
  )
}

const nextReplies = statement('saved_replies', { orgId: text, name: text, id: text }, (read: Reader, p) => {
  const { orgId, name, id } = savedReplies
  const where = and(eq(orgId, p.orgId), sql`(${name}, ${id}) > (${p.name}, ${p.id})`)
  const bytes = sql`octet_length(${savedReplies.text}) + ${sql.raw(String(ROW_BYTES))}`
  return read
    .select()
    .from(savedReplies)
    .where(where)
    .orderBy(inSlice([name, id], { where, bytes }))
})

export async function createSavedReply(
  deps: Deps,
  orgId: string,
  input: { name: string; text: string },
): Promise<SavedReply> {
  const now = deps.clock.now()
  const id = deps.newId('svr')
  const reply = { id, orgId, name: input.name.trim(), text: input.text, createdAt: now, updatedAt: now }
  await deps.database.write(orgId, async (tx) => {
    await tx.insert(savedReplies).values(reply)
    await recordSavedReplyChange(deps, tx, reply, 'saved_reply.created')
  })
  return reply
}

/** Throws 404. */
export function updateSavedReply(
  deps: Deps,
  orgId: string,
  { id, change }: { id: string; change: { name?: string; text?: string } },
): Promise<SavedReply> {
  return deps.database.write(orgId, async (tx) => {
    const [reply] = await tx
      .update(savedReplies)
      .set({
        ...(change.name !== undefined && { name: change.name.trim() }),
        ...(change.text !== undefined && { text: change.text }),
        updatedAt: deps.clock.now(),
      })
      .where(isSavedReply(orgId, id))
      .returning()
    if (!reply) throw notFound('saved reply')
    await recordSavedReplyChange(deps, tx, reply, 'saved_reply.changed')
    return reply
  })
}

/** Throws 404. */
export async function deleteSavedReply(deps: Deps, orgId: string, id: string): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const [reply] = await tx.delete(savedReplies).where(isSavedReply(orgId, id)).returning()
    if (!reply) throw notFound('saved reply')
    await recordSavedReplyChange(deps, tx, reply, 'saved_reply.deleted')
  })
}

function isSavedReply(orgId: string, id: string) {
  if (!isId('svr', id)) throw notFound('saved reply')
  return matches(savedReplies, { orgId, id })
}

async function recordSavedReplyChange(
  deps: Deps,
  tx: Transaction,
  { orgId, id, name }: SavedReply,
  action: AuditAction,
): Promise<void> {
  await recordAudit(deps, tx, orgId, { action, subject: { id, label: name } })
  recordWorkspaceChange(deps, tx, orgId)
}
