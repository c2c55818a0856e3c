import { and, desc, eq, inArray, isNull, lte } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { attachments } from '../database/tables/attachments.ts'
import { messages } from '../database/tables/messages.ts'
import type { MovedValues } from '../database/tables/moves.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { drafts, followers, readMarks } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { lengthOf } from '../text/text.ts'
import { MAX_MESSAGE_LENGTH } from '../tickets/messages.ts'
import { insertMovedRows } from './moved-rows.ts'
import { findNewestToRead, type MessageToRead } from './queries.ts'

// What each agent has on both tickets becomes one: drafts, read marks, following, and what the authors of waiting replies
// have seen. Undo restores both, unless the agent has changed the one since.

type Draft = typeof drafts.$inferSelect
type Mark = NonNullable<NonNullable<MovedValues['mark']>['before']>

interface Joined {
  orgId: string
  moveId: string
  from: string
  into: string
}

/** Puts the drafts of one ticket below those of the other. Throws 409 if one would be too large to save. */
export async function joinDrafts(deps: Deps, tx: Transaction, joined: Joined): Promise<void> {
  const { orgId, moveId, from: ticketId } = joined
  for (const from of await tx.select().from(drafts).where(matches(drafts, { orgId, ticketId }))) {
    const { agentId, kind } = from
    const into = await findDraft(tx, { ...from, ticketId: joined.into })
    const savedAt = Math.max(deps.clock.now(), (into?.savedAt ?? 0) + 1)
    await saveDraft(tx, { ...joinedDraft(deps, from, into), ticketId: joined.into, savedAt })
    await deleteDraft(tx, from)
    await moveUploads(tx, from, joined.into)
    const values = { draft: { from, into: into ?? null, savedAt } }
    await insertMovedRows(tx, [{ orgId, moveId, kind: 'draft', rowId: `${agentId} ${kind}`, values }])
  }
}

function joinedDraft({ config }: Deps, from: Draft, into: Draft | undefined): Draft {
  if (!into) return from
  const text = [into.text, from.text].filter((one) => one.trim() !== '').join('\n\n')
  const files = [...new Set([...into.attachments, ...from.attachments])]
  const isTooLarge = lengthOf(text) > MAX_MESSAGE_LENGTH || files.length > config.attachmentsPerMessage
  if (!isTooLarge) {
    const recipients = into.recipients ?? from.recipients
    const [actions, sendAt] = [into.actions ?? from.actions, into.sendAt ?? from.sendAt]
    return { ...into, text, attachments: files, recipients, actions, sendAt }
  }
  const detail = 'The two drafts of an agent are together too large for one. Shorten one or send it first.'
  throw new AppError(409, 'draft_too_long', detail)
}

/** Restores the drafts whose joined one no one has changed. Any other one stays in its ticket. */
export async function separateDraft(
  tx: Transaction,
  { from, into, savedAt }: NonNullable<MovedValues['draft']>,
  ticketId: string,
): Promise<void> {
  const current = await findDraft(tx, { ...from, ticketId })
  if (current?.savedAt !== savedAt) return
  if (into) await saveDraft(tx, { ...into, ticketId })
  else await deleteDraft(tx, current)
  await saveDraft(tx, from)
  await moveUploads(tx, from, from.ticketId)
}

/**
 * How far each agent has read: as far as in both tickets, but not past a message of either that is unread. A ticket that is
 * woken is unread for everyone.
 */
export async function joinMarks(
  tx: Transaction,
  { orgId, moveId, from, into, isWoken }: Joined & { isWoken: boolean },
): Promise<void> {
  const [inFrom, inInto] = [await marksOf(tx, orgId, from), await marksOf(tx, orgId, into)]
  const [[newestFrom], [newestInto]] = [
    await findNewestToRead(tx, { orgId, ticketId: from }),
    await findNewestToRead(tx, { orgId, ticketId: into }),
  ]
  for (const agentId of new Set([...inFrom.keys(), ...inInto.keys()])) {
    const [one, before] = [inFrom.get(agentId), inInto.get(agentId)]
    const areRead = isRead(newestFrom, one) && isRead(newestInto, before)
    const [lower, higher] = [one, before].sort(byTime)
    const after = isWoken ? undefined : areRead ? (higher ?? lower) : lower
    if (after?.messageId === before?.messageId) continue
    await saveMark(tx, { orgId, agentId }, into, after)
    const values = { mark: { before: before ?? null, after: after ?? null } }
    await insertMovedRows(tx, [{ orgId, moveId, kind: 'readMark', rowId: agentId, values }])
  }
}

/** Restores a mark that its agent has not moved since. */
export async function separateMark(
  tx: Transaction,
  { before, after }: NonNullable<MovedValues['mark']>,
  { orgId, agentId, ticketId }: { orgId: string; agentId: string; ticketId: string },
): Promise<void> {
  const current = (await marksOf(tx, orgId, ticketId)).get(agentId)
  if (current?.messageId !== after?.messageId) return
  await saveMark(tx, { orgId, agentId }, ticketId, before ?? undefined)
}

/**
 * The author of a reply that waits counts as having seen all that both tickets had when it was written: only what comes
 * after it holds it. Comes after the messages have moved.
 */
