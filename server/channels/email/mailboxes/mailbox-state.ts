import { and, asc, eq, inArray, isNotNull, isNull, ne } from 'drizzle-orm'
import { matches } from '../../../database/matches.ts'
import { mailboxes, mails, oauthSignIns } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { pauseAndResume } from '../../accounts/accounts.ts'
import { type Mailbox, NO_PROBLEM, signInSentence } from './mailbox-rows.ts'
import { clearDefault, mailboxAccounts, readMailbox } from './mailboxes.ts'

/** Mails that are erased in one unit. */
const ERASED_AT_ONCE = 500

/** A paused mailbox fetches and sends nothing. Resuming tries a refused sign-in again, and throws 409 before the first one. */
export const [pauseMailbox, resumeMailbox] = pauseAndResume(mailboxAccounts, {
  paused: { state: 'paused', ...NO_PROBLEM },
  active: { state: 'active', ...NO_PROBLEM },
  requireReady({ signIn, tokens }) {
    if (signIn === 'password' || tokens !== null) return
    throw new AppError(409, 'sign_in_required', signInSentence(signIn))
  },
})

/** Makes it the mailbox that new tickets and answers to API tickets leave through. */
export function makeDefaultMailbox(deps: Deps, orgId: string, id: string): Promise<Mailbox> {
  return mailboxAccounts.change(deps, orgId, { id, action: 'mailbox.made_default' }, async (tx, before) => {
    if (before.isDefault) return before
    await clearDefault(tx, orgId)
    return mailboxAccounts.save(tx, before, { isDefault: true, updatedAt: deps.clock.now() })
  })
}

/**
 * Removes a mailbox with its secrets, and the raw mails that belong to no ticket. Tickets and their mails stay. If it was
 * the default, the oldest other one becomes the default. Throws 404.
 */
export async function removeMailbox(deps: Deps, orgId: string, id: string): Promise<void> {
  await readMailbox(deps, orgId, id)
  await eraseOtherMails(deps, { orgId, mailboxId: id })
  await mailboxAccounts.change(deps, orgId, { id, action: 'mailbox.removed' }, async (tx, before) => {
    const now = deps.clock.now()
    await tx.delete(oauthSignIns).where(matches(oauthSignIns, { orgId, mailboxId: id }))
    const after = await mailboxAccounts.save(tx, before, {
      deletedAt: now,
      addressKey: null,
      imapPassword: null,
      smtpPassword: null,
      tokens: null,
      tokensVersion: before.tokensVersion + 1,
      dkim: null,
      dkimKey: null,
      isDefault: false,
      ...NO_PROBLEM,
      updatedAt: now,
    })
    const [oldest] = await tx
      .select()
      .from(mailboxes)
      .where(and(eq(mailboxes.orgId, orgId), isNull(mailboxes.deletedAt)))
      .orderBy(asc(mailboxes.createdAt), asc(mailboxes.id))
      .limit(1)
    if (before.isDefault && oldest) await mailboxAccounts.save(tx, oldest, { isDefault: true })
    return after
  })
}

/**
 * Erases what the ledger of a mailbox holds of mails that belong to no ticket: sender, subject, and the raw mail, whose
 * file is deleted once no row refers to it. Keeps mails that are still to be processed.
 */
async function eraseOtherMails(
  deps: Deps,
  { orgId, mailboxId }: { orgId: string; mailboxId: string },
): Promise<void> {
  const isOther = and(
    eq(mails.orgId, orgId),
    eq(mails.mailboxId, mailboxId),
    isNull(mails.ticketId),
    isNotNull(mails.hash),
    ne(mails.outcome, 'pending'),
  )
  for (let isDone = false; !isDone; ) {
    const erased = await deps.database.write(orgId, async (tx) => {
      const some = tx.select({ id: mails.id }).from(mails).where(isOther).limit(ERASED_AT_ONCE)
      const changed = await tx
        .update(mails)
        .set({ hash: null, fromAddress: '', subject: '' })
        .where(inArray(mails.id, some))
        .returning({ id: mails.id })
      return changed
    })
    isDone = erased.length < ERASED_AT_ONCE
  }
}
