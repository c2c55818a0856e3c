import { t } from 'elysia'
import { webhookBodies } from '../tickets/schemas.ts'
import type { ApiDescription } from './openapi/document.ts'

const text = (description: string) => t.String({ description })

const problem = t.Object(
  {
    type: t.String({ examples: ['about:blank'] }),
    title: t.String({ description: 'The status in words.', examples: ['Bad Request'] }),
    status: t.Integer({ examples: [400] }),
    detail: t.String({
      description: 'What happened and what to do.',
      examples: ['/subject: This field is required.'],
    }),
    code: t.String({ description: 'For programs. Codes don’t change.', examples: ['invalid_request'] }),
    requestId: t.String({ examples: ['req_01jq8z5w8wf6r9f5v0h3q1x2yz'] }),
    errors: t.Optional(
      t.Array(
        t.Object({
          pointer: t.Optional(
            t.String({ description: 'JSON pointer into the body.', examples: ['/subject'] }),
          ),
          parameter: t.Optional(t.String({ description: 'Query parameter or header.' })),
          code: t.String({ examples: ['required'] }),
          detail: t.String({ examples: ['This field is required.'] }),
        }),
        { description: 'Every problem with the request.' },
      ),
    ),
  },
  {
    $id: 'Problem',
    description: 'RFC 9457.',
    examples: [
      {
        type: 'about:blank',
        title: 'Bad Request',
        status: 400,
        detail: '/subject: This field is required.',
        code: 'invalid_request',
        requestId: 'req_01jq8z5w8wf6r9f5v0h3q1x2yz',
        errors: [{ pointer: '/subject', code: 'required', detail: 'This field is required.' }],
      },
    ],
  },
)

const webhookHeaders = {
  'X-Service-Signature': text(
    '`sha256=` and the lowercase hex HMAC-SHA256 of the raw body, keyed with the signing secret exactly as shown.',
  ),
  'X-Service-Event': text('Event type.'),
  'X-Service-Delivery': text('Delivery id. The same on every retry: use it to deduplicate.'),
  'X-Service-Attempt': text('Number of this attempt, starting at 1.'),
  'webhook-id': text('Standard Webhooks: the delivery id.'),
  'webhook-timestamp': text('Standard Webhooks: seconds since 1970.'),
  'webhook-signature': text(
    'Standard Webhooks: `v1,` and a base64 HMAC-SHA256. Two signatures while a secret is rotated.',
  ),
}

/** The parts of the API description that routes don't declare. */
export function apiDescription(version: string, origin: string | undefined): ApiDescription {
  return {
    title: 'Bellhop',
    version,
    description:
      'Create, read, and answer support tickets, and receive signed webhooks. For a tour with examples, see [Use the API](/docs/api) and [Webhooks](/docs/webhooks).',
    prefix: '/v1',
    origin,
    tags: [
      { name: 'Tickets', description: 'Create, list, read and update tickets.' },
      { name: 'Messages', description: 'Reply to customers.' },
      { name: 'Attachments', description: 'Send and read files.' },
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
      'X-RateLimit-Limit': text('Requests allowed in any 60 seconds. Rate limit headers need a valid key.'),
      'X-RateLimit-Remaining': text('Requests left right now.'),
      'X-RateLimit-Reset': text('When you get the next request back, in seconds since 1970.'),
      RateLimit: text('The same, as the IETF draft writes it.'),
      'RateLimit-Policy': text('The limit and its window, as the IETF draft writes it.'),
    },
    problem,
    problems: {
      400: { description: 'The request is invalid. `errors` lists every problem.' },
      401: { description: 'The key is missing, wrong, expired or revoked.' },
      403: { description: 'The key doesn’t have permission. `detail` names the scope it needs.' },
      429: {
        description: 'Too many requests in the last 60 seconds.',
        headers: { 'Retry-After': text('Seconds to wait.') },
      },
      500: { description: 'Something failed on the server. Retry with growing pauses.' },
      503: { description: 'The data can’t be read or written right now. Retry.' },
    },
    webhooks: {
      'ticket.created': {
        summary: 'Ticket created',
        description: 'Sent for every new ticket on any channel. Its first message follows as `message.sent`.',
        schema: webhookBodies['ticket.created'],
        headers: webhookHeaders,
      },
      'message.sent': {
        summary: 'Message sent',
        description:
          'Sent for every message from a customer or an agent. Includes the ticket as it is after the message.',
        schema: webhookBodies['message.sent'],
        headers: webhookHeaders,
      },
    },
    webhookResponses: {
      '2XX': 'Received, if you respond within 10 seconds.',
      default: 'Not received. Bellhop retries after 30 seconds, 5 minutes, and 30 minutes.',
    },
  }
}
