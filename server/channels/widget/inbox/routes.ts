import { Elysia, t } from 'elysia'
import type { Deps } from '../../../deps.ts'
import { arrive, jsonBody } from '../../../requests/json-body.ts'
import { strictQuery } from '../../../requests/query.ts'
import { byId } from '../../../requests/schemas.ts'
import type { AgentGuard } from '../../../sessions/require-agent.ts'
import type { VisitorStreams } from '../stream/visitor-streams.ts'
import { listBlocked, unblockAddress, unblockVisitor } from './blocked-visitors.ts'
import { blockedList, ticketVisitor, visitorBlock } from './schemas.ts'
import { blockTicketVisitor, readTicketVisitor, viewTicketVisitor } from './ticket-visitor.ts'

/** Routes about a ticket's visitor, for agents. */
export function ticketVisitorRoutes(deps: Deps, guard: AgentGuard, streams: VisitorStreams) {
  async function view(orgId: string, ticketId: string) {
    const ofTicket = await readTicketVisitor(deps, orgId, ticketId)
    return viewTicketVisitor(ofTicket, streams.isConnected(ofTicket.visitor))
  }

  const shared = { params: byId, response: { 200: ticketVisitor } }
  return new Elysia({ name: 'ticket-visitors/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/tickets/:id/visitor', ({ me: { orgId }, params: { id } }) => view(orgId, id), {
      ...shared,
      transform: strictQuery(),
    })
    .patch(
      '/tickets/:id/visitor',
      async ({ me: { orgId, agentId }, as, params: { id }, body }) => {
        await blockTicketVisitor(as, orgId, { ticketId: id, agentId, ...body })
        return view(orgId, id)
      },
      { ...shared, parse: arrive, transform: [strictQuery(), jsonBody], body: visitorBlock },
    )
}

/** Who can't write in the widgets of an organization, for administrators. Agents block from a ticket. */
export function blockedRoutes(deps: Deps, guard: AgentGuard) {
  const transform = [guard.adminsOnly, strictQuery()]
  return new Elysia({ name: 'blocked/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/blocked', ({ me: { orgId } }) => listBlocked(deps, orgId), {
      transform,
      response: { 200: blockedList },
    })
    .delete(
      '/blocked/visitors/:id',
      async ({ me: { orgId }, as, params: { id }, status }) => {
        await unblockVisitor(as, orgId, id)
        return status(204, undefined)
      },
      { transform, params: byId, response: { 204: t.Undefined() } },
    )
    .delete(
      '/blocked/addresses/:address',
      async ({ me: { orgId, agentId }, as, params: { address }, status }) => {
        await unblockAddress(as, orgId, { address, agentId })
        return status(204, undefined)
      },
      {
        transform,
        params: t.Object({ address: t.String() }),
        response: { 204: t.Undefined() },
      },
    )
}
