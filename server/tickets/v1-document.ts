/** What the API description says of each operation beyond its schemas. */

const problem = (description: string) => ({ description })
const noTicket = problem('There is no such ticket, or it belongs to another organization.')
const badBody = {
  413: problem('The body has more than 256 KiB.'),
  415: problem('The body is not sent as application/json.'),
}
const idempotency = {
  409: problem('The first request with this Idempotency-Key is still running.'),
  422: problem('This Idempotency-Key was used with another request.'),
}
const header = (name: string, description: string) => ({
  name,
  in: 'header' as const,
  required: false,
  description,
  schema: { type: 'string' as const },
})
const idempotencyKey = header(
  'Idempotency-Key',
  'Up to 255 characters of your choice. Repeating a request with the same key within 24 hours gives the stored answer with `Idempotency-Replayed: true` and changes nothing.',
)
const text = (description: string) => ({ description, schema: { type: 'string' as const } })
const etag = text('Version of the ticket, for `If-None-Match` and `If-Match`.')

export const listTickets = {
  operationId: 'listTickets',
  summary: 'List tickets',
  description:
    'The organization’s tickets, one page at a time. Filters can be combined. Read many pages by `meta.nextCursor`: page 4,000 then costs as much as page 1.',
  tags: ['Tickets'],
  security: [{ secretKey: ['tickets:read'] }],
  responses: {
    200: {
      description: 'One page of tickets. A page past the end is empty.',
      headers: { Link: text('RFC 8288: `rel="next"` and `rel="prev"`.') },
    },
    414: problem('The address has more than 8,192 characters.'),
  },
}

export const readTicket = {
  operationId: 'readTicket',
  summary: 'Read a ticket',
  description: 'One ticket with all of its messages, oldest first.',
  tags: ['Tickets'],
  security: [{ secretKey: ['tickets:read'] }],
  parameters: [
    header('If-None-Match', 'An ETag: the answer is 304 without a body when the ticket is unchanged.'),
  ],
  responses: {
    200: { description: 'The ticket.', headers: { ETag: etag } },
    304: { description: 'The ticket is as you know it.' },
    404: noTicket,
  },
}

export const createTicket = {
  operationId: 'createTicket',
  summary: 'Create a ticket',
  description:
    'Opens a ticket for a customer through the API channel. Emits `ticket.created`, then `message.sent` for the first message. When the answer is here, the ticket is on disk.',
  tags: ['Tickets'],
  security: [{ secretKey: ['tickets:write'] }],
  parameters: [idempotencyKey],
  responses: {
    201: {
      description: 'The ticket was created.',
      headers: {
        Location: text('Where the ticket is read.'),
        ETag: etag,
        'Idempotency-Replayed': text('`true` when this answer was stored earlier.'),
      },
    },
    ...idempotency,
    ...badBody,
  },
}

export const updateTicket = {
  operationId: 'updateTicket',
  summary: 'Update a ticket',
  description:
    'Changes status, assignment or tags. What is omitted stays; every move between statuses is allowed. A change that changes nothing leaves `updatedAt` alone.',
  tags: ['Tickets'],
  security: [{ secretKey: ['tickets:write'] }],
  parameters: [
    header('If-Match', 'An ETag: the change is refused with 412 when the ticket has changed since.'),
  ],
  responses: {
    200: { description: 'The ticket as it is now.', headers: { ETag: etag } },
    404: noTicket,
    412: problem('The ticket has changed since you read it.'),
    ...badBody,
  },
}

export const postMessage = {
  operationId: 'postMessage',
  summary: 'Post an agent message',
  description:
    'Appends a message of an agent, under the name of the key. It reaches the customer through the ticket’s own channel. Emits `message.sent`.',
  tags: ['Messages'],
  security: [{ secretKey: ['messages:write'] }],
  parameters: [idempotencyKey],
  responses: {
    201: {
      description: 'The message was stored and will be sent.',
      headers: { 'Idempotency-Replayed': text('`true` when this answer was stored earlier.') },
    },
    404: noTicket,
    ...idempotency,
    ...badBody,
  },
}