export async function joinSeen(tx: Transaction, { orgId, moveId, into: ticketId }: Joined): Promise<void> {
  const { id, seenMessageId, seenAt, createdAt } = scheduledMessages
  const waiting = await tx
    .select({ id, seenMessageId, seenAt, createdAt })
    .from(scheduledMessages)
    .where(matches(scheduledMessages, { orgId, ticketId }))
  for (const { id: rowId, seenMessageId, seenAt, createdAt } of waiting) {
    if (seenMessageId === null || seenAt === null) continue
    // Seen while it waited: it counts as seen by its id, however late it is sent.
    if (waiting.some(({ id }) => id === seenMessageId)) continue
    const [newest] = await tx
      .select({ seenMessageId: messages.id, seenAt: messages.createdAt })
      .from(messages)
      .where(and(matches(messages, { orgId, ticketId }), lte(messages.createdAt, createdAt)))
      .orderBy(desc(messages.createdAt), desc(messages.id))
      .limit(1)
    if (!newest || newest.seenAt < seenAt || newest.seenMessageId === seenMessageId) continue
    await tx
      .update(scheduledMessages)
      .set(newest)
      .where(matches(scheduledMessages, { orgId, id: rowId }))
    const values = { seen: { before: { seenMessageId, seenAt }, after: newest } }
    await insertMovedRows(tx, [{ orgId, moveId, kind: 'seen', rowId, values }])
  }
}

/** Restores what the author of a reply had seen, in whichever ticket it waits now. */
export async function separateSeen(
  tx: Transaction,
  { before, after }: NonNullable<MovedValues['seen']>,
  { orgId, id }: { orgId: string; id: string },
): Promise<void> {
  await tx
    .update(scheduledMessages)
    .set(before)
    .where(matches(scheduledMessages, { orgId, id, ...after }))
}

/** Who follows either ticket follows both, unless they stopped. */
export async function joinFollowers(tx: Transaction, { orgId, moveId, from, into }: Joined): Promise<void> {
  const following = await tx
    .select()
    .from(followers)
    .where(matches(followers, { orgId, ticketId: from, isFollowing: true }))
  for (const { ticketId: _, ...follower } of following) {
    const added = await tx
      .insert(followers)
      .values({ ...follower, ticketId: into })
      .onConflictDoNothing()
      .returning({ agentId: followers.agentId })
    const rows = added.map(({ agentId: rowId }) => ({
      orgId,
      moveId,
      kind: 'follower',
      rowId,
      values: { follower },
    }))
    await insertMovedRows(tx, rows)
  }
}

/** Removes a follower who came with the other ticket, and has not chosen to follow since. */
export async function separateFollower(
  tx: Transaction,
  { orgId, agentId, changedAt }: NonNullable<MovedValues['follower']>,
  ticketId: string,
): Promise<void> {
  await tx.delete(followers).where(matches(followers, { orgId, agentId, ticketId, changedAt }))
}

function isRead(newest: MessageToRead | undefined, mark: Mark | undefined): boolean {
  if (newest?.role !== 'customer') return true
  return mark !== undefined && byTime(mark, { messageId: newest.id, messageAt: newest.createdAt }) >= 0
}

/** None comes first. */
function byTime(
  one: Pick<Mark, 'messageId' | 'messageAt'> | undefined,
  other: Pick<Mark, 'messageId' | 'messageAt'> | undefined,
): number {
  if (!one || !other) return Number(Boolean(one)) - Number(Boolean(other))
  return (
    one.messageAt - other.messageAt ||
    (one.messageId < other.messageId ? -1 : Number(one.messageId > other.messageId))
  )
}

async function marksOf(tx: Transaction, orgId: string, ticketId: string): Promise<Map<string, Mark>> {
  const found = await tx.select().from(readMarks).where(matches(readMarks, { orgId, ticketId }))
  return new Map(found.map(({ ticketId: _, ...mark }) => [mark.agentId, mark]))
}

async function saveMark(
  tx: Transaction,
  { orgId, agentId }: { orgId: string; agentId: string },
  ticketId: string,
  mark: Mark | undefined,
): Promise<void> {
  await tx.delete(readMarks).where(matches(readMarks, { orgId, agentId, ticketId }))
  if (mark) await tx.insert(readMarks).values({ ...mark, ticketId })
}

function isDraft({ orgId, agentId, ticketId, kind }: Pick<Draft, 'orgId' | 'agentId' | 'ticketId' | 'kind'>) {
  return matches(drafts, { orgId, agentId, ticketId, kind })
}

async function findDraft(tx: Transaction, draft: Draft): Promise<Draft | undefined> {
  const [found] = await tx.select().from(drafts).where(isDraft(draft))
  return found
}

async function saveDraft(tx: Transaction, draft: Draft): Promise<void> {
  await deleteDraft(tx, draft)
  await tx.insert(drafts).values(draft)
}

async function deleteDraft(tx: Transaction, draft: Draft): Promise<void> {
  await tx.delete(drafts).where(isDraft(draft))
}

/** The files of a draft that is not sent. */
async function moveUploads(
  tx: Transaction,
  { orgId, attachments: ids }: Draft,
  ticketId: string,
): Promise<void> {
  if (ids.length === 0) return
  await tx
    .update(attachments)
    .set({ ticketId })
    .where(and(eq(attachments.orgId, orgId), inArray(attachments.id, ids), isNull(attachments.ownerId)))
}
