import { and, asc, eq, isNull } from 'drizzle-orm'
import { mailboxes, oauthSignIns } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { eraseUnfiledMails } from './erase-mails.ts'
import { type Mailbox, NO_PROBLEM, signInSentence } from './mailbox-rows.ts'
import { changeMailbox, clearDefault, isMailbox, readMailbox, save } from './mailboxes.ts'

/** Stops fetching and sending until the mailbox is resumed. */
export function pauseMailbox(deps: Deps, orgId: string, id: string): Promise<Mailbox> {
  return changeMailbox(deps, orgId, { id, action: 'mailbox.paused' }, async (tx, before) => {
    if (before.state === 'paused') return before
    return save(tx, before, { state: 'paused', ...NO_PROBLEM, updatedAt: deps.clock.now() })
  })
}

/**
 * Resumes a mailbox, and tries a refused sign-in again. Throws 409 for a mailbox that must sign in at its provider
 * first.
 */
export function resumeMailbox(deps: Deps, orgId: string, id: string): Promise<Mailbox> {
  return changeMailbox(deps, orgId, { id, action: 'mailbox.resumed' }, async (tx, before) => {
    if (before.state === 'active') return before
    if (before.signIn !== 'password' && before.tokens === null) {
      throw new AppError(409, 'sign_in_required', signInSentence(before.signIn))
    }
    return save(tx, before, { state: 'active', ...NO_PROBLEM, updatedAt: deps.clock.now() })
  })
}

/** Makes it the mailbox that new tickets and answers to API tickets leave through. */
export function makeDefaultMailbox(deps: Deps, orgId: string, id: string): Promise<Mailbox> {
  return changeMailbox(deps, orgId, { id, action: 'mailbox.made_default' }, async (tx, before) => {
    if (before.isDefault) return before
    await clearDefault(tx, orgId)
    return save(tx, before, { isDefault: true, updatedAt: deps.clock.now() })
  })
}

/**
 * Removes a mailbox with its secrets, and the raw mails that belong to no ticket. Tickets and their mails stay. If it was
 * the default, the oldest other one becomes the default. Throws 404.
 */
export async function removeMailbox(deps: Deps, orgId: string, id: string): Promise<void> {
  await readMailbox(deps, orgId, id)
  await eraseUnfiledMails(deps, { orgId, mailboxId: id })
  await changeMailbox(deps, orgId, { id, action: 'mailbox.removed' }, async (tx, before) => {
    const now = deps.clock.now()
    await tx.delete(oauthSignIns).where(and(eq(oauthSignIns.orgId, orgId), eq(oauthSignIns.mailboxId, id)))
    const after = await save(tx, before, {
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
      .select({ id: mailboxes.id })
      .from(mailboxes)
      .where(and(eq(mailboxes.orgId, orgId), isNull(mailboxes.deletedAt)))
      .orderBy(asc(mailboxes.createdAt), asc(mailboxes.id))
      .limit(1)
    if (before.isDefault && oldest) {
      await tx.update(mailboxes).set({ isDefault: true }).where(isMailbox(orgId, oldest.id))
    }
    return after
  })
}
