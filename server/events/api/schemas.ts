import { type TSchema, t } from 'elysia'
import { customer } from '../../customers/api/schemas.ts'
import { type EventChanges, WEBHOOK_EVENTS, type WebhookEvent } from '../../database/tables/events.ts'
import { described, oneOf } from '../../requests/schemas.ts'
import { v1Suggestion } from '../../suggestions/schemas.ts'
import { v1Note } from '../../threads/schemas.ts'
import {
  author,
  eventTicket,
  listedTicket,
  messageOfTicket,
  outgoingMessage,
  sentMessage,
  sentTicket,
  status,
  time,
} from '../../tickets/schemas.ts'

const MAX_WAIT_S = 30
export const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000
export const INCLUDES = ['ticket', 'message', 'customer', 'body'] as const
export type Include = (typeof INCLUDES)[number]

const POSITION = 'fa8f4acc0b7d.4821'
const position = (description: string) => t.String({ description, examples: [POSITION] })
const id = (example: string, description: string) =>
  t.Optional(t.String({ description, examples: [example] }))
const list = (description: string, example: string) =>
  t.Optional(t.String({ maxLength: 512, description, examples: [example] }))

export const eventQuery = t.Object(
  {
    after: t.Optional(
      t.String({
        maxLength: 64,
        description:
          'A position that you got from here: the events after it are returned. `0`, the default, begins with the oldest event that is kept.',
        examples: ['0'],
      }),
    ),
    limit: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: MAX_LIMIT,
        default: DEFAULT_LIMIT,
        examples: [100],
        description: 'Most events to return. There are fewer when what you include is long.',
      }),
    ),
    types: list(`Only these events, separated by commas: ${WEBHOOK_EVENTS.join(', ')}.`, 'ticket.updated'),
    ticket: t.Optional(
      t.String({
        maxLength: 64,
        description: 'Only events of this ticket.',
        examples: ['tkt_01jq8z5w8wf6r9f5v0h3q1x2yz'],
      }),
    ),
    wait: t.Optional(
      t.Integer({
        minimum: 0,
        maximum: MAX_WAIT_S,
        default: 0,
        examples: [0],
        description: 'Seconds to wait for an event if there is none yet.',
      }),
    ),
    include: list(
      'What to add, separated by commas: `ticket`, `message` and `customer` are the present state of what the events are about, once each, in `included`. `body` is what a webhook would send.',
      'ticket,message',
    ),
  },
  { additionalProperties: false },
)

const fromTo = <Schema extends Parameters<typeof t.Object>[0][string]>(value: Schema) =>
  t.Optional(t.Object({ from: value, to: value }))
const happened = t.Optional(t.Object({}, { description: 'It changed. The log keeps no texts.' }))

const changes = t.Unsafe<Omit<EventChanges, 'into'>>(
  t.Object(
    {
      status: fromTo(status),
      assignedTo: fromTo(t.Union([t.String(), t.Null()])),
      tags: fromTo(t.Array(t.String())),
      spam: fromTo(t.Boolean()),
      snoozedUntil: fromTo(t.Union([t.String(), t.Null()])),
      mergedInto: fromTo(t.Union([t.String(), t.Null()])),
      subject: happened,
      customer: happened,
      metadata: happened,
      externalId: happened,
      messages: t.Optional(
        t.Object(
          {},
          { description: 'Messages came from another ticket or went to one. Read the ticket again.' },
        ),
      ),
    },
    {
      $id: 'EventChanges',
      description: 'What changed. Empty when it is something that these fields don’t name.',
      examples: [{ status: { from: 'open', to: 'resolved' } }],
    },
  ),
)

const eventType = oneOf(WEBHOOK_EVENTS, 'What happened.', 'EventType')

const ticketOfEvent = t.Object(
  {
    ...listedTicket.properties,
    customer: t.Object({
      ...listedTicket.properties.customer.properties,
      id: t.String({ description: 'Customer id.', examples: ['usr_01jq8z5w8wf6r9f5v0h3q1x2yz'] }),
    }),
  },
  { $id: 'TicketOfEvent', description: 'A ticket as lists have it, with the id of its customer.' },
)

