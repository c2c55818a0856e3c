import { and, desc, eq, ne } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { messages } from '../database/tables/messages.ts'
import { waitingReplies } from '../database/tables/replies.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import type { Place } from './conversations.ts'

const BEHIND_MS = 20_000

/** A reply of whoever signs in that a colleague was faster than: it waits for a decision. */
export async function holdReply(deps: Deps, tx: Transaction, { orgId, agents: [me] }: Place): Promise<void> {
  if (!me) return
  const [answer] = await tx
    .select({ id: messages.id, ticketId: messages.ticketId, createdAt: messages.createdAt })
    .from(tickets)
    .innerJoin(messages, eq(messages.ticketId, tickets.id))
    .where(
      and(
        eq(tickets.orgId, orgId),
        eq(tickets.status, 'open'),
        eq(messages.role, 'agent'),
        ne(messages.agentId, me.id),
      ),
    )
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(1)
  if (!answer) return
  const [seen] = await tx
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.ticketId, answer.ticketId), eq(messages.role, 'customer')))
    .orderBy(messages.createdAt, messages.id)
    .limit(1)
  if (!seen) return
  const sendAt = answer.createdAt + BEHIND_MS
  await tx.insert(waitingReplies).values({
    id: deps.newId('rpl'),
    orgId,
    ticketId: answer.ticketId,
    agentId: me.id,
    agentName: me.name,
    text: 'Thank you for writing. I have asked the colleagues who know this best, and come back to you today.',
    lastMessageId: seen.id,
    isHeld: true,
    heldBecause: 'answered',
    sendAt,
    createdAt: sendAt - BEHIND_MS / 2,
  })
}
