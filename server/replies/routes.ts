import { Elysia, t } from 'elysia'
import { strictQuery } from '../requests/query.ts'
import { byId } from '../requests/schemas.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { messagePath } from './schemas.ts'
import { retryMessage } from './send-message.ts'
import { sendNow } from './waiting-message.ts'

/** Sends a waiting reply now, and retries one that failed. */
export function replyRoutes(guard: AgentGuard) {
  const transform = strictQuery()
  return new Elysia({ name: 'replies/console', prefix: '/console' })
    .use(guard.requireAgent)
    .post(
      '/tickets/:id/messages/:messageId/send',
      async ({ me: { orgId, agentId, name: agentName, role }, as, params, status }) => {
        const message = { ticketId: params.id, id: params.messageId }
        await sendNow(as, orgId, { ...message, agentId, agentName, isAdmin: role === 'admin' })
        return status(204, undefined)
      },
      { transform, params: messagePath, response: { 204: t.Undefined() } },
    )
    .post(
      '/messages/:id/retry',
      async ({ me, as, params, status }) => {
        await retryMessage(as, me.orgId, params.id)
        return status(204, undefined)
      },
      { transform, params: byId, response: { 204: t.Undefined() } },
    )
}
