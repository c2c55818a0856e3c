import { asc, eq } from 'drizzle-orm'
import { customerOfVisitor } from '../channels/widget/visitors/visitor-customer.ts'
import type { Visitor } from '../channels/widget/visitors/visitors.ts'
import { createWidget } from '../channels/widget/widgets/widgets.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { customerIdentities, customers } from '../database/tables/customers.ts'
import { messages } from '../database/tables/messages.ts'
import { tickets } from '../database/tables/tickets.ts'
import { visitors, widgetConversations } from '../database/tables/widgets.ts'
import type { Actor, Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { addAgentMessage } from '../tickets/messages.ts'
import { openTicket } from '../tickets/tickets.ts'
import company from './company.yaml'
import { type DemoOrganization, depsAt } from './organization.ts'

const MINUTE_MS = 60_000
/** The end of time (ECMA-262, section 21.4.1.1): no one has the browsers of the demo. */
const NEVER = 8_640_000_000_000_000

interface Place {
  organization: DemoOrganization
  widgetId: string
}

/** Adds the chat of the demo's website. */
export async function addWidget(
  deps: Deps,
  organization: DemoOrganization,
  { at, actor }: { at: number; actor: Actor },
): Promise<Place> {
  const { name, origins, questions } = company.widget
  const { widget } = await createWidget(depsAt(deps, at, actor), organization.orgId, {
    name,
    origins,
    questions,
  })
  return { organization, widgetId: widget.id }
}

/**
 * Makes visitors of those who wrote in the chat: the website has signed in all customers whose email is known. Two others
 * are writing now, one of them without an address.
 */
export async function seedVisitors(deps: Deps, place: Place): Promise<void> {
  await deps.database.write(place.organization.orgId, async (tx) => {
    await addSignedIn(deps, tx, place)
    for (const chat of company.widget.chats) await addChat(deps, tx, place, chat)
  })
}

async function addSignedIn(deps: Deps, tx: Transaction, { organization, widgetId }: Place): Promise<void> {
  const { orgId } = organization
  const rows = await tx
    .select({ ticket: tickets, customer: customers })
    .from(tickets)
    .innerJoin(customers, eq(customers.id, tickets.customerId))
    .where(matches(tickets, { orgId, channel: 'widget' }))
    .orderBy(asc(tickets.createdAt), asc(tickets.id))
  const known = new Map<string, Visitor>()
  for (const [index, { ticket, customer }] of rows.entries()) {
    const visitor =
      known.get(customer.id) ??
      (await insertVisitor(depsAt(deps, ticket.createdAt), tx, {
        orgId,
        widgetId,
        ...pageOf(index),
        customerId: customer.id,
        userId: `shop-${1_000 + index}`,
        verifiedName: customer.name,
        verifiedEmail: customer.email ?? '',
      }))
    if (!known.has(customer.id)) {
      await tx.insert(customerIdentities).values({
        orgId,
        channel: 'widget',
        externalId: `user:${visitor.userId}`,
        customerId: customer.id,
        createdAt: ticket.createdAt,
      })
    }
    known.set(customer.id, visitor)
    const newest = await newestAnswer(tx, orgId, ticket.id)
    const seen = newest && { seenMessageId: newest.id, seenAt: newest.createdAt + 2 * MINUTE_MS }
    await addConversation(tx, visitor, { ticketId: ticket.id, createdAt: ticket.createdAt, ...seen })
    const lastSeenAt = Math.max(visitor.lastSeenAt, seen?.seenAt ?? ticket.createdAt)
    visitor.lastSeenAt = Math.min(lastSeenAt, deps.clock.now())
    await tx.update(visitors).set({ lastSeenAt: visitor.lastSeenAt }).where(eq(visitors.id, visitor.id))
  }
}

async function addChat(
  deps: Deps,
  tx: Transaction,
  { organization, widgetId }: Place,
  chat: (typeof company.widget.chats)[number],
): Promise<void> {
  const { orgId, agents } = organization
  const opened = depsAt(deps, deps.clock.now() - chat.minutesAgo * MINUTE_MS)
  const lastSeenAt = deps.clock.now() - MINUTE_MS
  const visitor = await insertVisitor(opened, tx, { orgId, widgetId, ...chat.visitor, lastSeenAt })
  const customer = await customerOfVisitor(opened, tx, visitor)
  const ticketId = opened.newId('tkt')
  await addConversation(tx, visitor, { ticketId, createdAt: opened.clock.now() })
  await openTicket(opened, tx, orgId, {
    id: ticketId,
    channel: 'widget',
    subject: chat.subject,
    customer,
    message: { text: chat.text },
  })
  const agent = agents[0]
  if (chat.answer === undefined || !agent) return
  const answered = depsAt(opened, opened.clock.now() + MINUTE_MS, { kind: 'agent', ...agent })
  const { events, message } = await addAgentMessage(answered, tx, orgId, {
    ticketId,
    text: chat.answer,
    format: 'markdown',
    agentId: agent.id,
    agentName: agent.name,
  })
  recordEvents(answered, tx, orgId, events)
  // Read at once, so that no email is due to an address of the demo.
  await tx
    .update(widgetConversations)
    .set({ seenMessageId: message.id, seenAt: answered.clock.now() + MINUTE_MS, emailDueAt: null })
    .where(matches(widgetConversations, { orgId, ticketId }))
}

async function newestAnswer(tx: Transaction, orgId: string, ticketId: string) {
  const answers = await tx
    .select({ id: messages.id, createdAt: messages.createdAt })
    .from(messages)
    .where(matches(messages, { orgId, ticketId, role: 'agent' }))
    .orderBy(asc(messages.createdAt), asc(messages.id))
  return answers.at(-1)
}

async function addConversation(
  tx: Transaction,
  { orgId, widgetId, id: visitorId, userId }: Visitor,
  given: { ticketId: string; createdAt: number; seenMessageId?: string; seenAt?: number },
): Promise<void> {
  const clientId = `demo_${given.ticketId}`
  await tx.insert(widgetConversations).values({ orgId, widgetId, visitorId, userId, clientId, ...given })
}

function pageOf(index: number) {
  const { pages } = company.widget
  return pages[index % pages.length]
}

async function insertVisitor(
  deps: Deps,
  tx: Transaction,
  visitor: Pick<Visitor, 'orgId' | 'widgetId'> & Partial<Visitor>,
): Promise<Visitor> {
  const now = deps.clock.now()
  const values = { id: deps.newId('vis'), tokenExpiresAt: NEVER, fields: {}, lastSeenAt: now, createdAt: now }
  const [stored] = await tx
    .insert(visitors)
    .values({ ...values, ...visitor })
    .returning()
  if (!stored) throw new Error('The visitor was not stored.')
  return stored
}
