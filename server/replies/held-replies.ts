import { and, desc, eq, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { customers } from '../database/tables/customers.ts'
import { waitingReplies } from '../database/tables/replies.ts'
import { tickets } from '../database/tables/tickets.ts'
import { isHeldForMe, textOf } from '../search/conditions.ts'
import { MAX_COUNTED } from '../search/count-tickets.ts'

/** Whoever has more of them looks at the list. */
const MOST_NAMED = 20

export interface HeldReply {
  id: string
  ticketId: string
  /** Name of the customer. */
  customer: string
  /** Who was faster; empty for an integration. */
  answeredBy: string
}

/** How many tickets have a reply that waits for my decision, and the newest of mine that somebody else was faster than. */
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
    mine: overtaken.slice(0, MOST_NAMED).map(({ id, ticketId, customer, answeredBy }) => ({
      id,
      ticketId,
      customer,
      answeredBy: answeredBy ?? '',
    })),
  }
}

interface StoredHeld extends Omit<HeldReply, 'answeredBy'> {
  agentId: string
  heldBecause: string | null
  answeredBy: string | null
}

/** The first answer of somebody else behind what the agent had seen. */
const answeredBy = sql<string | null>`(select said.agent_name from messages said
  where said.org_id = ${textOf('orgId')} and said.ticket_id = ${waitingReplies.ticketId} and said.role = 'agent'
  and coalesce(said.agent_id, '') <> ${waitingReplies.agentId} and (said.created_at, said.id) > (
    select seen.created_at, seen.id from messages seen
    where seen.org_id = ${textOf('orgId')} and seen.id = ${waitingReplies.lastMessageId})
  order by said.created_at, said.id limit 1)`

const heldReplies = statement<{ orgId: string; me: string }, StoredHeld[], Reader>('inbox_held', (read) =>
  read
    .select({
      id: waitingReplies.id,
      ticketId: waitingReplies.ticketId,
      agentId: waitingReplies.agentId,
      heldBecause: waitingReplies.heldBecause,
      customer: customers.name,
      answeredBy,
    })
    .from(waitingReplies)
    .innerJoin(tickets, eq(tickets.id, waitingReplies.ticketId))
    .innerJoin(customers, eq(customers.id, tickets.customerId))
    .where(and(eq(waitingReplies.orgId, textOf('orgId')), isHeldForMe, sql`not ${tickets.isSpam}`))
    .orderBy(desc(waitingReplies.createdAt), desc(waitingReplies.id))
    .limit(MAX_COUNTED),
)
