import { and, eq, or, sql } from 'drizzle-orm'
import { integer, statement, text, updateOf } from '../../../database/statement.ts'
import { knownMails, mailboxes, mails } from '../../../database/tables/mailboxes.ts'

export type Mailbox = typeof mailboxes.$inferSelect

export const findMailbox = statement('incoming_mailbox', { orgId: text, id: text }, (tx, p) =>
  tx
    .select()
    .from(mailboxes)
    .where(and(eq(mailboxes.orgId, p.orgId), eq(mailboxes.id, p.id))),
)

export const findAddresses = statement('incoming_addresses', { orgId: text }, (tx, p) =>
  tx.select({ address: mailboxes.address }).from(mailboxes).where(eq(mailboxes.orgId, p.orgId)),
)

export const lockPending = statement('mails_lock_pending', { orgId: text, id: text }, (tx, p) =>
  tx
    .update(mails)
    .set({ attempts: sql`${mails.attempts}` })
    .where(and(eq(mails.orgId, p.orgId), eq(mails.id, p.id), eq(mails.outcome, 'pending')))
    .returning({ id: mails.id }),
)

export const saveOutcome = updateOf('mails_save_outcome', mails, {
  set: ['outcome', 'reason', 'fromAddress', 'subject', 'ticketId', 'messageId', 'processedAt'],
  by: ['orgId', 'id'],
})

const mailIdentity = { orgId: text, mailboxId: text, messageIdHash: text, senderHash: text, bodyHash: text }

export interface KnownMail {
  mailboxId: string
  /** Null once the ticket is erased. */
  ticketId: string | null
  messageId: string | null
}

/** The same mail, in any mailbox of the organization. */
export const findKnownMail = statement('known_mails_find', mailIdentity, (tx, p) =>
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
export const insertKnownMail = statement(
  'known_mails_insert',
  { ...mailIdentity, createdAt: integer },
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

export const saveKnownMail = updateOf('known_mails_save', knownMails, {
  set: ['ticketId', 'messageId'],
  by: ['orgId', 'messageIdHash', 'senderHash', 'bodyHash'],
})
