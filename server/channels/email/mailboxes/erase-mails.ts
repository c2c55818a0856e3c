import { and, eq, inArray, isNotNull, isNull, ne } from 'drizzle-orm'
import { mails } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'

/** Mails in one unit. */
const SLICE = 500

/**
 * Erases what the ledger of a mailbox holds of mails that belong to no ticket: sender, subject, and the raw mail, whose
 * file is deleted once no row refers to it. Keeps mails that are still to be processed.
 */
export async function eraseUnfiledMails(
  deps: Deps,
  { orgId, mailboxId }: { orgId: string; mailboxId: string },
): Promise<void> {
  const isUnfiled = and(
    eq(mails.orgId, orgId),
    eq(mails.mailboxId, mailboxId),
    isNull(mails.ticketId),
    isNotNull(mails.hash),
    ne(mails.outcome, 'pending'),
  )
  for (let isDone = false; !isDone; ) {
    const erased = await deps.database.write(async (tx) => {
      const some = tx.select({ id: mails.id }).from(mails).where(isUnfiled).limit(SLICE)
      const changed = await tx
        .update(mails)
        .set({ hash: null, fromAddress: '', subject: '' })
        .where(inArray(mails.id, some))
        .returning({ id: mails.id })
      return changed
    })
    isDone = erased.length < SLICE
  }
}
