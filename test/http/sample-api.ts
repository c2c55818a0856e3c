import { Elysia, t } from 'elysia'
import type { ApiDescription } from '../../server/http/openapi/document.ts'
import { openapi } from '../../server/http/openapi.ts'

const time = (description: string) => t.String({ format: 'date-time', description })
const status = t.Union([t.Literal('open'), t.Literal('pending'), t.Literal('resolved')], {
  description: 'The state of the ticket.',
})
const customer = t.Object(
  {
    name: t.String({ maxLength: 255, examples: ['Ada Lovelace'] }),
    email: t.String({ format: 'email', maxLength: 254, description: 'Matched without regard to case.' }),
  },
  { $id: 'Customer', description: 'Who wrote in.' },
)
const message = t.Object(
  {
    id: t.String({ examples: ['msg_01k2v8m3'] }),
    role: t.Union([t.Literal('customer'), t.Literal('agent')]),
    text: t.String({ examples: ["It hasn't arrived yet."] }),
    agentName: t.Optional(t.String({ description: 'Present on messages of agents.' })),
    createdAt: time('When it was sent.'),
  },
  { $id: 'Message' },
)
const ticket = t.Object(
  {
    id: t.String({ examples: ['tkt_01k2v8m3'] }),
    status,
    subject: t.String({ minLength: 1, maxLength: 255, examples: ['Where is my parcel?'] }),
    customer,
    assignedTo: t.Union([t.String(), t.Null()], {
      description: 'An agent, or null.',
      examples: ['agt_01k2'],
    }),
    tags: t.Array(t.String(), { maxItems: 50, uniqueItems: true, examples: [['parcel']] }),
    messages: t.Optional(t.Array(message)),
    createdAt: time('When it was created.'),
  },
  { $id: 'Ticket', description: 'A conversation with one customer.' },
)
export const problem = t.Object(
  {
    type: t.String({ examples: ['about:blank'] }),
    title: t.String({ examples: ['Bad Request'] }),
    status: t.Integer({ examples: [400] }),
    detail: t.String({ description: 'What to do about it.', examples: ['subject is required.'] }),
    code: t.String({ description: 'Stable, for programs.', examples: ['invalid_request'] }),
    errors: t.Optional(
      t.Array(
        t.Object({
          pointer: t.String({ examples: ['/subject'] }),
          code: t.String({ examples: ['required'] }),
        }),
      ),
    ),
  },
  { $id: 'Problem' },
)
const params = t.Object({ id: t.String({ description: 'The ticket.', examples: ['tkt_01k2v8m3'] }) })

const stored = {
  id: 'tkt_1',
  status: 'open' as const,
  subject: 'Hello',
  customer: { name: 'Ada', email: 'ada@example.com' },
  assignedTo: null,
  tags: [],
  createdAt: '2026-01-15T09:30:00.000Z',
}

