import { and, desc, eq, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { statement, text } from '../database/statement.ts'
import { customers } from '../database/tables/customers.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { tickets } from '../database/tables/tickets.ts'
import { isHeldForMe } from '../search/conditions.ts'
import { MAX_COUNTED } from '../search/count-tickets.ts'

/** The most notices that are shown. The list has the rest. */
const MAX_NAMED = 20

interface HeldReply {
  id: string
  ticketId: string
  /** Name of the customer. */
  customer: string
  /** The agent who answered first; empty when unknown. */
  answeredBy: string
}

/** Counts tickets with a held reply that the agent can decide on, and lists the agent's newest ones. */
export async function readHeld(
  read: Reader,
  orgId: string,
  me: string,
): Promise<{ tickets: number; mine: HeldReply[] }> {
  const replies = await heldReplies(read, { orgId, me })
  const overtaken = replies.filter(
    ({ agentId, heldBecause }) => agentId === me && (heldBecause ?? 'answered') === 'answered',
  )
  return {
    tickets: new Set(replies.map(({ ticketId }) => ticketId)).size,
    mine: overtaken.slice(0, MAX_NAMED).map(({ id, ticketId, customer, answeredBy }) => ({
      id,
      ticketId,
      customer,
      answeredBy: answeredBy ?? '',
    })),
  }
}

/** The agent who answered first after what the author had seen. */
const answeredBy = sql<string | null>`(select said.agent_name from messages said
  where said.org_id = ${text.bind('orgId')} and said.ticket_id = ${scheduledMessages.ticketId} and said.role = 'agent' and not said.is_automatic
  and coalesce(said.agent_id, '') <> ${scheduledMessages.agentId}
  and (said.created_at, said.id) > (${scheduledMessages.seenAt}, ${scheduledMessages.seenMessageId})
  order by said.created_at, said.id limit 1)`

const heldReplies = statement('inbox_held', { orgId: text, me: text }, (read: Reader) =>
  read
    .select({
      id: scheduledMessages.id,
      ticketId: tickets.id,
      agentId: scheduledMessages.agentId,
      heldBecause: scheduledMessages.heldBecause,
      customer: customers.name,
      answeredBy,
    })
    .from(scheduledMessages)
    .innerJoin(tickets, eq(tickets.id, scheduledMessages.ticketId))
    .innerJoin(customers, eq(customers.id, tickets.customerId))
    .where(and(eq(scheduledMessages.orgId, text.bind('orgId')), isHeldForMe, sql`not ${tickets.isSpam}`))
    .orderBy(desc(scheduledMessages.createdAt), desc(scheduledMessages.id))
    .limit(MAX_COUNTED),
)
