import { and, asc, desc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { command, insertOf, statement, textParameter } from '../database/statement.ts'
import { agents } from '../database/tables/agents.ts'
import { apiKeys } from '../database/tables/api-keys.ts'
import { mailboxes, mails } from '../database/tables/mailboxes.ts'
import { messages } from '../database/tables/messages.ts'
import { organizations } from '../database/tables/organizations.ts'
import { type RecipientOutcome, sends } from '../database/tables/sends.ts'
import { tickets, ticketTags } from '../database/tables/tickets.ts'
import { widgetConversations, widgets } from '../database/tables/widgets.ts'

/** `dueAt` of a send whose mailbox or bot is paused or refused: the end of time (ECMA-262, section 21.4.1.1). */
export const PARKED = 8_640_000_000_000_000

export type Send = typeof sends.$inferSelect
type Message = typeof messages.$inferSelect
type OfTicket = { orgId: string; ticketId: string }
type OfMessage = { orgId: string; messageId: string }

export type Mailbox = Pick<
  typeof mailboxes.$inferSelect,
  | 'id'
  | 'orgId'
  | 'name'
  | 'address'
  | 'addressKey'
  | 'aliases'
  | 'state'
  | 'signIn'
  | 'signature'
  | 'autoReply'
  | 'isDefault'
  | 'hasSubaddresses'
  | 'hasSubjectTokens'
>

/** Those that are not removed, oldest first. */
export const findMailboxes = statement<{ orgId: string }, Mailbox[], Reader | Transaction>(
  'sends_mailboxes',
  (read, p) =>
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
      .where(and(eq(mailboxes.orgId, textParameter(p.orgId)), isNull(mailboxes.deletedAt)))
      .orderBy(asc(mailboxes.createdAt), asc(mailboxes.id)),
)

/** The mailboxes that received a mail of the ticket, also as a copy of one that another mailbox received. */
export const findReceivingMailboxes = statement<OfTicket, { mailboxId: string }[], Reader>(
  'sends_receiving_mailboxes',
  (read, p) =>
    read
      .selectDistinct({ mailboxId: mails.mailboxId })
      .from(mails)
      .where(and(eq(mails.orgId, p.orgId), eq(mails.ticketId, p.ticketId))),
)

/** The widget in which a ticket was opened, if it is turned on. Otherwise, no page shows a reply there. */
export const findActiveWidget = statement<OfTicket, { id: string }[], Reader | Transaction>(
  'sends_active_widget',
  (read, p) =>
    read
      .select({ id: widgets.id })
      .from(widgetConversations)
      .innerJoin(widgets, eq(widgets.id, widgetConversations.widgetId))
      .innerJoin(apiKeys, eq(apiKeys.id, widgets.keyId))
      .where(
        and(
          eq(widgetConversations.orgId, textParameter(p.orgId)),
          eq(widgetConversations.ticketId, textParameter(p.ticketId)),
          eq(widgets.state, 'active'),
          isNull(widgets.deletedAt),
          isNull(apiKeys.revokedAt),
        ),
      ),
)

export const findEmailSettings = statement<
  { orgId: string },
  { emailsApiTickets: boolean; signature: string; name: string; publicName: string }[],
  Reader | Transaction
>('sends_settings', (read, p) =>
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

/** By how a reply leaves. */
export const findUndoSeconds = statement<
  { orgId: string },
  Record<'email' | 'api' | 'widget' | 'telegram', number>[],
  Reader | Transaction
>('sends_undo_seconds', (read, p) =>
  read
    .select({
      email: organizations.undoEmailSeconds,
      api: organizations.undoApiSeconds,
      widget: organizations.undoWidgetSeconds,
      telegram: organizations.undoTelegramSeconds,
    })
    .from(organizations)
    .where(eq(organizations.id, textParameter(p.orgId))),
)

export const findAgentSignature = statement<
  { orgId: string; id: string },
  { signature: string }[],
  Reader | Transaction
>('sends_agent_signature', (read, p) =>
  read
    .select({ signature: agents.signature })
    .from(agents)
    .where(and(eq(agents.orgId, p.orgId), eq(agents.id, p.id))),
)

/** A message that arrived or left by email. */
export type EmailedMessage = Pick<
  Message,
  'id' | 'role' | 'text' | 'author' | 'authorName' | 'isAutomatic' | 'email' | 'createdAt'
>

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
  return statement<OfTicket, EmailedMessage[], Reader | Transaction>(name, (read, p) =>
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
      .where(
        and(
          eq(messages.orgId, textParameter(p.orgId)),
          eq(messages.ticketId, textParameter(p.ticketId)),
          condition,
        ),
      )
      .orderBy(order),
  )
}

export const insertSends = insertOf(sends)

/** The sends of a message, the newest first: one for each way out, and by Telegram one for each change. */
export const findSends = statement<OfMessage, Send[], Reader | Transaction>('sends_of_message', (read, p) =>
  read
    .select()
    .from(sends)
    .where(and(eq(sends.orgId, p.orgId), eq(sends.messageId, p.messageId)))
    .orderBy(desc(sends.id)),
)

/** The newest send of each of these messages of a ticket, if it left by Telegram. */
export async function readTelegramSends(
  read: Reader,
  { orgId, ticketId }: OfTicket,
  messageIds: string[],
): Promise<Map<string, Send>> {
  const found = await read
    .select()
    .from(sends)
    .where(
      and(
        eq(sends.orgId, orgId),
        eq(sends.ticketId, ticketId),
        eq(sends.channel, 'telegram'),
        inArray(sends.messageId, messageIds),
      ),
    )
    .orderBy(asc(sends.id))
  return new Map(found.map((send) => [send.messageId ?? '', send]))
}

/** Why a message of a ticket didn't reach everyone. */
export interface SendTrouble {
  /** Recipients who did not get it. */
  missed: RecipientOutcome[]
  /** When the next attempt starts; null when there is none. */
  retryAt: number | null
}

/** Troubles by message id, for messages that didn't reach everyone. `retryAt` is about the newest send of a message. */
export async function readTroubles(
  read: Reader,
  { orgId, messageIds }: { orgId: string; messageIds: string[] },
): Promise<Map<string, SendTrouble>> {
  const found = await read
    .select({
      messageId: sends.messageId,
      channel: sends.channel,
      state: sends.state,
      attempts: sends.attempts,
      dueAt: sends.dueAt,
      outcomes: sends.outcomes,
    })
    .from(sends)
    .where(and(eq(sends.orgId, orgId), inArray(sends.messageId, messageIds), sql`${sends.error} <> ''`))
    .orderBy(asc(sends.id))
  return new Map(
    found.map(({ messageId, channel, state, attempts, dueAt, outcomes }) => [
      messageId ?? '',
      {
        // A chat has one recipient, whose id means nothing to agents.
        missed: channel === 'email' ? outcomes.filter((outcome) => outcome.state !== 'sent') : [],
        retryAt: state === 'waiting' && attempts > 0 && dueAt < PARKED ? dueAt : null,
      },
    ]),
  )
}

/**
 * Locks a ticket whose messages change other than by a new one, such as the state of a delivery. `/v1` shows it, so the
 * ticket changes too.
 */
export async function changeTicket(
  tx: Transaction,
  changed: { orgId: string; id: string; at: number },
): Promise<void> {
  const [ticket] = await touchRow(tx, changed)
  if (ticket && ticket.tags.length > 0) await touchTagRows(tx, changed)
}

const touchRow = statement<{ orgId: string; id: string; at: number }, { tags: string[] }[]>(
  'sends_ticket',
  (tx, p) =>
    tx
      .update(tickets)
      .set({ version: sql`${tickets.version} + 1`, updatedAt: sql`${p.at}` })
      .where(and(eq(tickets.orgId, p.orgId), eq(tickets.id, p.id)))
      .returning({ tags: tickets.tags }),
)

const touchTagRows = command<{ orgId: string; id: string; at: number }>('sends_ticket_tags', (tx, p) =>
  tx
    .update(ticketTags)
    .set({ updatedAt: sql`${p.at}` })
    .where(and(eq(ticketTags.orgId, p.orgId), eq(ticketTags.ticketId, p.id))),
)
