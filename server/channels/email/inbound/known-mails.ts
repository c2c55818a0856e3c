import { and, eq, or } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { integer, statement, text, updateOf } from '../../../database/statement.ts'
import { knownMails } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'

const identity = { orgId: text, mailboxId: text, messageIdHash: text, senderHash: text, bodyHash: text }

/** What makes two mails the same. */
type MailIdentity = Parameters<typeof findKnownMail>[1]

export interface KnownMail {
  mailboxId: string
  /** Null once the ticket is erased. */
  ticketId: string | null
  messageId: string | null
}

/**
 * SHA-256, in hexadecimal, of a `Message-ID` or an address. It is kept after a mail is erased, to recognize the same
 * mail.
 */
export function hashOf(value: string): string {
  return new Bun.CryptoHasher('sha256').update(value).digest('hex')
}

/** Returns the same mail if this mailbox or another one accepted it before. Otherwise, it is known from now on. */
export async function findOrAddKnownMail(
  deps: Deps,
  tx: Transaction,
  mail: MailIdentity,
): Promise<KnownMail | undefined> {
  const [earlier] = await findKnownMail(tx, mail)
  if (earlier) return earlier
  const added = await insertKnownMail(tx, { ...mail, createdAt: deps.clock.now() })
  return added.length > 0 ? undefined : (await findKnownMail(tx, mail))[0]
}

/** The same mail, in any mailbox of the organization. */
const findKnownMail = statement('known_mails_find', identity, (tx, p) =>
  tx
    .select({
      mailboxId: knownMails.mailboxId,
      ticketId: knownMails.ticketId,
      messageId: knownMails.messageId,
    })
    .from(knownMails)
    .where(
      and(
        matches(knownMails, { orgId: p.orgId, messageIdHash: p.messageIdHash, senderHash: p.senderHash }),
        or(
          eq(knownMails.bodyHash, p.bodyHash),
          matches(knownMails, { bodyHash: '', mailboxId: p.mailboxId }),
        ),
      ),
    ),
)

/** Waits for another unit that is storing the same mail. Returns nothing if that one stored it. */
const insertKnownMail = statement('known_mails_insert', { ...identity, createdAt: integer }, (tx, p) =>
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
