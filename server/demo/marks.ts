import { and, asc, desc, eq, inArray, max, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { agents } from '../database/tables/agents.ts'
import { messages } from '../database/tables/messages.ts'
import { DRAFT_KINDS, type DraftKind, drafts, readMarks } from '../database/tables/threads.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import type { Place } from './conversations.ts'
import { holdReply } from './held-reply.ts'
import { FAILURES } from './people.ts'
import type { Random } from './random.ts'

const HOUR_MS = 3_600_000
const ROWS_AT_ONCE = 500
/** What is begun on one ticket each; the last one has a reply and a note. */
const DRAFTS: Partial<Record<DraftKind, string>>[] = [
  { reply: 'Thank you for your patience. I have just heard from the carrier, and ' },
  { reply: 'Good question! In short: yes. The long answer is' },
  {
    reply: 'Hello again, I am looking into it and',
    note: 'Ask Jonas whether this is the same as last week before I answer.',
  },
]

type LastMessage = Pick<typeof messages.$inferSelect, 'id' | 'ticketId' | 'role' | 'createdAt'>

/** What has been read and begun, and what could not be sent: everything that is no event of the log. */
export async function leaveMarks(deps: Deps, place: Place, random: Random): Promise<void> {
  const { orgId } = place
  const now = deps.clock.now()
  await deps.database.write(async (tx) => {
    await tx
      .update(messages)
      .set({ sending: 'sent' })
      .where(and(eq(messages.orgId, orgId), eq(messages.sending, 'queued')))
    const last = await lastMessages(tx, orgId)
    const marks = place.agents.flatMap(({ id: agentId }) =>
      last
        .filter(({ createdAt }) => createdAt < now - 20 * HOUR_MS || random.chance(0.3))
        .map(({ id, ticketId, createdAt }) => ({
          orgId,
          agentId,
          ticketId,
          messageId: id,
          messageAt: createdAt,
        })),
    )
    for (let start = 0; start < marks.length; start += ROWS_AT_ONCE) {
      await tx.insert(readMarks).values(marks.slice(start, start + ROWS_AT_ONCE))
    }
    await showSeen(tx, orgId)
    await failSome(tx, orgId)
    await beginDrafts(tx, place, now)
    await holdReply(deps, tx, place)
  })
}

/** The newest message of each ticket. */
async function lastMessages(tx: Transaction, orgId: string): Promise<LastMessage[]> {
  const all = await tx
    .select({
      id: messages.id,
      ticketId: messages.ticketId,
      role: messages.role,
      createdAt: messages.createdAt,
    })
    .from(messages)
    .where(eq(messages.orgId, orgId))
    .orderBy(asc(messages.createdAt), asc(messages.id))
  return [...new Map(all.map((message) => [message.ticketId, message])).values()]
}

/** Whoever wrote was here. */
async function showSeen(tx: Transaction, orgId: string): Promise<void> {
  const lastWritten = tx
    .select({ at: max(messages.createdAt) })
    .from(messages)
    .where(and(eq(messages.orgId, orgId), eq(messages.agentId, agents.id)))
  await tx
    .update(agents)
    .set({ lastSeenAt: sql`(${lastWritten})` })
    .where(eq(agents.orgId, orgId))
}

/** The newest answers that went by mail or Telegram, one for each reason. */
async function failSome(tx: Transaction, orgId: string): Promise<void> {
  const sent = await tx
    .select({ id: messages.id, ticketId: messages.ticketId })
    .from(messages)
    .innerJoin(tickets, eq(tickets.id, messages.ticketId))
    .where(
      and(
        eq(messages.orgId, orgId),
        eq(messages.role, 'agent'),
        inArray(tickets.channel, ['email', 'telegram']),
      ),
    )
    .orderBy(asc(messages.createdAt), asc(messages.id))
  const newest = [...new Map(sent.map((message) => [message.ticketId, message])).values()].slice(
    -FAILURES.length,
  )
  for (const [place, { id }] of newest.entries()) {
    await tx
      .update(messages)
      .set({ sending: 'failed', sendError: FAILURES[place] })
      .where(and(eq(messages.orgId, orgId), eq(messages.id, id)))
  }
}

/** On the newest open tickets of whoever signs in. */
async function beginDrafts(tx: Transaction, { orgId, agents: [me] }: Place, now: number): Promise<void> {
  if (!me) return
  const own = await tx
    .select({ id: tickets.id })
    .from(tickets)
    .where(and(eq(tickets.orgId, orgId), eq(tickets.assignedTo, me.id), eq(tickets.status, 'open')))
    .orderBy(desc(tickets.createdAt), desc(tickets.id))
    .limit(DRAFTS.length)
  for (const [place, { id: ticketId }] of own.entries()) {
    for (const kind of DRAFT_KINDS) {
      const text = DRAFTS[place]?.[kind]
      const begun = { orgId, agentId: me.id, ticketId, kind, savedAt: now }
      if (text) await tx.insert(drafts).values({ ...begun, text })
    }
  }
}
