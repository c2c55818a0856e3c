import { and, desc, eq, inArray, lt } from 'drizzle-orm'
import { recordAudit } from '../../../audit/audit.ts'
import { matches } from '../../../database/matches.ts'
import { type MailOutcome, mailboxes, mails } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError, invalid, notFound } from '../../../errors.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { isId } from '../../../ids.ts'

const MAX_LISTED = 100
const DEFAULT_LISTED = 50

export type LedgerEntry = typeof mails.$inferSelect & { mailbox: string }

interface LedgerFilter {
  mailboxId?: string
  outcome?: MailOutcome
  ticketId?: string
  /** `nextCursor` of the previous page. */
  cursor?: string
  /** 50 by default, at most 100. */
  limit?: number
}

/** Every fetched mail and what happened to it, newest first. Throws 400 for an invalid cursor. */
export async function listMails(
  deps: Deps,
  orgId: string,
  { mailboxId, outcome, ticketId, cursor, limit: requested = DEFAULT_LISTED }: LedgerFilter,
): Promise<{ entries: LedgerEntry[]; nextCursor: string | undefined }> {
  if (cursor !== undefined && !isId('eml', cursor)) {
    const detail = 'Use the nextCursor of the previous page.'
    throw invalid([{ parameter: 'cursor', code: 'invalid_cursor', detail }])
  }
  const limit = Math.min(requested, MAX_LISTED)
  // No index lists the mails of a mailbox in order, whatever their outcome.
  const isCovered = mailboxId === undefined || outcome !== undefined
  const found = await (isCovered ? deps.database.read : deps.database.background)
    .select()
    .from(mails)
    .innerJoin(mailboxes, eq(mailboxes.id, mails.mailboxId))
    .where(
      and(
        eq(mails.orgId, orgId),
        mailboxId === undefined ? undefined : eq(mails.mailboxId, mailboxId),
        outcome === undefined ? undefined : eq(mails.outcome, outcome),
        ticketId === undefined ? undefined : eq(mails.ticketId, ticketId),
        cursor === undefined ? undefined : lt(mails.id, cursor),
      ),
    )
    .orderBy(desc(mails.id))
    .limit(limit + 1)
  const rows = found.map((row) => ({ ...row.mails, mailbox: row.mailboxes.address }))
  const entries = rows.slice(0, limit)
  return { entries, nextCursor: rows.length > limit ? entries.at(-1)?.id : undefined }
}

/** A mail of the ledger. Throws 404. */
export async function readMail(deps: Deps, orgId: string, id: string): Promise<LedgerEntry> {
  const [found] = isId('eml', id)
    ? await deps.database.read
        .select()
        .from(mails)
        .innerJoin(mailboxes, eq(mailboxes.id, mails.mailboxId))
        .where(matches(mails, { orgId, id }))
    : []
  if (!found) throw notFound('mail')
  return { ...found.mails, mailbox: found.mailboxes.address }
}

/**
 * The raw mail, as a download only: it can contain anything, so it is never shown. Throws 404, with the code
 * `original_missing` when it was erased or its file is missing.
 */
export async function originalResponse(deps: Deps, orgId: string, id: string): Promise<Response> {
  return new Response(await requireOriginal(deps, orgId, id), {
    headers: {
      'content-type': 'message/rfc822',
      'content-disposition': `attachment; filename="${id}.eml"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
    },
  })
}

async function requireOriginal(deps: Deps, orgId: string, id: string): Promise<Blob> {
  const { hash } = await readMail(deps, orgId, id)
  const opened = hash === null ? undefined : await deps.files.open(hash)
  if (!opened || 'fault' in opened) {
    throw new AppError(404, 'original_missing', 'The original of this email is no longer on the server.')
  }
  return opened.file
}

/** Processes a mail in quarantine again. Throws 404, and 409 for a mail that is not in quarantine. */
export function parseAgain(deps: Deps, orgId: string, id: string): Promise<void> {
  return processAgain(deps, orgId, {
    id,
    action: 'mail.parsed_again',
    from: ['quarantined'],
    refusal: new AppError(409, 'not_quarantined', 'Only an email in quarantine can be parsed again.'),
  })
}

/**
 * Makes a new ticket of a mail that became no customer message, whatever its headers say. The ticket is there once the
 * mail is processed. Throws 404 if the mail or its original isn't there, and 409 if it is a message already.
 */
export async function makeTicket(deps: Deps, orgId: string, id: string): Promise<void> {
  await requireOriginal(deps, orgId, id)
  await processAgain(deps, orgId, {
    id,
    action: 'mail.made_ticket',
    from: NOT_MESSAGES,
    refusal: new AppError(
      409,
      'already_a_message',
      'This email is a message in a ticket, or is about to be.',
    ),
    becomesTicket: true,
  })
}

/** Of mails that became no message of a customer. */
export const NOT_MESSAGES: MailOutcome[] = ['automatic', 'bounce', 'duplicate', 'own', 'quarantined']

interface Again {
  id: string
  action: 'mail.parsed_again' | 'mail.made_ticket'
  /** Outcomes that it can have now. */
  from: MailOutcome[]
  refusal: AppError
  becomesTicket?: boolean
}

async function processAgain(
  deps: Deps,
  orgId: string,
  { id, action, from, refusal, becomesTicket }: Again,
): Promise<void> {
  await readMail(deps, orgId, id)
  await deps.database.write(orgId, async (tx) => {
    const [mail] = await tx
      .update(mails)
      .set({
        outcome: 'pending',
        reason: '',
        attempts: 0,
        processedAt: null,
        ...(becomesTicket && { becomesTicket }),
      })
      .where(and(eq(mails.orgId, orgId), eq(mails.id, id), inArray(mails.outcome, from)))
      .returning({ hash: mails.hash })
    if (!mail) throw refusal
    await recordAudit(deps, tx, orgId, { action, subject: { id, label: id } })
    recordWorkspaceChange(deps, tx, orgId)
  })
}
