import { Elysia, type Static, t } from 'elysia'
import { type Caller, idOfCaller, type KeyGuard } from '../api-keys/require-api-key.ts'
import type { NewAttachments } from '../attachments/bindings.ts'
import { type Actor, actingAs, type Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { type Answer, createIdempotency, type IdempotentRequest } from '../idempotency/idempotency.ts'
import { arrive, arriveWithText, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import type { LargeResponses } from '../responses/large-responses.ts'
import { jsonSlices } from '../responses/row-slices.ts'
import { changeOf } from './bulk/requested-change.ts'
import { createListResponse } from './list-response.ts'
import { findMessagePage, readMessagePage } from './message-pages.ts'
import { postAgentMessage } from './messages.ts'
import { listRequest, messageLinks, messagesRequest } from './pagination.ts'
import type { MessageWithFiles, TicketWithCustomer } from './queries.ts'
import { postCustomerMessage } from './receive-message.ts'
import {
  listedTicket,
  messageList,
  messageQuery,
  newMessage,
  newTicket,
  outgoingMessage,
  ticket,
  ticketChange,
  ticketId,
  ticketList,
  ticketQuery,
} from './schemas.ts'
import { createTicketResponse } from './ticket-response.ts'
import { createTicket, readTicketRow } from './tickets.ts'
import { updateTicket } from './update-ticket.ts'
import * as document from './v1-document.ts'
import { ticketEtag, viewListedTicket, viewSentMessage } from './views.ts'

/** The public API: section 4 of the specification. Permissions and rate limits are checked before the input. */
export function ticketRoutes(deps: Deps, guard: KeyGuard, large: LargeResponses) {
  const respondWithList = createListResponse(deps)
  const respondWithTicket = createTicketResponse(deps, large)
  const once = createIdempotency(deps)
  const noQuery = strictQuery()

  return new Elysia({ name: 'tickets/v1', prefix: '/v1' })
    .use(guard.requireApiKey)
    .get(
      '/tickets',
      async ({ caller: { orgId }, query, request, set }) => {
        const wanted = await listRequest(deps.database.read, orgId, query)
        return respondWithList({ orgId, wanted, request, set })
      },
      {
        transform: [guard.allow('tickets:read'), strictQuery(ticketQuery)],
        query: ticketQuery,
        response: { 200: ticketList },
        detail: document.listTickets,
      },
    )
    .get(
      '/tickets/:id',
      async ({ caller: { orgId }, params: { id }, request, set }) =>
        respondWithTicket({ orgId, id, request, set }),
      {
        transform: [guard.allow('tickets:read'), noQuery],
        params: ticketId,
        response: { 200: ticket, 304: t.Undefined() },
        detail: document.readTicket,
      },
    )
    .post(
      '/tickets',
      async ({ caller, body, request, set, status }) => {
        const { orgId } = caller
        const as = actingAs(deps, actorOf(caller))
        const input = { ...body, attachments: uploadsOf(caller, body) }
        const answer = await once(idempotent(caller, request, { path: '/v1/tickets', body }), {
          change: (alsoSave) => createTicket(as, orgId, input, alsoSave),
          asAnswer: (made: TicketWithCustomer) => ({
            status: 201,
            body: viewListedTicket(made),
            location: `/v1/tickets/${made.id}`,
            etag: ticketEtag(made),
          }),
          shows: ({ id }) => id,
        })
        Object.assign(set.headers, answerHeaders(answer))
        return status(201, answer.body)
      },
      {
        parse: arriveWithText,
        transform: [guard.allow('tickets:write'), noQuery, jsonBody],
        body: newTicket,
        response: { 201: listedTicket },
        detail: document.createTicket,
      },
    )
    .patch(
      '/tickets/:id',
      async ({ caller, params: { id }, body, request, set }) => {
        const { orgId } = caller
        const ifMatch = request.headers.get('if-match') ?? undefined
        await updateTicket(actingAs(deps, actorOf(caller)), orgId, { id, change: changeOf(body), ifMatch })
        const changed = await readTicketRow(deps.database.read, orgId, id)
        set.headers.etag = ticketEtag(changed)
        return viewListedTicket(changed)
      },
      {
        parse: arrive,
        transform: [guard.allow('tickets:write'), noQuery, jsonBody],
        params: ticketId,
        body: ticketChange,
        response: { 200: listedTicket },
        detail: document.updateTicket,
      },
    )
    .get(
      '/tickets/:id/messages',
      async ({ caller: { orgId }, params: { id: ticketId }, query, request, set }) => {
        const wanted = messagesRequest(ticketId, query)
        const { read } = deps.database
        await readTicketRow(read, orgId, ticketId)
        const found = await findMessagePage(read, { orgId, ticketId }, wanted)
        const { nextCursor, header } = messageLinks(wanted, found, { ticketId, url: request.url })
        if (header) set.headers.link = header
        const meta = {
          total: found.total,
          page: wanted.cursor?.page ?? wanted.page,
          perPage: wanted.perPage,
          ...(nextCursor === undefined ? {} : { nextCursor }),
        }
        return large.send({ request, orgId, name: request.url, set }, () =>
          jsonSlices({ data: readMessagePage(read, orgId, found.places), meta }),
        )
      },
      {
        transform: [guard.allow('tickets:read'), strictQuery(messageQuery)],
        params: ticketId,
        query: messageQuery,
        response: { 200: messageList },
        detail: document.listMessages,
      },
    )
    .post(
      '/tickets/:id/messages',
      async ({ caller, params, body, request, set, status }) => {
        requireAgentForStatus(body)
        const { orgId, agentId, name: agentName } = caller
        const as = actingAs(deps, actorOf(caller))
        const path = `/v1/tickets/${params.id}/messages`
        const answer = await once(idempotent(caller, request, { path, body }), {
          change(alsoSave) {
            const attachments = uploadsOf(caller, body)
            const { text, format, role, status } = body
            const input = { ticketId: params.id, text, format, attachments }
            return role === 'customer'
              ? postCustomerMessage(deps, orgId, input, alsoSave)
              : postAgentMessage(as, orgId, { ...input, agentName, agentId, status }, alsoSave)
          },
          asAnswer: (posted: MessageWithFiles) => ({ status: 201, body: viewSentMessage(posted) }),
          shows: ({ ticketId }) => ticketId,
        })
        Object.assign(set.headers, answerHeaders(answer))
        return status(201, answer.body)
      },
      {
        parse: arriveWithText,
        transform: [
          guard.allow('messages:write', 'tickets:write'),
          noQuery,
          jsonBody,
          requireScopesOfMessage(guard),
        ],
        params: ticketId,
        body: newMessage,
        response: { 201: outgoingMessage },
        detail: document.postMessage,
      },
    )
}

/** Before the body is validated, like the other permissions. Throws 403. */
function requireScopesOfMessage(guard: KeyGuard) {
  return (
    context: { caller: Caller; set: { headers: Record<string, unknown> } } & { body: unknown },
  ): void => {
    const { role, status }: { role?: unknown; status?: unknown } = Object(context.body)
    if (role !== 'customer') guard.require(context, 'messages:write')
    if (role === 'customer' || status !== undefined) guard.require(context, 'tickets:write')
  }
}

/** What a customer writes opens the ticket, or not, as the organization wants. Throws 400. */
function requireAgentForStatus({ role, status }: Static<typeof newMessage>): void {
  if (role !== 'customer' || status === undefined) return
  throw invalid([{ pointer: '/status', code: 'not_allowed', detail: 'Not with the role `customer`.' }])
}

/** A request that a key with an `Idempotency-Key` makes at most once. */
export function idempotent(
  caller: Caller,
  { headers }: Request,
  { path, body }: { path: string; body: object },
): IdempotentRequest {
  const key = headers.get('idempotency-key')
  return { orgId: caller.orgId, owner: idOfCaller(caller), key, method: 'POST', path, body }
}

/** The files that a request sends: the caller's own uploads. */
function uploadsOf(caller: Caller, { attachments: ids = [] }: { attachments?: string[] }): NewAttachments {
  return { uploads: { ids, uploader: idOfCaller(caller) } }
}

export function actorOf({ kind, agentId, keyId, name, via }: Caller): Actor {
  return { kind, id: agentId ?? keyId, name: via === undefined ? name : `${name} via ${via}` }
}

export function answerHeaders({
  location = null,
  etag = null,
  isReplay,
}: Answer<unknown> & { isReplay: boolean }) {
  return {
    ...(location === null ? {} : { location }),
    ...(etag === null ? {} : { etag }),
    ...(isReplay ? { 'idempotency-replayed': 'true' } : {}),
  }
}
