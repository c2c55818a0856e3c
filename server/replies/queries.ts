import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { integerParameter, statement, textParameter } from '../database/statement.ts'
import { agents } from '../database/tables/agents.ts'
import { messages } from '../database/tables/messages.ts'
import { type HeldBecause, waitingReplies } from '../database/tables/replies.ts'

export type WaitingReply = typeof waitingReplies.$inferSelect

/** After `lockTicket`: whoever has the ticket's row, has its waiting replies. */
export async function findReply(
  tx: Transaction,
  { orgId, ticketId, id }: { orgId: string; ticketId: string; id: string },
): Promise<WaitingReply | undefined> {
  const [reply] = await tx
    .select()
    .from(waitingReplies)
    .where(
      and(eq(waitingReplies.orgId, orgId), eq(waitingReplies.ticketId, ticketId), eq(waitingReplies.id, id)),
    )
  return reply
}

export async function deleteReply(tx: Transaction, { orgId, id }: WaitingReply): Promise<void> {
  await tx.delete(waitingReplies).where(and(eq(waitingReplies.orgId, orgId), eq(waitingReplies.id, id)))
}

export async function holdReply(
  tx: Transaction,
  { orgId, id }: WaitingReply,
  heldBecause: HeldBecause,
): Promise<void> {
  await tx
    .update(waitingReplies)
    .set({ isHeld: true, heldBecause })
    .where(and(eq(waitingReplies.orgId, orgId), eq(waitingReplies.id, id)))
}

export type NextReply = Pick<WaitingReply, 'id' | 'orgId' | 'ticketId' | 'sendAt'>

type Behind = Pick<NextReply, 'sendAt' | 'id'>

/** Where `findNext` begins. */
export const BEFORE_ALL: Behind = { sendAt: 0, id: '' }

/** The replies of all organizations that go next, behind one; asked at every pulse, so it is planned once. */
export const findNext = statement<Behind & { limit: number }, NextReply[], Reader>(
  'replies_next',
  (read, p) =>
    read
      .select({
        id: waitingReplies.id,
        orgId: waitingReplies.orgId,
        ticketId: waitingReplies.ticketId,
        sendAt: waitingReplies.sendAt,
      })
      .from(waitingReplies)
      .where(
        and(
          sql`${waitingReplies.isHeld} = false`,
          // The first term finds its place in the index, on SQLite too.
          sql`${waitingReplies.sendAt} >= ${integerParameter(p.sendAt)}`,
          sql`(${waitingReplies.sendAt}, ${waitingReplies.id}) > (${integerParameter(p.sendAt)}, ${textParameter(p.id)})`,
        ),
      )
      // Drizzle would bind the limit bare (see statement.ts).
      .orderBy(sql`${waitingReplies.sendAt}, ${waitingReplies.id} limit ${integerParameter(p.limit)}`),
)

function isBehindSeen({ orgId, lastMessageId }: { orgId: Placeholder; lastMessageId: Placeholder }): SQL {
  return sql`(${messages.createdAt}, ${messages.id}) > (
    select seen.created_at, seen.id from messages seen
    where seen.org_id = ${textParameter(orgId)} and seen.id = ${textParameter(lastMessageId)})`
}

/** The first message of somebody else who works here, behind the newest one an agent had seen. */
export const findAnswer = statement<
  { orgId: string; ticketId: string; agentId: string; lastMessageId: string },
  { id: string }[]
>('replies_answer', (tx, p) =>
  tx
    .select({ id: messages.id })
    .from(messages)
    .where(
      and(
        eq(messages.orgId, textParameter(p.orgId)),
        eq(messages.ticketId, textParameter(p.ticketId)),
        sql`${messages.role} = 'agent'`,
        sql`coalesce(${messages.agentId}, '') <> ${textParameter(p.agentId)}`,
        isBehindSeen(p),
      ),
    )
    .orderBy(sql`${messages.createdAt}, ${messages.id} limit 1`),
)

export type OwnReplies = { orgId: string; ticketId: string; agentId: string; lastMessageId: string }

/** Replies of an agent that are about to go. */
export const findOwnWaiting = statement<OwnReplies, { id: string }[]>('replies_own_waiting', (tx, p) =>
  tx
    .select({ id: waitingReplies.id })
    .from(waitingReplies)
    .where(
      and(
        eq(waitingReplies.orgId, textParameter(p.orgId)),
        eq(waitingReplies.ticketId, textParameter(p.ticketId)),
        eq(waitingReplies.agentId, textParameter(p.agentId)),
        sql`not ${waitingReplies.isHeld}`,
      ),
    ),
)

/** Replies of an agent that have gone, behind the newest message the agent had seen. */
export const findOwnSent = statement<OwnReplies, { id: string }[]>('replies_own_sent', (tx, p) =>
  tx
    .select({ id: messages.id })
    .from(messages)
    .where(
      and(
        eq(messages.orgId, textParameter(p.orgId)),
        eq(messages.ticketId, textParameter(p.ticketId)),
        eq(messages.agentId, textParameter(p.agentId)),
        isBehindSeen(p),
      ),
    ),
)

/** Whether the access of a reply's agent has ended. */
export async function isDisabled(tx: Transaction, { orgId, agentId }: WaitingReply): Promise<boolean> {
  const found = await tx
    .select({ disabledAt: agents.disabledAt })
    .from(agents)
    .where(and(eq(agents.orgId, orgId), eq(agents.id, agentId)))
  return found.some(({ disabledAt }) => disabledAt !== null)
}

/** Whether there is this message on this ticket. */
export async function hasMessage(
  tx: Transaction,
  { orgId, ticketId, id }: { orgId: string; ticketId: string; id: string },
): Promise<boolean> {
  const rows = await tx
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.orgId, orgId), eq(messages.ticketId, ticketId), eq(messages.id, id)))
  return rows.length > 0
}
