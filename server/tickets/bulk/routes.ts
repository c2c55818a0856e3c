import { Elysia } from 'elysia'
import { arrive, jsonBody } from '../../requests/json-body.ts'
import { strictQuery } from '../../requests/query.ts'
import type { AgentGuard } from '../../sessions/require-agent.ts'
import type { Ticket } from '../queries.ts'
import { changeTickets } from './change-tickets.ts'
import { bulkAnswer, bulkRequest } from './schemas.ts'

/** Changing many tickets at once. */
export function bulkRoutes(guard: AgentGuard) {
  return new Elysia({ name: 'bulk/console', prefix: '/console' }).use(guard.requireAgent).post(
    '/bulk',
    async ({ me, as, body }) => {
      const { found, missing, rest } = await changeTickets(as, me.orgId, body.items)
      return { data: found.map(viewBefore), missing, rest }
    },
    {
      parse: arrive,
      transform: [strictQuery(), jsonBody],
      body: bulkRequest,
      response: { 200: bulkAnswer },
    },
  )
}

/** A ticket as it was, written as a change: sending it undoes the change. */
function viewBefore({ id, status, assignedTo, tags, isSpam }: Ticket) {
  return { id, before: { status, assignedTo: assignedTo || null, tags, isSpam } }
}
