import { and, asc, desc, eq, max, ne, sql } from 'drizzle-orm'
import { editCustomer } from '../customers/directory/edit-customer.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { agents } from '../database/tables/agents.ts'
import { customers } from '../database/tables/customers.ts'
import { messages } from '../database/tables/messages.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { DRAFT_KINDS } from '../database/tables/threads.ts'
import { tickets } from '../database/tables/tickets.ts'
import { isoTime } from '../dates.ts'
import { actingAs, type Deps } from '../deps.ts'
import { mentionMark } from '../formatting/inline.ts'
import { keepDraft } from '../threads/drafts.ts'
import { putNote } from '../threads/notes.ts'
import { saveMarks } from '../threads/read-marks.ts'
import { updateTicket } from '../tickets/update-ticket.ts'
import company from './company.yaml'
import { type DemoOrganization, depsIn } from './organization.ts'
import type { Random } from './plan.ts'

const HOUR_MS = 3_600_000
/** How long before the held reply was due the colleague replied. */
const HEAD_START_MS = 20_000
/** No demo runs this long. */
const SCHEDULED_AFTER_MS = 40 * HOUR_MS

type LastMessage = Pick<typeof messages.$inferSelect, 'id' | 'ticketId' | 'role' | 'createdAt'>

/**
 * Adds what the log has no events for: read marks, drafts, a failed reply, a held one, one that is sent later, and what is
 * known of customers.
 */
