import { Elysia, t } from 'elysia'
import { strictQuery } from '../requests/query.ts'
import { byId } from '../requests/schemas.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { eraseCustomer, eraseTicket } from './erase.ts'

/** Permanent deletion, for administrators. */
export function erasureRoutes(guard: AgentGuard) {
  const transform = [guard.adminsOnly, strictQuery()]
  return new Elysia({ name: 'erasure/console', prefix: '/console' })
    .use(guard.requireAgent)
    .delete(
      '/tickets/:id',
      async ({ me, as, params, status }) => {
        await eraseTicket(as, me.orgId, params.id)
        return status(204, undefined)
      },
      { transform, params: byId, response: { 204: t.Undefined() } },
    )
    .delete(
      '/customers/:id',
      async ({ me, as, params }) => ({ deletedTickets: await eraseCustomer(as, me.orgId, params.id) }),
      { transform, params: byId, response: { 200: t.Object({ deletedTickets: t.Integer() }) } },
    )
}
