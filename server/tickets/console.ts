import { Elysia } from 'elysia'
import type { Deps } from '../deps.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { changeTickets } from './change-tickets.ts'
import { bulkAnswer, bulkRequest, inboxChange, inboxTicket, ticketId } from './schemas.ts'
import { readTicketRow } from './tickets.ts'
import { updateTicket } from './update-ticket.ts'
import { viewBefore, viewInboxTicket } from './views.ts'

/** What only the inbox changes of tickets; the rest it changes through `/v1`. */
export function inboxTicketRoutes(deps: Deps, guard: AgentGuard) {
  const withBody = { parse: arrive, transform: [strictQuery(), jsonBody] }
  return new Elysia({ name: 'tickets/console', prefix: '/console' })
    .use(guard.requireAgent)
    .patch(
      '/tickets/:id',
      async ({ me: { orgId }, as, params: { id }, body }) => {
        await updateTicket(as, orgId, { id, change: body })
        return viewInboxTicket(await readTicketRow(deps.database.read, orgId, id))
      },
      { ...withBody, params: ticketId, body: inboxChange, response: { 200: inboxTicket } },
    )
    .post(
      '/bulk',
      async ({ me, as, body }) => {
        const { found, missing } = await changeTickets(as, me.orgId, body.items)
        return { data: found.map(viewBefore), missing }
      },
      { ...withBody, body: bulkRequest, response: { 200: bulkAnswer } },
    )
}
