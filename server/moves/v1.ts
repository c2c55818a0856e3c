import { Elysia } from 'elysia'
import type { KeyGuard } from '../api-keys/require-api-key.ts'
import type { AlsoSave } from '../database/database.ts'
import { actingAs, type Deps } from '../deps.ts'
import { type Answer, createIdempotency, type IdempotentRequest } from '../idempotency/idempotency.ts'
import { arrive, arriveWithText, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { ticketId } from '../tickets/schemas.ts'
import { actorOf, answerHeaders, idempotent } from '../tickets/v1.ts'
import { badBody, idempotency, idempotencyKey, noTicket, problem, replayed } from '../tickets/v1-document.ts'
import { mergeCustomers } from './merge-customers.ts'
import { mergeTickets } from './merge-tickets.ts'
import type { Move } from './moved-rows.ts'
import { customerId, merge, mergeCustomer, move, moveId, split } from './schemas.ts'
import { splitTicket } from './split-ticket.ts'
import { undoMove } from './undo-move.ts'
import { viewMove } from './views.ts'

/** Merges and splits tickets, merges customers, and undoes all of them. */
export function moveRoutes(deps: Deps, guard: KeyGuard) {
  const once = createIdempotency(deps)
  const moveOnce = (
    request: IdempotentRequest,
    change: (alsoSave: AlsoSave<Move>) => Promise<Move>,
    asAnswer: typeof answerOf = answerOf,
  ) => once(request, { change, asAnswer, shows: ({ intoId }) => intoId })
  const noQuery = strictQuery()
  const withBody = {
    parse: arrive,
    transform: [guard.allow('tickets:write'), noQuery, jsonBody],
    params: ticketId,
  }
  return new Elysia({ name: 'moves/v1', prefix: '/v1' })
    .use(guard.requireApiKey)
    .post(
      '/tickets/:id/merge',
      async ({ caller, params: { id }, body, request, set }) => {
        const as = actingAs(deps, actorOf(caller))
        const path = `/v1/tickets/${id}/merge`
        const answer = await moveOnce(idempotent(caller, request, { path, body }), (alsoSave) =>
          mergeTickets(as, caller.orgId, { ...body, into: id }, alsoSave),
        )
        Object.assign(set.headers, answerHeaders(answer))
        return answer.body
      },
      { ...withBody, body: merge, response: { 200: move }, detail: mergeDetail },
    )
    .post(
      '/tickets/:id/split',
      async ({ caller, params: { id }, body, request, set, status }) => {
        const as = actingAs(deps, actorOf(caller))
        const path = `/v1/tickets/${id}/split`
        const answer = await moveOnce(
          idempotent(caller, request, { path, body }),
          (alsoSave) => splitTicket(as, caller.orgId, { ...body, ticketId: id }, alsoSave),
          (made) => ({ ...answerOf(made), status: 201, location: `/v1/tickets/${made.intoId}` }),
        )
        Object.assign(set.headers, answerHeaders(answer))
        return status(201, answer.body)
      },
      { ...withBody, parse: arriveWithText, body: split, response: { 201: move }, detail: splitDetail },
    )
    .post(
      '/customers/:id/merge',
      async ({ caller, params: { id }, body, request, set }) => {
        const as = actingAs(deps, actorOf(caller))
        const path = `/v1/customers/${id}/merge`
        const answer = await moveOnce(idempotent(caller, request, { path, body }), (alsoSave) =>
          mergeCustomers(as, caller.orgId, { ...body, into: id }, alsoSave),
        )
        Object.assign(set.headers, answerHeaders(answer))
        return answer.body
      },
      {
        ...withBody,
        transform: [guard.allow('tickets:write', 'customers:write'), noQuery, jsonBody],
        params: customerId,
        body: mergeCustomer,
        response: { 200: move },
        detail: mergeCustomerDetail,
      },
    )
    .post(
      '/moves/:id/undo',
      async ({ caller, params: { id }, request, set }) => {
        const as = actingAs(deps, actorOf(caller))
        const path = `/v1/moves/${id}/undo`
        const answer = await moveOnce(idempotent(caller, request, { path, body: {} }), (alsoSave) =>
          undoMove(as, caller.orgId, id, alsoSave),
        )
        Object.assign(set.headers, answerHeaders(answer))
        return answer.body
      },
      {
        transform: [guard.allow('tickets:write'), noQuery],
        params: moveId,
        response: { 200: move },
        detail: undoDetail,
      },
    )
}

function answerOf(made: Move): Answer<ReturnType<typeof viewMove>> {
  return { status: 200, body: viewMove(made) }
}

// What the API description says of each operation beyond its schemas.

const shared = {
  tags: ['Tickets'],
  security: [{ secretKey: ['tickets:write'] }],
  parameters: [idempotencyKey],
}
const tooMany = problem('Your organization has made 60 merges and splits in the last minute.')

const mergeDetail = {
  ...shared,
  operationId: 'mergeTicket',
  summary: 'Merge another ticket into a ticket',
  description:
    'Moves all messages, notes, files, tags and waiting replies of the ticket `from` into this one. Ids and times stay. The ticket `from` is resolved and gets `mergedInto`; emails and messages to it arrive here from then on. Tickets of email and the API can be merged with each other; a chat only with a chat of the same customer on the same channel, or into an email ticket of the same customer. If this ticket is snoozed and the ticket `from` is neither resolved, snoozed nor spam, the snooze ends. Sends no `message.sent`. It can be undone for 30 days.',
  responses: {
    200: { description: 'The merge.', headers: { 'Idempotency-Replayed': replayed } },
    404: noTicket,
    409: problem(
      'The tickets can’t be merged, and `detail` says why; or one was merged before (`ticket_merged`); or the first request with this Idempotency-Key is still running.',
    ),
    422: idempotency[422],
    429: tooMany,
    ...badBody,
  },
}

const mergeCustomerDetail = {
  ...shared,
  security: [{ secretKey: ['tickets:write'] }, { secretKey: ['customers:write'] }],
  operationId: 'mergeCustomer',
  summary: 'Merge another customer into a customer',
  description:
    'Moves all tickets, addresses, identities and visitors of the customer `from` to this one, who keeps the name. Each of the tickets changes its customer. It can be undone for 30 days. A key needs `tickets:write` or `customers:write`.',
  responses: {
    200: { description: 'The merge.', headers: { 'Idempotency-Replayed': replayed } },
    404: problem('There’s no customer with this id in your organization.'),
    409: problem(
      'The customer has more than 10,000 tickets (`too_many_tickets`); or the first request with this Idempotency-Key is still running.',
    ),
    422: idempotency[422],
    429: tooMany,
    ...badBody,
  },
}

const splitDetail = {
  ...shared,
  operationId: 'splitTicket',
  summary: 'Move messages into a new ticket',
  description:
    'Opens a ticket for the same customer with these messages of this one. Ids and times stay. Sends `ticket.created`, and no `message.sent`. Not possible in chats. It can be undone for 30 days.',
  responses: {
    201: {
      description: 'The split. `into` is the new ticket.',
      headers: {
        Location: { description: 'The path of the new ticket.', schema: { type: 'string' as const } },
        'Idempotency-Replayed': replayed,
      },
    },
    404: noTicket,
    409: problem(
      'It is a chat, or was merged into another ticket; or the first request with this Idempotency-Key is still running.',
    ),
    422: idempotency[422],
    429: tooMany,
    ...badBody,
  },
}

const undoDetail = {
  ...shared,
  operationId: 'undoMove',
  summary: 'Undo a merge or split',
  description:
    'Moves back what the merge or split moved. Messages that arrived since stay where they are. Possible for 30 days.',
  responses: {
    200: { description: 'The merge or split, undone.', headers: { 'Idempotency-Replayed': replayed } },
    404: problem('There’s no merge or split with this id in your organization.'),
    409: problem(
      'It was undone before, or is older than 30 days; or the first request with this Idempotency-Key is still running.',
    ),
    422: idempotency[422],
  },
}
