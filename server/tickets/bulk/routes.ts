import { Elysia } from 'elysia'
import { arrive, jsonBody } from '../../requests/json-body.ts'
import { strictQuery } from '../../requests/query.ts'
import type { AgentGuard } from '../../sessions/require-agent.ts'
import { changeTickets } from './change-tickets.ts'
import { bulkAnswer, bulkRequest } from './schemas.ts'
import { viewBefore } from './views.ts'

/** Changes of many tickets at once. */
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
