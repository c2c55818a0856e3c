import { and, asc, eq, or, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { integer, statement, text } from '../database/statement.ts'
import { agents } from '../database/tables/agents.ts'
import { apiKeys } from '../database/tables/api-keys.ts'
import { messages } from '../database/tables/messages.ts'
import { organizations } from '../database/tables/organizations.ts'
import { type HeldBecause, type Opening, scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { programGrants } from '../database/tables/sessions.ts'
import { isId } from '../ids.ts'
import { isHeld } from '../jobs/held.ts'

export type ScheduledMessage = typeof scheduledMessages.$inferSelect
/** A message that waits on its ticket. */
export type ScheduledReply = ScheduledMessage & { ticketId: string }
/** A message that waits to open a ticket. */
export type ScheduledOpening = ScheduledMessage & { ticketId: null; opening: Opening; agentId: string }
export type StoredMessage = typeof messages.$inferSelect
/** Who wrote a message: an agent or, without one, a key. A program's key and an agent's grant are named with them. */
export type Author = Pick<StoredMessage, 'orgId' | 'agentId' | 'agentName'> & { keyId?: string | null }

/** The most new tickets of an agent that are shown while they wait. */
const MAX_OPENINGS = 50

type ById = { orgId: string; id: string }

/** In a write, after `lockTicket`: the lock covers the scheduled messages of the ticket. */
export async function findScheduled(
  read: Reader | Transaction,
  { orgId, id }: ById,
): Promise<ScheduledReply | undefined> {
  const found = await findAnyScheduled(read, { orgId, id })
  return found && isReply(found) ? found : undefined
}

/** A message that waits to open a ticket. In a write, after its author's row was locked. */
export async function findOpening(
  read: Reader | Transaction,
  { orgId, id }: ById,
): Promise<ScheduledOpening | undefined> {
  const found = await findAnyScheduled(read, { orgId, id })
  return found && isOpening(found) ? found : undefined
}

async function findAnyScheduled(
  read: Reader | Transaction,
  { orgId, id }: ById,
): Promise<ScheduledMessage | undefined> {
  const [found] = await read.select().from(scheduledMessages).where(matches(scheduledMessages, { orgId, id }))
  return found
}

/** Those of an agent, and the held ones of others, oldest first. */
export async function findOpenings(
  read: Reader,
  { orgId, agentId }: { orgId: string; agentId: string },
): Promise<ScheduledOpening[]> {
  const found = await read
    .select()
    .from(scheduledMessages)
    .where(
      and(
        eq(scheduledMessages.orgId, orgId),
        // Literally, for the partial index.
        sql`ticket_id is null`,
        or(eq(scheduledMessages.agentId, agentId), eq(scheduledMessages.isHeld, true)),
      ),
    )
    .orderBy(asc(scheduledMessages.createdAt), asc(scheduledMessages.id))
    .limit(MAX_OPENINGS)
  return found.filter(isOpening)
}

/** Before `findOpening` in a write that sends or deletes it: a message on a ticket is locked by its ticket instead. */
export async function lockScheduled(tx: Transaction, { orgId, id }: ById): Promise<void> {
  await tx.update(scheduledMessages).set({ id }).where(matches(scheduledMessages, { orgId, id }))
}

function isReply(scheduled: ScheduledMessage): scheduled is ScheduledReply {
  return scheduled.ticketId !== null
}

function isOpening(scheduled: ScheduledMessage): scheduled is ScheduledOpening {
  const { ticketId, opening, agentId } = scheduled
  return ticketId === null && opening !== null && agentId !== null
}

export async function findMessage(
  read: Reader | Transaction,
  { orgId, id }: ById,
): Promise<StoredMessage | undefined> {
  const [found] = await read.select().from(messages).where(matches(messages, { orgId, id }))
  return found
}

/** Stores it unless its id is taken, in any organization. */
export async function insertScheduled(tx: Transaction, scheduled: ScheduledMessage): Promise<boolean> {
  const stored = await tx
    .insert(scheduledMessages)
    .values(scheduled)
    .onConflictDoNothing()
    .returning({ id: scheduledMessages.id })
  // Checked after the insert, which waits for another unit that is using the id.
  const taken = await tx.select({ id: messages.id }).from(messages).where(eq(messages.id, scheduled.id))
  return stored.length > 0 && taken.length === 0
}

export async function deleteScheduled(tx: Transaction, { orgId, id }: ById): Promise<void> {
  await tx.delete(scheduledMessages).where(matches(scheduledMessages, { orgId, id }))
}

export async function holdScheduled(
  tx: Transaction,
  { orgId, id }: ById,
  heldBecause: HeldBecause,
): Promise<void> {
  await tx
    .update(scheduledMessages)
    .set({ isHeld: true, heldBecause })
    .where(matches(scheduledMessages, { orgId, id }))
}

export type NextScheduled = Pick<
  ScheduledMessage,
  'id' | 'orgId' | 'ticketId' | 'isLater' | 'sendAt' | 'createdAt'
>

/** The messages of all organizations that are sent next. Runs at every change of one, so it is planned once. */
export const findNext = statement('scheduled_next', { limit: integer, held: text }, (read: Reader, p) =>
  read
    .select({
      id: scheduledMessages.id,
      orgId: scheduledMessages.orgId,
      ticketId: scheduledMessages.ticketId,
      isLater: scheduledMessages.isLater,
      sendAt: scheduledMessages.sendAt,
      createdAt: scheduledMessages.createdAt,
    })
    .from(scheduledMessages)
    .where(sql`${scheduledMessages.isHeld} = false and ${isHeld(scheduledMessages.id, p.held)}`)
    // Drizzle would bind the limit bare (see statement.ts).
    .orderBy(sql`${scheduledMessages.sendAt}, ${scheduledMessages.id} limit ${p.limit}`),
)

/** What an author had seen when they wrote. `author` is the agent's id, or the name of the key. */
const seen = { orgId: text, ticketId: text, author: text, seenMessageId: text, seenAt: integer }

/** The first agent message of someone else that came after what the author had seen. */
export const findAnswer = statement('scheduled_answer', seen, (tx, p) =>
  tx
    .select({ id: messages.id })
    .from(messages)
    .where(
      and(
        eq(messages.orgId, p.orgId),
        eq(messages.ticketId, p.ticketId),
        sql`${messages.role} = 'agent' and not ${messages.isAutomatic}`,
        sql`coalesce(${messages.agentId}, ${messages.agentName}) <> ${p.author}`,
        sql`(${messages.createdAt}, ${messages.id}) > (${p.seenAt}, ${p.seenMessageId})`,
        // A message that was seen while it was waiting is stored later.
        sql`${messages.id} <> ${p.seenMessageId}`,
      ),
    )
    .orderBy(sql`${messages.createdAt}, ${messages.id} limit 1`),
)

/** The first message by someone in the conversation after what the author had seen. */
export const findCustomerMessage = statement(
  'scheduled_customer_message',
  { orgId: text, ticketId: text, seenMessageId: text, seenAt: integer },
  (tx: Transaction, p) =>
    tx
      .select({ id: messages.id })
      .from(messages)
      .where(
        and(
          eq(messages.orgId, p.orgId),
          eq(messages.ticketId, p.ticketId),
          sql`${messages.role} = 'customer' and not ${messages.isAutomatic}`,
          sql`coalesce(${messages.author}, '') <> 'third_party'`,
          sql`(${messages.createdAt}, ${messages.id}) > (${p.seenAt}, ${p.seenMessageId})`,
        ),
      )
      .orderBy(sql`${messages.createdAt}, ${messages.id} limit 1`),
)

/**
 * Messages of the author that their page didn't know of, from another tab or device. Both the time and the id must be
 * later: the id contains the time at which its author pressed Send, by a clock that may be wrong.
 */
export const findOwnSent = statement('scheduled_own_sent', seen, (tx, p) =>
  tx
    .select({ id: messages.id })
    .from(messages)
    .where(
      and(
        eq(messages.orgId, p.orgId),
        eq(messages.ticketId, p.ticketId),
        sql`${messages.role} = 'agent'`,
        sql`coalesce(${messages.agentId}, ${messages.agentName}) = ${p.author}`,
        sql`(${messages.createdAt}, ${messages.id}) > (${p.seenAt}, ${p.seenMessageId})`,
        sql`${messages.id} > ${p.seenMessageId}`,
      ),
    ),
)

/** The same among those that are about to be sent. */
export const findOwnWaiting = statement('scheduled_own_waiting', seen, (tx, p) =>
  tx
    .select({ id: scheduledMessages.id })
    .from(scheduledMessages)
    .where(
      and(
        eq(scheduledMessages.orgId, p.orgId),
        eq(scheduledMessages.ticketId, p.ticketId),
        sql`coalesce(${scheduledMessages.agentId}, ${scheduledMessages.agentName}) = ${p.author}`,
        sql`not ${scheduledMessages.isHeld}`,
        sql`(${scheduledMessages.createdAt}, ${scheduledMessages.id}) > (${p.seenAt}, ${p.seenMessageId})`,
        sql`${scheduledMessages.id} > ${p.seenMessageId}`,
      ),
    ),
)

/** Whether the author's agent or program is disabled, their key revoked, or their program disconnected. */
export async function isAuthorDisabled(
  tx: Transaction,
  { orgId, agentId, keyId = null }: Author,
): Promise<boolean> {
  if (isOfGrant(keyId)) {
    const of = matches(programGrants, { orgId, id: keyId })
    const grants = await tx.select({ id: programGrants.id }).from(programGrants).where(of)
    if (grants.length === 0) return true
  }
  const ofKey =
    keyId === null || isOfGrant(keyId)
      ? []
      : await tx
          .select({ endedAt: apiKeys.revokedAt })
          .from(apiKeys)
          .where(matches(apiKeys, { orgId, id: keyId }))
  const ofAgent =
    agentId === null
      ? []
      : await tx
          .select({ endedAt: agents.disabledAt })
          .from(agents)
          .where(matches(agents, { orgId, id: agentId }))
  return [...ofKey, ...ofAgent].some(({ endedAt }) => endedAt !== null)
}

/** Whether a message is by a program that acts for its agent: it was connected by them. */
export function isOfGrant(keyId: string | null): keyId is string {
  return keyId !== null && isId('grt', keyId)
}

/** Whether the agent works through API keys and never sees a page. */
export async function isProgram(
  tx: Transaction,
  { orgId, agentId }: { orgId: string; agentId: string },
): Promise<boolean> {
  const found = await tx
    .select({ id: agents.id })
    .from(agents)
    .where(matches(agents, { orgId, id: agentId, role: 'program' }))
  return found.length > 0
}

/** Whether an agent who replies to an unassigned ticket is assigned to it. */
export async function assignsOnReply(tx: Transaction, orgId: string): Promise<boolean> {
  const [organization] = await tx
    .select({ assignOnReply: organizations.assignOnReply })
    .from(organizations)
    .where(eq(organizations.id, orgId))
  return organization?.assignOnReply ?? false
}
