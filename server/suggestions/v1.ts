import { Elysia, t } from 'elysia'
import { type Caller, idOfCaller, type KeyGuard } from '../api-keys/require-api-key.ts'
import { actingAs, type Deps } from '../deps.ts'
import { createIdempotency } from '../idempotency/idempotency.ts'
import { arriveWithText, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { pageOfParts } from '../tickets/pagination.ts'
import { partsQuery, ticketId } from '../tickets/schemas.ts'
import { actorOf, answerHeaders, idempotent } from '../tickets/v1.ts'
import {
  badTextBody,
  idempotency,
  idempotencyKey,
  longUrl,
  nextLink,
  noTicket,
  problem,
  replayed,
} from '../tickets/v1-document.ts'
import { LATEST_TIME } from '../tickets/waiting.ts'
import { completeSuggestions, type Suggestion, suggestionsBefore } from './queries.ts'
import { newSuggestion, suggestionPath, v1Suggestion, v1SuggestionList } from './schemas.ts'
import { addSuggestion, withdrawSuggestion } from './suggestions.ts'
import { viewV1Suggestion } from './views.ts'

const NEWEST = { at: LATEST_TIME, id: '' }

/** Answers that programs suggest to agents. */
export function suggestionApiRoutes(deps: Deps, guard: KeyGuard) {
  const once = createIdempotency(deps)
  const { read } = deps.database
  return new Elysia({ name: 'suggestions/v1', prefix: '/v1' })
    .use(guard.requireApiKey)
    .get(
      '/tickets/:id/suggestions',
      async ({ caller: { orgId }, params: { id: ticketId }, query, request, set }) => {
        const list = { orgId, ticketId, name: 'suggestions', prefix: 'sug', from: NEWEST } as const
        const { rows, meta } = await pageOfParts(read, list, { query, request, set }, (place) =>
          suggestionsBefore(read, place),
        )
        return { data: (await completeSuggestions(read, orgId, rows)).map(viewV1Suggestion), meta }
      },
      {
        transform: [guard.allow('tickets:read'), strictQuery(partsQuery)],
        params: ticketId,
        query: partsQuery,
        response: { 200: v1SuggestionList },
        detail: listSuggestions,
      },
    )
    .post(
      '/tickets/:id/suggestions',
      async ({ caller, params: { id: ticketId }, body, request, set, status }) => {
        const { orgId } = caller
        const path = `/v1/tickets/${ticketId}/suggestions`
        const answer = await once(idempotent(caller, request, { path, body }), {
          change(alsoSave) {
            const { format = 'plain', ...written } = body
            const input = { ticketId, author: suggestionAuthorOf(caller), ...written, format }
            return addSuggestion(actingAs(deps, actorOf(caller)), orgId, input, alsoSave)
          },
          asAnswer: (made: Suggestion) => ({ status: 201, body: viewV1Suggestion(made) }),
          shows: () => ticketId,
        })
        Object.assign(set.headers, answerHeaders(answer))
        return status(201, answer.body)
      },
      {
        parse: arriveWithText,
        transform: [guard.allow('suggestions:write'), strictQuery(), jsonBody],
        params: ticketId,
        body: newSuggestion,
        response: { 201: v1Suggestion },
        detail: addSuggestionDetail,
      },
    )
    .delete(
      '/tickets/:id/suggestions/:suggestionId',
      async ({ caller, params: { id: ticketId, suggestionId: id }, status }) => {
        const as = actingAs(deps, actorOf(caller))
        const { byId } = suggestionAuthorOf(caller)
        await withdrawSuggestion(as, caller.orgId, { ticketId, id, byId })
        return status(204, undefined)
      },
      {
        transform: [guard.allow('suggestions:write'), strictQuery()],
        params: suggestionPath,
        response: { 204: t.Undefined() },
        detail: withdrawDetail,
      },
    )
}

/** As who a caller suggests. Two keys of a program are the same one; the programs that an agent connected aren't. */
export function suggestionAuthorOf(caller: Caller) {
  const { agentId, keyId, via } = caller
  return { byId: via === undefined ? (agentId ?? keyId) : keyId, uploader: idOfCaller(caller) }
}

// What the API description says of each operation beyond its schemas.

const listSuggestions = {
  operationId: 'listSuggestions',
  summary: 'List suggestions',
  description:
    'Returns a page of what was suggested for a ticket, newest first, by all authors. Closed suggestions are kept for 90 days. Follow `meta.nextCursor` until it’s absent.',
  tags: ['Suggestions'],
  security: [{ secretKey: ['tickets:read'] }],
  responses: {
    200: { description: 'A page of suggestions.', headers: { Link: nextLink } },
    404: noTicket,
    414: longUrl,
  },
}

const addSuggestionDetail = {
  operationId: 'addSuggestion',
  summary: 'Suggest an answer',
  description:
    'Shows agents an answer above the composer of the ticket. They use, edit, or dismiss it: nothing sends it by itself. It replaces what you suggested for the ticket before.',
  tags: ['Suggestions'],
  security: [{ secretKey: ['suggestions:write'] }],
  parameters: [idempotencyKey],
  responses: {
    201: {
      description: 'Agents see the suggestion.',
      headers: { 'Idempotency-Replayed': replayed },
    },
    404: noTicket,
    409: problem(
      'The customer has written since, or the ticket was answered (`answered_since`); you suggested 20 answers to this message (`too_many_suggestions`); the ticket was merged into another one (`ticket_merged`); or the first request with this Idempotency-Key is still running.',
    ),
    422: idempotency[422],
    ...badTextBody,
  },
}

const withdrawDetail = {
  operationId: 'withdrawSuggestion',
  summary: 'Withdraw a suggestion',
  description:
    'Takes back what you suggested, while no agent has decided about it. It stays in the list as `withdrawn`.',
  tags: ['Suggestions'],
  security: [{ secretKey: ['suggestions:write'] }],
  responses: {
    204: { description: 'The suggestion is withdrawn, or was before.' },
    404: problem('There’s no such ticket or suggestion of yours in your organization.'),
    409: problem('The suggestion is closed already (`suggestion_closed`).'),
  },
}
