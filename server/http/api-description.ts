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
    code: t.String({ description: 'Stable; for programs.', examples: ['invalid_request'] }),
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
        { description: 'Every fault of the request at once.' },
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
    '`sha256=` and the lower-case hex HMAC-SHA256 of the raw body, keyed with the signing secret exactly as displayed.',
  ),
  'X-Service-Event': text('Event type.'),
  'X-Service-Delivery': text('Delivery id: the same on every retry. Deduplicate by it.'),
  'X-Service-Attempt': text('Number of this attempt, from 1.'),
  'webhook-id': text('Standard Webhooks: the delivery id.'),
  'webhook-timestamp': text('Standard Webhooks: seconds since 1970.'),
  'webhook-signature': text(
    'Standard Webhooks: `v1,` and a base64 HMAC-SHA256; two while a secret is rotated.',
  ),
}

/** What the API description says beside what the routes declare. */
export function apiDescription(version: string, origin: string | undefined): ApiDescription {
  return {
    title: 'Bellhop',
    version,
    description:
      'Support tickets, their messages, and signed webhooks. Every call needs an organization’s secret key; it sees that organization’s data only. Inside `/v1` things are only added: ignore fields you do not know.',
    prefix: '/v1',
    origin,
    tags: [
      { name: 'Tickets', description: 'Create, list, read and update tickets.' },
      { name: 'Messages', description: 'Answer customers.' },
      { name: 'Webhooks', description: 'What Bellhop sends to your endpoints.' },
    ],
    securitySchemes: {
      secretKey: {
        type: 'http',
        scheme: 'bearer',
        description:
          'A secret key of the organization: `Authorization: Bearer bellhop_sk_…`. Keep it off web pages.',
      },
    },
    answerHeaders: {
      'X-Request-Id': text('Names this request in the logs; your own id is kept when you send one.'),
      'X-RateLimit-Limit': text(
        'Requests allowed in any 60 seconds. Without a valid key there are no rate headers.',
      ),
      'X-RateLimit-Remaining': text('Requests left now.'),
      'X-RateLimit-Reset': text('Seconds since 1970 when the oldest counted request leaves the window.'),
      RateLimit: text('The same as the IETF draft has it.'),
      'RateLimit-Policy': text('The policy behind it.'),
    },
    problem,
    problems: {
      400: { description: 'The request is wrong; `errors` names every fault.' },
      401: { description: 'The key is missing, wrong, expired or revoked.' },
      403: { description: 'The key lacks the permission; `detail` names it.' },
      429: {
        description: 'Too many requests in the last 60 seconds.',
        headers: { 'Retry-After': text('Whole seconds to wait, never too few.') },
      },
      500: { description: 'Our fault. Repeat with growing pauses.' },
      503: { description: 'The change could not be stored and was not made. Try again.' },
    },
    webhooks: {
      'ticket.created': {
        summary: 'A ticket was created',
        description: 'Sent for a new ticket on any channel. Its first message follows as `message.sent`.',
        schema: webhookBodies['ticket.created'],
        headers: webhookHeaders,
      },
      'message.sent': {
        summary: 'A message was sent',
        description: 'Sent for every message of a customer or an agent, with the ticket as it is after it.',
        schema: webhookBodies['message.sent'],
        headers: webhookHeaders,
      },
    },
    webhookAnswers: {
      '2XX': 'Received: within 10 seconds.',
      default: 'Not received. Three retries follow: after 30 seconds, 5 minutes and 30 minutes.',
    },
  }
}