function sampleRoutes() {
  return new Elysia({ name: 'sample', prefix: '/v1' })
    .model({ NotFound: problem })
    .get('/tickets', () => ({ data: [stored], meta: { total: 1, page: 1, perPage: 25 } }), {
      query: t.Object({
        status: t.Optional(status),
        page: t.Optional(t.Integer({ minimum: 1, default: 1, description: 'Page number.' })),
        per_page: t.Optional(t.Integer({ minimum: 1, default: 25, description: 'At most 100 are given.' })),
      }),
      response: {
        200: t.Object({
          data: t.Array(ticket),
          meta: t.Object({ total: t.Integer(), page: t.Integer(), perPage: t.Integer() }),
        }),
      },
      detail: {
        operationId: 'listTickets',
        tags: ['Tickets'],
        summary: 'List tickets',
        description: 'One page of tickets, newest first. Filters can be **combined**.',
        security: [{ secretKey: ['tickets:read'] }],
        responses: {
          200: {
            description: 'A page of tickets.',
            headers: {
              Link: { description: 'Addresses of the next and previous page.', schema: { type: 'string' } },
            },
          },
        },
      },
    })
    .post(
      '/tickets',
      ({ set }) => {
        set.status = 201
        return stored
      },
      {
        headers: t.Object({
          'Idempotency-Key': t.Optional(t.String({ minLength: 1, maxLength: 255 })),
          authorization: t.Optional(t.String()),
        }),
        body: t.Object(
          {
            subject: t.String({ minLength: 1, maxLength: 255, examples: ['Where is my parcel?'] }),
            customer: t.Object(
              { email: t.String({ format: 'email' }), name: t.Optional(t.String({ examples: ['Ada'] })) },
              { additionalProperties: false },
            ),
            message: t.String({ minLength: 1, maxLength: 65_536, examples: ["It hasn't arrived yet."] }),
            tags: t.Optional(
              t.Array(t.String({ minLength: 1, maxLength: 64 }), { maxItems: 50, examples: [['parcel']] }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 201: ticket },
        detail: {
          operationId: 'createTicket',
          tags: ['Tickets'],
          summary: 'Create a ticket',
          description: 'Opens a ticket with its first message.',
          security: [{ secretKey: ['tickets:write'] }],
          responses: { 413: { description: 'The body is larger than 256 KiB.' } },
        },
      },
    )
    .get('/tickets/:id', () => stored, {
      params,
      response: { 200: ticket, 404: 'NotFound' },
      detail: {
        operationId: 'readTicket',
        tags: ['Tickets'],
        summary: 'Read a ticket',
        responses: {
          304: { description: 'You have this version already.' },
          404: { description: 'No such ticket in your organization.' },
        },
      },
    })
    .patch('/tickets/:id', () => stored, {
      params,
      body: t.Object(
        { status: t.Optional(status), assignedTo: t.Optional(t.Union([t.String(), t.Null()])) },
        { additionalProperties: false },
      ),
      response: ticket,
      detail: { operationId: 'updateTicket', tags: ['Tickets'], summary: 'Change a ticket' },
    })
    .post(
      '/tickets/:id/messages',
      () => ({ id: 'msg_1', role: 'agent' as const, text: 'Hi', createdAt: stored.createdAt }),
      {
        body: t.Object(
          { text: t.String({ minLength: 1, examples: ['On its way.'] }) },
          { additionalProperties: false },
        ),
        response: { 201: message },
        detail: { operationId: 'postMessage', tags: ['Messages'], summary: 'Answer a customer' },
      },
    )
    .get('/unlisted', () => 'hidden', { detail: { hide: true } })
}

export const sampleApi: ApiDescription = {
  title: 'Bellhop',
  version: '0.1.0',
  license: 'MIT',
  description:
    'Customer-support tickets: create, read, change and answer them, and get events when something happens.',
  prefix: '/v1',
  tags: [
    { name: 'Tickets', description: 'A ticket is a conversation with one customer.' },
    { name: 'Messages', description: 'What customers and agents write.' },
    {
      name: 'Webhooks',
      description: 'Requests that Bellhop sends to your endpoint. A failed one is tried three more times.',
    },
  ],
  securitySchemes: {
    secretKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'Send your secret key as `Authorization: Bearer <key>`.',
    },
  },
  responseHeaders: { 'X-Request-Id': t.String({ description: 'Name it when you ask for help.' }) },
  problem,
  problems: {
    400: { description: 'The request is not valid; `errors` names every fault.' },
    401: { description: 'The key is missing or invalid.' },
    429: {
      description: 'Too many requests.',
      headers: { 'Retry-After': t.Integer({ description: 'Whole seconds to wait.' }) },
    },
    500: { description: 'Our fault; try again later.' },
  },
  webhooks: {
    'ticket.created': {
      summary: 'A ticket was created',
      description: 'Sent for a new ticket of any channel.',
      schema: t.Object({
        event: t.Literal('ticket.created'),
        createdAt: time('When it happened.'),
        data: t.Object({ ticket }),
      }),
      headers: {
        'X-Service-Signature': t.String({ description: '`sha256=` and the HMAC of the raw body.' }),
      },
    },
    'message.sent': {
      summary: 'A message was sent',
      description: 'Sent for every message of a customer or an agent.',
      schema: t.Object({
        event: t.Literal('message.sent'),
        createdAt: time('When it happened.'),
        data: t.Object({ ticket, message }),
      }),
      headers: {
        'X-Service-Signature': t.String({ description: '`sha256=` and the HMAC of the raw body.' }),
      },
    },
  },
  webhookResponses: {
    '2XX': 'Within 10 seconds: delivered.',
    default: 'Anything else, or none: tried again.',
  },
}

/** An app shaped like the real one, with what must stay out of the document: console, health and hidden routes. */
export function sampleApp(api: ApiDescription = sampleApi, publicUrl?: string) {
  return new Elysia({ normalize: false, aot: true })
    .model({ Console: t.Object({ secret: t.String() }) })
    .use(openapi(api, publicUrl))
    .get('/health', () => 'ok')
    .post('/console/keys', () => ({ secret: 'x' }), { response: 'Console' })
    .use(sampleRoutes())
}
