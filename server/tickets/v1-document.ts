import { IDEMPOTENCY_KEY_PATTERN, MAX_IDEMPOTENCY_KEY_LENGTH } from '../idempotency/idempotency.ts'

/** What the API description says of each operation beyond its schemas. */

export const problem = (description: string) => ({ description })
export const noTicket = problem('There’s no ticket with this id in your organization.')
const notJson = problem('The body isn’t `application/json`.')
const slowBody = problem('The body didn’t arrive within 30 seconds.')
export const badBody = { 408: slowBody, 413: problem('The body is larger than 256 KiB.'), 415: notJson }
export const badTextBody = { 408: slowBody, 413: problem('The body is larger than 1 MiB.'), 415: notJson }
export const idempotency = {
  409: problem('The first request with this Idempotency-Key is still running.'),
  422: problem('This Idempotency-Key was used for another request.'),
}
const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: false,
  description,
  schema: { type: 'string' as const },
  example,
})
/** Postman and compatible tools replace this example with a new UUID. A fixed key would be refused the second time. */
export const idempotencyKey = {
  ...header(
    'Idempotency-Key',
    'Up to 255 characters of your choice. Within 24 hours, the same request with the same key changes nothing and returns the first response, with `Idempotency-Replayed: true`.',
    '{{$guid}}',
  ),
  schema: {
    type: 'string' as const,
    minLength: 1,
    maxLength: MAX_IDEMPOTENCY_KEY_LENGTH,
    pattern: IDEMPOTENCY_KEY_PATTERN,
  },
}
export const replayed = {
  description: '`true` if this is a repeated response.',
  schema: { type: 'string' as const, enum: ['true'] },
}
const text = (description: string) => ({ description, schema: { type: 'string' as const } })
const etag = text('The version of the ticket, for `If-None-Match` and `If-Match`.')

const links = text('URLs of the next and previous pages, as `rel="next"` and `rel="prev"` (RFC 8288).')
export const nextLink = text('URL of the next page, as `rel="next"` (RFC 8288).')
export const longUrl = problem('The URL is longer than 8,192 characters.')

export const listTickets = {
  operationId: 'listTickets',
  summary: 'List tickets',
  description:
    'Returns a page of tickets. You can combine filters. To read everything, follow `meta.nextCursor`: the last page is as fast as the first.',
  tags: ['Tickets'],
  security: [{ secretKey: ['tickets:read'] }],
  responses: {
    200: {
      description: 'A page of tickets. A page past the end is empty.',
      headers: {
        Link: links,
      },
    },
    414: longUrl,
  },
}

export const readTicket = {
  operationId: 'readTicket',
  summary: 'Get a ticket',
  description: 'Returns a ticket with all of its messages, oldest first.',
  tags: ['Tickets'],
  security: [{ secretKey: ['tickets:read'] }],
  parameters: [
    header(
      'If-None-Match',
      'An ETag. If the ticket hasn’t changed, the response is 304 without a body.',
      '"0.0"',
    ),
  ],
  responses: {
    200: { description: 'The ticket.', headers: { ETag: etag } },
    304: { description: 'The ticket hasn’t changed.' },
    404: noTicket,
  },
}

export const createTicket = {
  operationId: 'createTicket',
  summary: 'Create a ticket',
  description:
    'Creates a ticket for a customer. Sends `ticket.created`, then `message.sent` for the first message. The ticket is on disk by the time you get the response.',
  tags: ['Tickets'],
  security: [{ secretKey: ['tickets:write'] }],
  parameters: [idempotencyKey],
  responses: {
    201: {
      description: 'The ticket was created.',
      headers: {
        Location: text('The path of the new ticket.'),
        ETag: etag,
        'Idempotency-Replayed': replayed,
      },
    },
    ...idempotency,
    409: problem(
      'Another ticket has the external id (`external_id_taken`), or the first request with this Idempotency-Key is still running.',
    ),
    ...badTextBody,
  },
}

export const updateTicket = {
  operationId: 'updateTicket',
  summary: 'Update a ticket',
  description:
    'Updates a ticket. Fields you leave out don’t change. You can set any status from any other. `updatedAt` changes only if something else does.',
  tags: ['Tickets'],
  security: [{ secretKey: ['tickets:write'] }],
  parameters: [
    header(
      'If-Match',
      'An ETag. If the ticket has changed since, the response is 412 and nothing changes.',
      '*',
    ),
  ],
  responses: {
    200: { description: 'The updated ticket.', headers: { ETag: etag } },
    404: noTicket,
    409: problem(
      'Another ticket has the external id (`external_id_taken`), or this one was merged into another ticket (`ticket_merged`).',
    ),
    412: problem('The ticket changed since you read it.'),
    ...badBody,
  },
}

export const listMessages = {
  operationId: 'listMessages',
  summary: 'List messages',
  description:
    'Returns a page of the messages of a ticket. To read a ticket with all of its messages at once, get the ticket.',
  tags: ['Messages'],
  security: [{ secretKey: ['tickets:read'] }],
  responses: {
    200: { description: 'A page of messages. A page past the end is empty.', headers: { Link: links } },
    404: noTicket,
    414: longUrl,
  },
}

export const postMessage = {
  operationId: 'postMessage',
  summary: 'Send a message',
  description:
    'Adds a message from an agent, with the name of the key as the sender. The customer gets it through the ticket’s channel. With the role `customer` it is the customer’s next message, which your own channel received: it opens a pending or resolved ticket, as on other channels. Sends `message.sent`.',
  tags: ['Messages'],
  security: [{ secretKey: ['messages:write'] }],
  parameters: [idempotencyKey],
  responses: {
    201: {
      description: 'The message was saved and will be sent.',
      headers: { 'Idempotency-Replayed': replayed },
    },
    400: problem(
      'The request is invalid, and `errors` lists every problem; or it is a customer’s message, and the ticket isn’t one of the API channel (`not_on_this_channel`).',
    ),
    404: noTicket,
    ...idempotency,
    409: problem(
      'The ticket was merged into another one (`ticket_merged`), or the first request with this Idempotency-Key is still running.',
    ),
    ...badTextBody,
  },
}
