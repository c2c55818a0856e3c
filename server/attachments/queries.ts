import { and, asc, count, desc, eq, gt, gte, inArray, isNotNull, isNull, max, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { insertOf } from '../database/statement.ts'
import { attachments } from '../database/tables/attachments.ts'
import { mails } from '../database/tables/mailboxes.ts'
import type { Deps } from '../deps.ts'

export type Attachment = typeof attachments.$inferSelect

export const insertAttachments = insertOf(attachments)

export async function findAttachment(
  read: Reader | Transaction,
  { orgId, id }: { orgId: string; id: string },
): Promise<Attachment | undefined> {
  const [found] = await read.select().from(attachments).where(matches(attachments, { orgId, id }))
  return found
}

/** The attachments of a message, scheduled message or note, in order. */
export function findAttachmentsOf(
  read: Reader | Transaction,
  { orgId, ownerId }: { orgId: string; ownerId: string },
): Promise<Attachment[]> {
  return read
    .select()
    .from(attachments)
    .where(matches(attachments, { orgId, ownerId }))
    .orderBy(asc(attachments.position))
}

/** Attachments of everything on a ticket that is sent, scheduled or added, by owner and in order. */
export async function findAttachmentsOfTicket(
  read: Reader,
  { orgId, ticketId }: { orgId: string; ticketId: string },
): Promise<Map<string, Attachment[]>> {
  const found = await read
    .select()
    .from(attachments)
    .where(and(matches(attachments, { orgId, ticketId }), isNotNull(attachments.ownerId)))
    .orderBy(asc(attachments.position))
  return Map.groupBy(found, ({ ownerId }) => ownerId ?? '')
}

/** Rows that can have attachments, with those that they have. */
export async function withAttachments<Row extends { id: string; attachmentCount: number }>(
  read: Reader,
  orgId: string,
  rows: Row[],
): Promise<(Row & { attachments: Attachment[] })[]> {
  const ids = rows.flatMap(({ id, attachmentCount }) => (attachmentCount > 0 ? [id] : []))
  if (ids.length === 0) return rows.map((row) => ({ ...row, attachments: [] }))
  const found = await read
    .select()
    .from(attachments)
    .where(and(eq(attachments.orgId, orgId), inArray(attachments.ownerId, ids)))
    .orderBy(asc(attachments.position))
  const files = Map.groupBy(found, ({ ownerId }) => ownerId)
  return rows.map((row) => ({ ...row, attachments: files.get(row.id) ?? [] }))
}

/** The given attachments that `uploader` can still send, in the order of the ids. */
export async function findUnsent(
  read: Reader | Transaction,
  { orgId, uploader, ids }: { orgId: string; uploader: string; ids: string[] },
): Promise<Attachment[]> {
  if (ids.length === 0) return []
  const found = await read
    .select()
    .from(attachments)
    .where(
      and(
        eq(attachments.orgId, orgId),
        inArray(attachments.id, ids),
        isNull(attachments.ownerId),
        eq(attachments.uploadedBy, uploader),
      ),
    )
  return found.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
}

/** Which of the files something refers to: an attachment of any organization, or the ledger of mails. */
export async function referencedFiles(read: Reader | Transaction, hashes: string[]): Promise<Set<string>> {
  if (hashes.length === 0) return new Set()
  const ofAttachments = await read
    .selectDistinct({ hash: attachments.hash })
    .from(attachments)
    .where(inArray(attachments.hash, hashes))
  const ofMails = await read
    .selectDistinct({ hash: mails.hash })
    .from(mails)
    .where(inArray(mails.hash, hashes))
  return new Set([...ofAttachments, ...ofMails].flatMap(({ hash }) => hash ?? []))
}

/** Files that something refers to, in ascending order. */
export async function referencedHashes(
  read: Reader,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const ofAttachments = await read
    .selectDistinct({ hash: attachments.hash })
    .from(attachments)
    .where(gt(attachments.hash, after))
    .orderBy(asc(attachments.hash))
    .limit(limit)
  const ofMails = await read
    .selectDistinct({ hash: mails.hash })
    .from(mails)
    .where(gt(mails.hash, after))
    .orderBy(asc(mails.hash))
    .limit(limit)
  const hashes = new Set([...ofAttachments, ...ofMails].flatMap(({ hash }) => hash ?? []))
  return [...hashes].sort().slice(0, limit)
}

/**
 * Some of the files of attachments: those of the newest, and as many with a hash from `from` on, which is a random sample
 * if `from` is random. And how many attachments there are.
 */
export async function sampleFiles(
  read: Reader,
  { from, size }: { from: string; size: number },
): Promise<{ hashes: string[]; total: number }> {
  const [all] = await read.select({ total: count() }).from(attachments)
  const hashes = () => read.select({ hash: attachments.hash }).from(attachments)
  const newest = await hashes().orderBy(desc(attachments.id)).limit(size)
  const others = await hashes().where(gte(attachments.hash, from)).orderBy(asc(attachments.hash)).limit(size)
  const found = new Set([...newest, ...others].map(({ hash }) => hash))
  return { hashes: [...found], total: all?.total ?? 0 }
}

/** Deletes files that nothing refers to, after the unit that deleted their rows. */
export async function deleteFiles(deps: Deps, hashes: Iterable<string>): Promise<void> {
  for (const hash of new Set(hashes)) {
    await deps.files.delete(
      hash,
      async (tx) => (await referencedFiles(tx ?? deps.database.read, [hash])).size > 0,
    )
  }
}

/** The size of all attachments of all organizations in the store. Reads every row. */
export async function countFileBytes({ database: { read } }: Deps): Promise<number> {
  const files = read
    .select({ size: max(attachments.size).as('size') })
    .from(attachments)
    .groupBy(attachments.hash)
    .as('files')
  const [total] = await read.select({ bytes: sql`coalesce(sum(${files.size}), 0)` }).from(files)
  return Number(total?.bytes ?? 0)
}
