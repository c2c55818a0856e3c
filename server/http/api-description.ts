import type { TSchema } from '@sinclair/typebox'
import { t } from 'elysia'
import type { WebhookEvent } from '../database/tables/events.ts'
import { WEBHOOK_BODIES } from '../events/api/schemas.ts'
import { problem } from '../responses/schemas.ts'
import { VERSION } from '../version.ts'

const text = (description: string) => t.String({ description })
const count = (description: string, minimum = 0) => t.Integer({ description, minimum })

const webhookHeaders = (event: string) => ({
  'X-Service-Signature': text(
    '`sha256=` and the lowercase hex HMAC-SHA256 of the raw body, keyed with the signing secret exactly as shown.',
  ),
  'X-Service-Event': t.Literal(event, { description: 'Event type.' }),
  'X-Service-Event-Position': t.Optional(
    text('Where the event is in the log of `/v1/events`. Absent on a test.'),
  ),
  'X-Service-Test': t.Optional(t.Literal('true', { description: 'Only on a test.' })),
  'X-Service-Delivery': text('Delivery id. The same on every retry: use it to deduplicate.'),
  'X-Service-Attempt': count('Number of this attempt, starting at 1.', 1),
  'webhook-id': text('Standard Webhooks: the delivery id.'),
  'webhook-timestamp': count('Standard Webhooks: seconds since 1970.'),
  'webhook-signature': text(
    'Standard Webhooks: `v1,` and a base64 HMAC-SHA256. Two signatures while a secret is rotated.',
  ),
})

const described = (event: WebhookEvent, summary: string, description: string) => ({
  summary,
  description,
  schema: WEBHOOK_BODIES[event],
  headers: webhookHeaders(event),
})

const webhooks = {
  'ticket.created': described(
    'ticket.created',
    'Ticket created',
    'Sent for every new ticket on any channel. Its first message follows as `message.sent`.',
  ),
  'message.sent': described(
    'message.sent',
    'Message sent',
    'Sent for every message from a customer or an agent. Includes the ticket as it is after the message.',
  ),
  'ticket.updated': described(
    'ticket.updated',
    'Ticket updated',
    'Sent when fields of a ticket change, once for all that change together. `changes` has their values before and after, or `{}` for texts.',
  ),
  'ticket.imported': described(
    'ticket.imported',
    'Ticket imported',
    'Sent for every ticket that comes from another system. Nothing is sent for its messages.',
  ),
  'ticket.deleted': described(
    'ticket.deleted',
    'Ticket deleted',
    'Sent when a ticket is deleted permanently.',
  ),
  'message.updated': described(
    'message.updated',
    'Message updated',
    'Sent when a message is sent, fails, bounces or is held, and when its files arrive late.',
  ),
  'note.added': described('note.added', 'Note added', 'Sent for every internal note.'),
  'suggestion.added': described(
    'suggestion.added',
    'Suggestion added',
    'Sent when a program suggests an answer to agents.',
  ),
  'suggestion.closed': described(
    'suggestion.closed',
    'Suggestion closed',
    'Sent when a suggestion is no longer open. Its `state` says what became of it.',
  ),
  'customer.updated': described(
    'customer.updated',
    'Customer updated',
    'Sent when a customer is added over the API or changes.',
  ),
  'customer.deleted': described(
    'customer.deleted',
    'Customer deleted',
    'Sent when a customer is deleted permanently.',
  ),
  'customer.merged': described(
    'customer.merged',
    'Customer merged',
    'Sent when a customer is merged into another one. Each of their tickets gets a `ticket.updated`.',
  ),
} satisfies Record<WebhookEvent, object>

/** Problems that any request can get, by status. */
const problems: Record<string, { description: string; headers?: Record<string, TSchema> }> = {
  400: { description: 'The request is invalid. `errors` lists every problem.' },
  401: { description: 'The key is missing, wrong, expired or revoked.' },
  403: { description: 'The key doesn’t have permission. `detail` names the scope it needs.' },
  421: { description: 'The request is for a host name that isn’t this server’s.' },
  429: {
    description: 'Too many requests in the last 60 seconds.',
    headers: { 'Retry-After': count('Seconds to wait.', 1) },
  },
  500: { description: 'Something failed on the server. Retry with increasing delays.' },
  503: { description: 'The data can’t be read or written right now. Retry.' },
}

/** The parts of the API description that routes don't declare. Descriptions are CommonMark. */
export const API = {
  title: 'Bellhop',
  version: VERSION,
  license: 'MIT',
  description:
    'Create, read, and answer support tickets, and receive signed webhooks. For a tour with examples, see [Use the API](/docs/api) and [Webhooks](/docs/webhooks).',
  prefix: '/v1',
  tags: [
    { name: 'Tickets', description: 'Create, list, read and update tickets.' },
    { name: 'Messages', description: 'Reply to customers.' },
    { name: 'Customers', description: 'Read, change, merge and delete those who write to you.' },
    { name: 'Events', description: 'Follow everything that happens.' },
    { name: 'Notes', description: 'What your team writes to each other on a ticket.' },
    { name: 'Suggestions', description: 'Suggest answers that agents decide about.' },
    { name: 'Attachments', description: 'Send and read files.' },
    { name: 'Agents', description: 'Who works on tickets.' },
    { name: 'Webhooks', description: 'What Bellhop sends to your endpoints.' },
  ],
  securitySchemes: {
    secretKey: {
      type: 'http',
      scheme: 'bearer',
      description:
        'Send a secret key with every request: `Authorization: Bearer bellhop_sk_…`. A key sees its own organization only. Store it like a password; never put it in a web page.',
    },
  },
  responseHeaders: {
    'X-Request-Id': text('Identifies the request in the server’s log. Send your own and it’s kept.'),
    'X-RateLimit-Limit': count('Requests allowed in any 60 seconds. Rate limit headers need a valid key.'),
    'X-RateLimit-Remaining': count('Requests left right now.'),
    'X-RateLimit-Reset': count('When you get the next request back, in seconds since 1970.'),
    RateLimit: text('The same, as the IETF draft writes it.'),
    'RateLimit-Policy': text('The limit and its window, as the IETF draft writes it.'),
  },
  problem,
  problems,
  webhooks,
  webhookResponses: {
    '2XX': 'Received, if you respond within 10 seconds.',
    default: 'Not received. Bellhop retries after 30 seconds, 5 minutes, and 30 minutes.',
  },
}
