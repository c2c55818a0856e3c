import { Elysia } from 'elysia'
import type { Deps } from '../../../deps.ts'
import { arrive, jsonBody } from '../../../requests/json-body.ts'
import { strictQuery } from '../../../requests/query.ts'
import { byId } from '../../../requests/schemas.ts'
import type { AgentGuard } from '../../../sessions/require-agent.ts'
import type { VisitorStreams } from '../stream/visitor-streams.ts'
import { ticketVisitor, visitorBlock } from './schemas.ts'
import { blockTicketVisitor, readTicketVisitor } from './ticket-visitor.ts'
import { viewTicketVisitor } from './views.ts'

/** Routes about a ticket's visitor, for agents. */
export function ticketVisitorRoutes(deps: Deps, guard: AgentGuard, streams: VisitorStreams) {
  async function view(orgId: string, ticketId: string) {
    const found = await readTicketVisitor(deps, orgId, ticketId)
    const { tokenHash } = found.visitor
    return viewTicketVisitor(found, tokenHash !== null && streams.isConnected(tokenHash))
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
