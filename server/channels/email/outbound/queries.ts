import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { statement, text } from '../../../database/statement.ts'
import { agents } from '../../../database/tables/agents.ts'
import { mailboxes, mails } from '../../../database/tables/mailboxes.ts'
import { messages } from '../../../database/tables/messages.ts'
import { organizations } from '../../../database/tables/organizations.ts'

export type Mailbox = Awaited<ReturnType<typeof findMailboxes>>[number]

/** Those that are not removed, oldest first. */
export const findMailboxes = statement('sends_mailboxes', { orgId: text }, (read: Reader | Transaction, p) =>
  read
    .select({
      id: mailboxes.id,
      orgId: mailboxes.orgId,
      name: mailboxes.name,
      address: mailboxes.address,
      addressKey: mailboxes.addressKey,
      aliases: mailboxes.aliases,
      state: mailboxes.state,
      signIn: mailboxes.signIn,
      signature: mailboxes.signature,
      autoReply: mailboxes.autoReply,
      isDefault: mailboxes.isDefault,
      hasSubaddresses: mailboxes.hasSubaddresses,
      hasSubjectTokens: mailboxes.hasSubjectTokens,
    })
    .from(mailboxes)
    .where(and(eq(mailboxes.orgId, p.orgId), isNull(mailboxes.deletedAt)))
    .orderBy(asc(mailboxes.createdAt), asc(mailboxes.id)),
)

/** The mailboxes that received a mail of the ticket, also as a copy of one that another mailbox received. */
export const findReceivingMailboxes = statement(
  'sends_receiving_mailboxes',
  { orgId: text, ticketId: text },
  (read: Reader, p) =>
    read
      .selectDistinct({ mailboxId: mails.mailboxId })
      .from(mails)
      .where(matches(mails, { orgId: p.orgId, ticketId: p.ticketId })),
)

export const findEmailSettings = statement(
  'sends_settings',
  { orgId: text },
  (read: Reader | Transaction, p) =>
    read
      .select({
        emailsApiTickets: organizations.emailsApiTickets,
        signature: organizations.signature,
        name: organizations.name,
        publicName: organizations.publicName,
      })
      .from(organizations)
      .where(eq(organizations.id, p.orgId)),
)

export const findAgentSignature = statement(
  'sends_agent_signature',
  { orgId: text, id: text },
  (read: Reader | Transaction, p) =>
    read
      .select({ signature: agents.signature })
      .from(agents)
      .where(matches(agents, { orgId: p.orgId, id: p.id })),
)

/** A message that arrived or left by email. */
export type EmailedMessage = Awaited<ReturnType<typeof findNewestMessages>>[number]

/** Not by a third party, and not to one. */
const IN_CONVERSATION = sql`${messages.email} is not null and coalesce(${messages.author}, '') <> 'third_party'`

/** The newest mail by a person. */
export const findNewestEmail = selectEmailed(
  'sends_newest_email',
  sql`${messages.role} = 'customer' and not ${messages.isAutomatic} and ${IN_CONVERSATION}`,
  sql`${messages.createdAt} desc, ${messages.id} desc limit 1`,
)

/** Our own newest mail that a person wrote. */
export const findAgentEmail = selectEmailed(
  'sends_agent_email',
  sql`${messages.role} = 'agent' and not ${messages.isAutomatic} and ${IN_CONVERSATION}`,
  sql`${messages.createdAt} desc, ${messages.id} desc limit 1`,
)

/** The first automatic mail, which may have opened the ticket: web forms send like this. */
export const findAutomaticEmail = selectEmailed(
  'sends_automatic_email',
  sql`${messages.role} = 'customer' and ${messages.isAutomatic} and ${IN_CONVERSATION}`,
  sql`${messages.createdAt}, ${messages.id} limit 1`,
)

/** The newest messages of a ticket, whatever their channel. */
export const findNewestMessages = selectEmailed(
  'sends_newest_messages',
  undefined,
  sql`${messages.createdAt} desc, ${messages.id} desc limit 20`,
)

/** The messages of a ticket that meet `condition`. `order` ends with the limit. */
function selectEmailed(name: string, condition: SQL | undefined, order: SQL) {
  return statement(name, { orgId: text, ticketId: text }, (read: Reader | Transaction, p) =>
    read
      .select({
        id: messages.id,
        role: messages.role,
        text: messages.text,
        author: messages.author,
        authorName: messages.authorName,
        isAutomatic: messages.isAutomatic,
        email: messages.email,
        createdAt: messages.createdAt,
      })
      .from(messages)
      .where(and(eq(messages.orgId, p.orgId), eq(messages.ticketId, p.ticketId), condition))
      .orderBy(order),
  )
}
