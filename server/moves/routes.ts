import { Elysia, t } from 'elysia'
import { arriveWithText, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { byId } from '../requests/schemas.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { mergeCustomers } from './merge-customers.ts'
import { previewMerge } from './merge-preview.ts'
import { mergeTickets } from './merge-tickets.ts'
import { merge, mergeCustomer, mergePreview, move, splitOnPage } from './schemas.ts'
import { splitTicket } from './split-ticket.ts'
import { undoMove } from './undo-move.ts'
import { viewMove } from './views.ts'

/** Merges and splits tickets, and merges customers, for agents. */
export function moveConsoleRoutes(guard: AgentGuard) {
  const noQuery = strictQuery()
  const withBody = { parse: arriveWithText, transform: [noQuery, jsonBody], params: byId }
  return new Elysia({ name: 'moves/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/tickets/:id/merge/:from',
      ({ me: { orgId }, as, params: { id, from } }) => previewMerge(as, orgId, { from, into: id }),
      {
        transform: noQuery,
        params: t.Object({ id: t.String(), from: t.String() }),
        response: { 200: mergePreview },
      },
    )
    .post(
      '/tickets/:id/merge',
      async ({ me: { orgId }, as, params: { id }, body }) =>
        viewMove(await mergeTickets(as, orgId, { ...body, into: id })),
      { ...withBody, body: merge, response: { 200: move } },
    )
    .post(
      '/tickets/:id/split',
      async ({ me: { orgId }, as, params: { id }, body: { message, andLater, subject }, status }) => {
        const messages = andLater ? { since: message } : [message]
        return status(201, viewMove(await splitTicket(as, orgId, { ticketId: id, messages, subject })))
      },
      { ...withBody, body: splitOnPage, response: { 201: move } },
    )
    .post(
      '/customers/:id/merge',
      async ({ me: { orgId }, as, params: { id }, body }) =>
        viewMove(await mergeCustomers(as, orgId, { ...body, into: id })),
      { ...withBody, body: mergeCustomer, response: { 200: move } },
    )
    .post(
      '/moves/:id/undo',
      async ({ me: { orgId }, as, params: { id } }) => viewMove(await undoMove(as, orgId, id)),
      { transform: noQuery, params: byId, response: { 200: move } },
    )
}
