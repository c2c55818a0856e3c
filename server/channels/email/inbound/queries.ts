import { and, eq, or, sql } from 'drizzle-orm'
import { command, statement } from '../../../database/statement.ts'
import { knownMails, type MailOutcome, mailboxes, mails } from '../../../database/tables/mailboxes.ts'

export type Mailbox = typeof mailboxes.$inferSelect

export const findMailbox = statement<{ orgId: string; id: string }, Mailbox[]>('incoming_mailbox', (tx, p) =>
  tx
    .select()
    .from(mailboxes)
    .where(and(eq(mailboxes.orgId, p.orgId), eq(mailboxes.id, p.id))),
)

export const findAddresses = statement<{ orgId: string }, { address: string }[]>(
  'incoming_addresses',
  (tx, p) => tx.select({ address: mailboxes.address }).from(mailboxes).where(eq(mailboxes.orgId, p.orgId)),
)

export const lockPending = statement<{ orgId: string; id: string }, { id: string }[]>(
  'mails_lock_pending',
  (tx, p) =>
    tx
      .update(mails)
      .set({ attempts: sql`${mails.attempts}` })
      .where(and(eq(mails.orgId, p.orgId), eq(mails.id, p.id), eq(mails.outcome, 'pending')))
      .returning({ id: mails.id }),
)

type LedgerRow = {
  outcome: MailOutcome
  reason: string
  fromAddress: string
  subject: string
  ticketId: string | null
  messageId: string | null
  processedAt: number
}

export const saveOutcome = command<{ orgId: string; id: string } & LedgerRow>('mails_save_outcome', (tx, p) =>
  tx
    .update(mails)
    .set({
      outcome: sql`${p.outcome}`,
      reason: sql`${p.reason}`,
      fromAddress: sql`${p.fromAddress}`,
      subject: sql`${p.subject}`,
      ticketId: sql`${p.ticketId}`,
      messageId: sql`${p.messageId}`,
      processedAt: sql`${p.processedAt}`,
    })
    .where(and(eq(mails.orgId, p.orgId), eq(mails.id, p.id))),
)

type MailIdentity = Pick<
  typeof knownMails.$inferSelect,
  'orgId' | 'mailboxId' | 'messageIdHash' | 'senderHash' | 'bodyHash'
>

export interface KnownMail {
  mailboxId: string
  /** Null once the ticket is erased. */
  ticketId: string | null
  messageId: string | null
}

/** The same mail, in any mailbox of the organization. */
export const findKnownMail = statement<MailIdentity, KnownMail[]>('known_mails_find', (tx, p) =>
  tx
    .select({
      mailboxId: knownMails.mailboxId,
      ticketId: knownMails.ticketId,
      messageId: knownMails.messageId,
    })
    .from(knownMails)
    .where(
      and(
        eq(knownMails.orgId, p.orgId),
        eq(knownMails.messageIdHash, p.messageIdHash),
        eq(knownMails.senderHash, p.senderHash),
        or(
          eq(knownMails.bodyHash, p.bodyHash),
          and(eq(knownMails.bodyHash, ''), eq(knownMails.mailboxId, p.mailboxId)),
        ),
      ),
    ),
)

/** Waits for another unit that is storing the same mail. Returns nothing if that one stored it. */
export const insertKnownMail = statement<MailIdentity & { createdAt: number }, { mailboxId: string }[]>(
  'known_mails_insert',
  (tx, p) =>
    tx
      .insert(knownMails)
      .values({
        orgId: p.orgId,
        mailboxId: p.mailboxId,
        messageIdHash: p.messageIdHash,
        senderHash: p.senderHash,
        bodyHash: p.bodyHash,
        createdAt: p.createdAt,
      })
      .onConflictDoNothing()
      .returning({ mailboxId: knownMails.mailboxId }),
)

export const saveKnownMail = command<MailIdentity & { ticketId: string; messageId: string }>(
  'known_mails_save',
  (tx, p) =>
    tx
      .update(knownMails)
      .set({ ticketId: sql`${p.ticketId}`, messageId: sql`${p.messageId}` })
      .where(
        and(
          eq(knownMails.orgId, p.orgId),
          eq(knownMails.messageIdHash, p.messageIdHash),
          eq(knownMails.senderHash, p.senderHash),
          eq(knownMails.bodyHash, p.bodyHash),
        ),
      ),
)
