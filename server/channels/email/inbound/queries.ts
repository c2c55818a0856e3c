import { eq, sql } from 'drizzle-orm'
import { matches } from '../../../database/matches.ts'
import { statement, text, updateOf } from '../../../database/statement.ts'
import { mailboxes, mails } from '../../../database/tables/mailboxes.ts'

export type Mailbox = typeof mailboxes.$inferSelect

export const findMailbox = statement('incoming_mailbox', { orgId: text, id: text }, (tx, p) =>
  tx
    .select()
    .from(mailboxes)
    .where(matches(mailboxes, { orgId: p.orgId, id: p.id })),
)

export const findAddresses = statement('incoming_addresses', { orgId: text }, (tx, p) =>
  tx.select({ address: mailboxes.address }).from(mailboxes).where(eq(mailboxes.orgId, p.orgId)),
)

export const lockPending = statement('mails_lock_pending', { orgId: text, id: text }, (tx, p) =>
  tx
    .update(mails)
    .set({ attempts: sql`${mails.attempts}` })
    .where(matches(mails, { orgId: p.orgId, id: p.id, outcome: 'pending' }))
    .returning({ id: mails.id }),
)

export const saveOutcome = updateOf('mails_save_outcome', mails, {
  set: ['outcome', 'reason', 'fromAddress', 'subject', 'ticketId', 'messageId', 'processedAt'],
  by: ['orgId', 'id'],
})
