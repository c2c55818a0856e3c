import { and, eq, type SQL, sql } from 'drizzle-orm'
import { recordAudit } from '../audit/audit.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { integer, statement, text } from '../database/statement.ts'
import { savedReplies } from '../database/tables/saved-replies.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { isId } from '../ids.ts'
import { MAX_SLICE_ROWS, sliceLengths } from '../responses/row-slices.ts'

export type SavedReply = typeof savedReplies.$inferSelect

/** Sizes that are looked up at once. */
const MAX_SIZES = 500
/** What a saved reply takes beside its text. */
const ROW_BYTES = 300

type Place = { name: string; id: string }
const START: Place = { name: '', id: '' }

/** Whether they can be read and sent at once. */
export async function areSavedRepliesFew({ database: { read } }: Deps, orgId: string): Promise<boolean> {
  const sizes = await findSizes(read, { orgId, ...START, limit: MAX_SLICE_ROWS + 1 })
  return sizes.length <= MAX_SLICE_ROWS && sliceLengths(sizes).length <= 1
}

/** In order of their names, in slices. */
export async function* savedReplySlices(
  { database: { read } }: Deps,
  orgId: string,
): AsyncGenerator<SavedReply[], void, void> {
  let place = START
  for (;;) {
    const ahead = await findSizes(read, { orgId, ...place, limit: MAX_SIZES })
    if (ahead.length === 0) return
    for (const limit of sliceLengths(ahead)) {
      const replies = await findReplies(read, { orgId, ...place, limit })
      const last = replies.at(-1)
      if (!last) return
      place = { name: last.name, id: last.id }
      yield replies
    }
  }
}

const slice = { orgId: text, name: text, id: text, limit: integer }

const findSizes = statement('saved_reply_sizes', slice, (read: Reader, p) =>
  read
    .select({
      size: sql<number>`octet_length(${savedReplies.text}) + ${sql.raw(String(ROW_BYTES))}`.mapWith(Number),
    })
    .from(savedReplies)
    .where(isAfter(p))
    .orderBy(inOrder(p)),
)

const findReplies = statement('saved_replies', slice, (read: Reader, p) =>
  read.select().from(savedReplies).where(isAfter(p)).orderBy(inOrder(p)),
)

function isAfter({ orgId, name, id }: Record<'orgId' | 'name' | 'id', SQL>): SQL | undefined {
  return and(
    eq(savedReplies.orgId, orgId),
    sql`(${savedReplies.name}, ${savedReplies.id}) > (${name}, ${id})`,
  )
}

function inOrder({ limit }: { limit: SQL }): SQL {
  return sql`${savedReplies.name}, ${savedReplies.id} limit ${limit}`
}

export async function createSavedReply(
  deps: Deps,
  orgId: string,
  input: { name: string; text: string },
): Promise<SavedReply> {
  const now = deps.clock.now()
  const id = deps.newId('svr')
  const reply = { id, orgId, name: input.name.trim(), text: input.text, createdAt: now, updatedAt: now }
  await deps.database.write(async (tx) => {
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
  return deps.database.write(async (tx) => {
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
  await deps.database.write(async (tx) => {
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
  action: string,
): Promise<void> {
  await recordAudit(deps, tx, orgId, { action, subject: { id, label: name } })
  await recordWorkspaceChange(deps, tx, orgId)
}