export async function seedTicketState(
  deps: Deps,
  organization: DemoOrganization,
  random: Random,
): Promise<void> {
  const { orgId } = organization
  const now = deps.clock.now()
  await deps.database.write(orgId, async (tx) => {
    // The other channels aren't connected in the demo.
    await tx
      .update(messages)
      .set({ sending: 'sent', sendError: null })
      .where(matches(messages, { orgId, sending: 'failed' }))
    const last = await lastMessages(tx, orgId)
    const marks = organization.agents.flatMap(({ id: agentId }) =>
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
    await saveMarks(tx, marks)
    await setLastSeen(tx, orgId)
    await failTelegramReply(tx, orgId)
    await addDrafts(depsIn(deps, tx), tx, organization)
    await holdReply(deps, tx, organization)
    await scheduleReply(deps, tx, organization)
    await addMentions(depsIn(deps, tx), tx, organization)
    await addSnoozes(depsIn(deps, tx), tx, organization)
    await describeCustomers(depsIn(deps, tx), tx, orgId)
  })
}

async function describeCustomers(deps: Deps, tx: Transaction, orgId: string): Promise<void> {
  const known = await tx
    .select({ id: customers.id, email: customers.email })
    .from(customers)
    .where(eq(customers.orgId, orgId))
  for (const { domain, company: name, phone } of company.contacts) {
    for (const { id, email } of known) {
      if (email?.endsWith(`@${domain}`))
        await editCustomer(deps, orgId, { id, change: { company: name, phone } })
    }
  }
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

/** An agent was last seen when they last wrote. */
async function setLastSeen(tx: Transaction, orgId: string): Promise<void> {
  const lastWritten = tx
    .select({ at: max(messages.createdAt) })
    .from(messages)
    .where(matches(messages, { orgId, agentId: agents.id }))
  await tx
    .update(agents)
    .set({ lastSeenAt: sql`(${lastWritten})` })
    .where(eq(agents.orgId, orgId))
}

/** The newest one. */
async function failTelegramReply(tx: Transaction, orgId: string): Promise<void> {
  const [reply] = await tx
    .select({ id: messages.id })
    .from(messages)
    .innerJoin(tickets, eq(tickets.id, messages.ticketId))
    .where(and(matches(messages, { orgId, role: 'agent' }), eq(tickets.channel, 'telegram')))
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(1)
  if (!reply) return
  await tx
    .update(messages)
    .set({ sending: 'failed', sendError: company.telegramFault })
    .where(matches(messages, { orgId, id: reply.id }))
}

/** On the newest open tickets of the agent who signs in. */
async function addDrafts(
  deps: Deps,
  tx: Transaction,
  { orgId, agents: [me] }: DemoOrganization,
): Promise<void> {
  if (!me) return
  const own = await tx
    .select({ id: tickets.id })
    .from(tickets)
    .where(matches(tickets, { orgId, assignedTo: me.id, status: 'open' }))
    .orderBy(desc(tickets.createdAt), desc(tickets.id))
    .limit(company.drafts.length)
  for (const [index, { id: ticketId }] of own.entries()) {
    for (const kind of DRAFT_KINDS) {
      const text = company.drafts[index]?.[kind]
      const draft = { orgId, agentId: me.id, ticketId, kind, attachments: [] }
      if (text) await keepDraft(deps, { ...draft, text })
    }
  }
}

/** A reply of the agent who signs in, held because a colleague replied first. */
async function holdReply(
  deps: Deps,
  tx: Transaction,
  { orgId, agents: [me] }: DemoOrganization,
): Promise<void> {
  if (!me) return
  const [answer] = await tx
    .select({ id: messages.id, ticketId: messages.ticketId, createdAt: messages.createdAt })
    .from(tickets)
    .innerJoin(messages, eq(messages.ticketId, tickets.id))
    .where(
      and(
        matches(tickets, { orgId, status: 'open' }),
        eq(messages.role, 'agent'),
        ne(messages.agentId, me.id),
      ),
    )
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(1)
  if (!answer) return
  const [seen] = await tx
    .select({ id: messages.id, createdAt: messages.createdAt })
    .from(messages)
    .where(matches(messages, { ticketId: answer.ticketId, role: 'customer' }))
    .orderBy(messages.createdAt, messages.id)
    .limit(1)
  if (!seen) return
  const sendAt = answer.createdAt + HEAD_START_MS
  await tx.insert(scheduledMessages).values({
    id: deps.newId('msg'),
    orgId,
    ticketId: answer.ticketId,
    agentId: me.id,
    agentName: me.name,
    text: "Thanks for writing. I've asked our printing team and will get back to you today.",
    seenMessageId: seen.id,
    seenAt: seen.createdAt,
    isHeld: true,
    heldBecause: 'answered',
    sendAt,
    createdAt: sendAt - HEAD_START_MS / 2,
  })
}

/** By the agent who signs in, on their newest pending ticket. */
async function scheduleReply(
  deps: Deps,
  tx: Transaction,
  { orgId, agents: [me] }: DemoOrganization,
): Promise<void> {
  if (!me) return
  const [own] = await tx
    .select({ id: tickets.id })
    .from(tickets)
    .where(matches(tickets, { orgId, assignedTo: me.id, status: 'pending', channel: 'email' }))
    .orderBy(desc(tickets.lastMessageAt), desc(tickets.id))
    .limit(1)
  if (!own) return
  const now = deps.clock.now()
  await tx.insert(scheduledMessages).values({
    id: deps.newId('msg'),
    orgId,
    ticketId: own.id,
    agentId: me.id,
    agentName: me.name,
    text: 'Good morning! Has the parcel arrived by now?',
    isLater: true,
    sendAt: now + SCHEDULED_AFTER_MS,
    createdAt: now,
  })
}

/** By the other agents, on the newest open tickets of others. The agent who signs in follows them then. */
async function addMentions(
  deps: Deps,
  tx: Transaction,
  { orgId, agents: [me, ...others] }: DemoOrganization,
): Promise<void> {
  if (!me) return
  const found = await tx
    .select({ id: tickets.id })
    .from(tickets)
    .where(and(matches(tickets, { orgId, status: 'open' }), ne(tickets.assignedTo, me.id)))
    .orderBy(desc(tickets.lastMessageAt), desc(tickets.id))
    .limit(company.mentions.length)
  for (const [index, { id: ticketId }] of found.entries()) {
    const author = others[index % others.length]
    const text = company.mentions[index]
    if (!author || text === undefined) continue
    const written = { text: `${mentionMark({ of: 'agent', ...me })}, ${text}`, format: 'markdown' as const }
    const by = { agentId: author.id, agentName: author.name }
    await putNote(deps, orgId, { ticketId, id: deps.newId('not'), ...written, ...by })
  }
}

/** On the oldest open tickets of the agent who signs in. */
async function addSnoozes(
  deps: Deps,
  tx: Transaction,
  { orgId, agents: [me] }: DemoOrganization,
): Promise<void> {
  if (!me) return
  const own = await tx
    .select({ id: tickets.id })
    .from(tickets)
    .where(matches(tickets, { orgId, assignedTo: me.id, status: 'open' }))
    .orderBy(asc(tickets.lastMessageAt), asc(tickets.id))
    .limit(company.snoozes.length)
  const asMe = actingAs(deps, { kind: 'agent', id: me.id, name: me.name })
  for (const [index, { id }] of own.entries()) {
    const { why = '', days = 1 } = company.snoozes[index] ?? {}
    const snoozedUntil = isoTime(deps.clock.now() + days * 24 * HOUR_MS)
    await updateTicket(asMe, orgId, { id, change: { snoozedUntil, why } })
  }
}
