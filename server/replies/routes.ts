import { Elysia, t } from 'elysia'
import { byId } from '../requests/by-id.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import type { SignedIn } from '../sessions/sessions.ts'
import { retryMessage } from './retry-message.ts'
import { type ScheduledRequest, sendNow } from './scheduled-messages.ts'
import { messagePath } from './schemas.ts'

/** Sending a waiting reply now, and retrying one that failed. */
export function replyRoutes(guard: AgentGuard) {
  const transform = strictQuery()
  return new Elysia({ name: 'replies/console', prefix: '/console' })
    .use(guard.requireAgent)
    .post(
      '/tickets/:id/messages/:messageId/send',
      async ({ me, as, params, status }) => {
        await sendNow(as, me.orgId, requestOf(me, params.id, params.messageId))
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

function requestOf({ agentId, name, role }: SignedIn, ticketId: string, id: string): ScheduledRequest {
  return { ticketId, id, agentId, agentName: name, isAdmin: role === 'admin' }
}
