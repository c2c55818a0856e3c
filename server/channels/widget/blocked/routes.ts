import { Elysia, t } from 'elysia'
import type { Deps } from '../../../deps.ts'
import { strictQuery } from '../../../requests/query.ts'
import { byId, orNull } from '../../../requests/schemas.ts'
import type { AgentGuard } from '../../../sessions/require-agent.ts'
import { time } from '../../../tickets/schemas.ts'
import { listBlocked, unblockAddress, unblockVisitor } from './blocked-visitors.ts'

const blockedAt = time('When they were blocked.')

const blockedList = t.Object({
  visitors: t.Array(
    t.Object({
      id: t.String(),
      isVerified: t.Boolean(),
      /** Empty when they gave none. Not checked unless the visitor is verified. */
      name: t.String(),
      email: t.String(),
      widgetName: t.String(),
      /** Their newest conversation; null when it was deleted. */
      ticketId: orNull(t.String()),
      blockedAt,
    }),
  ),
  addresses: t.Array(t.Object({ address: t.String(), agentName: orNull(t.String()), blockedAt })),
})

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