const event = t.Object(
  {
    position: position('Where it is in the log.'),
    event: eventType,
    createdAt: time('When it happened.'),
    ticketId: id('tkt_01jq8z5w8wf6r9f5v0h3q1x2yz', 'The ticket. Absent for events of customers.'),
    messageId: id('msg_01jq8z5w8wf6r9f5v0h3q1x2yz', 'The message, if it is about one.'),
    noteId: id('not_01jq8z5w8wf6r9f5v0h3q1x2yz', 'The note that was added.'),
    suggestionId: id('sug_01jq8z5w8wf6r9f5v0h3q1x2yz', 'The suggestion that was added or closed.'),
    customerId: id(
      'usr_01jq8z5w8wf6r9f5v0h3q1x2yz',
      'The customer, or the one that the ticket has now. Absent for what happened to a deleted ticket before.',
    ),
    into: id('usr_01jq8z5w8wf6r9f5v0h3q1x2zz', 'The customer that this one was merged into.'),
    changes: t.Optional(described(changes, 'Of `ticket.updated`: what changed.')),
    by: described(author, 'Who did it.'),
    body: t.Optional(
      t.String({
        description:
          'With `include=body`: the exact body of its webhook, as text. Absent when what it is about is deleted.',
      }),
    ),
  },
  {
    $id: 'Event',
    examples: [
      {
        position: POSITION,
        event: 'ticket.updated',
        createdAt: '2026-03-01T09:31:00.000Z',
        ticketId: 'tkt_01jq8z5w8wf6r9f5v0h3q1x2yz',
        customerId: 'usr_01jq8z5w8wf6r9f5v0h3q1x2yz',
        changes: { status: { from: 'open', to: 'resolved' } },
        by: { kind: 'agent', id: 'agt_01jq8z5w8wf6r9f5v0h3q1x2yz', name: 'Ben' },
      },
    ],
  },
)

export const eventList = t.Object(
  {
    data: t.Array(event, { description: 'Oldest first.' }),
    included: t.Optional(
      t.Object(
        {
          tickets: t.Optional(t.Array(ticketOfEvent)),
          messages: t.Optional(t.Array(messageOfTicket)),
          customers: t.Optional(t.Array(customer)),
        },
        { description: 'With `include`: what exists now of what the events are about.' },
      ),
    ),
    meta: t.Object({
      after: position(
        'The position to go on from. It passes over what your filters left out: nothing at or before it appears later.',
      ),
      newest: position('Where the log ended. You have read everything when `after` is the same.'),
    }),
  },
  { $id: 'EventList' },
)

/** Without a name: a client's generator that leaves out what only webhooks use would leave out the bodies it needs. */
const webhook = (event: WebhookEvent, data: Record<string, TSchema>) =>
  t.Object({ event: t.Literal(event), createdAt: time('When it happened.'), data: t.Object(data) })

const by = described(author, 'Who did it.')
const deletedCustomer = t.Object({ id: customer.properties.id })

/** The bodies that `bodies.ts` and the commits of tickets and messages make. */
export const WEBHOOK_BODIES = {
  'ticket.created': webhook('ticket.created', { ticket: eventTicket }),
  'message.sent': webhook('message.sent', { ticket: sentTicket, message: sentMessage }),
  'ticket.updated': webhook('ticket.updated', { ticket: ticketOfEvent, changes, by }),
  'ticket.imported': webhook('ticket.imported', { ticket: ticketOfEvent, by }),
  'ticket.deleted': webhook('ticket.deleted', {
    ticket: t.Object({ id: eventTicket.properties.id, orgId: eventTicket.properties.orgId }),
    by,
  }),
  'message.updated': webhook('message.updated', { ticket: ticketOfEvent, message: outgoingMessage, by }),
  'note.added': webhook('note.added', { ticket: ticketOfEvent, note: v1Note, by }),
  'suggestion.added': webhook('suggestion.added', { ticket: ticketOfEvent, suggestion: v1Suggestion, by }),
  'suggestion.closed': webhook('suggestion.closed', { ticket: ticketOfEvent, suggestion: v1Suggestion, by }),
  'customer.updated': webhook('customer.updated', { customer, by }),
  'customer.deleted': webhook('customer.deleted', { customer: deletedCustomer, by }),
  'customer.merged': webhook('customer.merged', {
    customer: deletedCustomer,
    into: t.String({
      description: 'Id of the customer who has their tickets now.',
      examples: ['usr_01jq8z5w8wf6r9f5v0h3q1x2zz'],
    }),
    by,
  }),
} satisfies Record<WebhookEvent, TSchema>
