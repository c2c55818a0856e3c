import { and, eq, inArray } from 'drizzle-orm'
import { withAttachments } from '../../attachments/queries.ts'
import { readShownCustomers, type ShownCustomer, viewShownCustomer } from '../../customers/shown-customers.ts'
import type { Reader } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { scheduledMessages } from '../../database/tables/scheduled-messages.ts'
import { notes } from '../../database/tables/threads.ts'
import { isoTime } from '../../dates.ts'
import { viewOutgoing } from '../../messages/views.ts'
import { findSuggestionsById, type Suggestion } from '../../suggestions/queries.ts'
import { viewV1Suggestion } from '../../suggestions/views.ts'
import type { NoteRow } from '../../threads/thread.ts'
import { viewV1Note } from '../../threads/views.ts'
import { findTicketsById, type TicketWithCustomer } from '../../tickets/queries.ts'
import { viewSentMessage, webhookMessageSent, webhookTicketCreated } from '../../tickets/views.ts'
import { type EventActor, readActors } from '../actors.ts'
import { type MessageOfEvent, readMessages, viewTicketOfEvent } from './included.ts'
import { type PublicEvent, storedBodies } from './list-events.ts'
import { changesOf } from './views.ts'

/**
 * The bodies that webhooks of these events have, by number: the stored one, or one made from what is stored now. An
 * event whose ticket, message, or customer is deleted since has none.
 */
export async function readWebhookBodies(
  read: Reader,
  orgId: string,
  events: PublicEvent[],
): Promise<Map<number, Uint8Array>> {
  const stored = await storedBodies(
    read,
    orgId,
    events.map(({ number }) => number),
  )
  const facts = await readFacts(
    read,
    orgId,
    events.filter(({ number }) => !stored.has(number)),
  )
  return new Map(
    events.flatMap((event) => {
      const body = stored.get(event.number) ?? makeBody(orgId, event, facts)
      return body ? [[event.number, body]] : []
    }),
  )
}

interface Facts {
  tickets: Map<string, TicketWithCustomer>
  messages: Map<string, MessageOfEvent>
  /** Views of messages that are held until someone decides. */
  held: Map<string, ReturnType<typeof viewOutgoing>>
  notes: Map<string, NoteRow>
  suggestions: Map<string, Suggestion>
  customers: Map<string, ShownCustomer>
  actorOf: (id: string | null) => EventActor
}

async function readFacts(read: Reader, orgId: string, events: PublicEvent[]): Promise<Facts> {
  const idsOf = (pick: (event: PublicEvent) => string | null, prefix: string) =>
    [...new Set(events.map(pick))].flatMap((id) => (id?.startsWith(prefix) ? [id] : []))
  const [ofTickets, ofMessages, held, ofNotes, ofSuggestions, ofCustomers, actorOf] = await Promise.all([
    findTicketsById(
      read,
      orgId,
      idsOf(({ ticketId }) => ticketId, 'tkt_'),
    ),
    readMessages(
      read,
      orgId,
      idsOf(({ messageId }) => messageId, 'msg_'),
    ),
    readHeld(
      read,
      orgId,
      idsOf(({ type, messageId }) => (type === 'message.updated' ? messageId : null), 'msg_'),
    ),
    readNotes(
      read,
      orgId,
      idsOf(({ messageId }) => messageId, 'not_'),
    ),
    findSuggestionsById(
      read,
      orgId,
      idsOf(({ messageId }) => messageId, 'sug_'),
    ),
    readShownCustomers(
      read,
      orgId,
      idsOf(({ type, customerId }) => (type === 'customer.updated' ? customerId : null), 'usr_'),
    ),
    readActors(
      read,
      orgId,
      events.map(({ byId }) => byId),
    ),
  ])
  return {
    tickets: byId(ofTickets),
    messages: byId(ofMessages),
    held,
    notes: byId(ofNotes),
    suggestions: byId(ofSuggestions),
    customers: byId(ofCustomers),
    actorOf,
  }
}

function makeBody(orgId: string, event: PublicEvent, facts: Facts): Uint8Array | undefined {
  const data = dataOf(orgId, event, facts)
  if (!data) return undefined
  return Buffer.from(JSON.stringify({ event: event.type, createdAt: isoTime(event.createdAt), data }))
}

function dataOf(orgId: string, event: PublicEvent, facts: Facts): object | undefined {
  const by = facts.actorOf(event.byId)
  const ticket = facts.tickets.get(event.ticketId)
  const message = facts.messages.get(event.messageId ?? '')
  switch (event.type) {
    case 'ticket.created':
      return ticket && webhookTicketCreated(ticket)
    case 'message.sent':
      return ticket && message && webhookMessageSent(ticket, message, by)
    case 'ticket.updated':
      return ticket && { ticket: viewTicketOfEvent(ticket), changes: changesOf(event) ?? {}, by }
    case 'ticket.imported':
      return ticket && { ticket: viewTicketOfEvent(ticket), by }
    case 'ticket.deleted':
      return { ticket: { id: event.ticketId, orgId }, by }
    case 'message.updated': {
      const changed = message ? viewSentMessage(message) : facts.held.get(event.messageId ?? '')
      return ticket && changed && { ticket: viewTicketOfEvent(ticket), message: changed, by }
    }
    case 'note.added': {
      const note = facts.notes.get(event.messageId ?? '')
      return ticket && note && { ticket: viewTicketOfEvent(ticket), note: viewV1Note(note), by }
    }
    case 'suggestion.added':
    case 'suggestion.closed': {
      const suggestion = facts.suggestions.get(event.messageId ?? '')
      if (!ticket || !suggestion) return undefined
      return { ticket: viewTicketOfEvent(ticket), suggestion: viewV1Suggestion(suggestion), by }
    }
    case 'customer.updated': {
      const customer = facts.customers.get(event.customerId ?? '')
      return customer && { customer: viewShownCustomer(customer), by }
    }
    case 'customer.deleted':
      return { customer: { id: event.customerId }, by }
    case 'customer.merged':
      return { customer: { id: event.customerId }, into: event.changes?.into, by }
  }
}

async function readHeld(read: Reader, orgId: string, ids: string[]) {
  if (ids.length === 0) return new Map()
  const found = await read
    .select()
    .from(scheduledMessages)
    .where(and(matches(scheduledMessages, { orgId, isHeld: true }), inArray(scheduledMessages.id, ids)))
  const replies = (await withAttachments(read, orgId, found)).flatMap(
    ({ attachments, ticketId, ...scheduled }) =>
      ticketId === null ? [] : [{ scheduled: { ...scheduled, ticketId }, attachments }],
  )
  return new Map(replies.map((reply) => [reply.scheduled.id, viewOutgoing(reply)]))
}

async function readNotes(read: Reader, orgId: string, ids: string[]) {
  if (ids.length === 0) return []
  const found = await read
    .select()
    .from(notes)
    .where(and(eq(notes.orgId, orgId), inArray(notes.id, ids)))
  return withAttachments(read, orgId, found)
}

function byId<Row extends { id: string }>(rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]))
}
