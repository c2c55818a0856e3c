import { Elysia, t } from 'elysia'
import type { Deps } from '../deps.ts'
import { createIdempotency } from '../idempotency/idempotency.ts'
import { byId } from '../requests/by-id.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import type { SignedIn } from '../sessions/sessions.ts'
import { waitingReply } from '../threads/schemas.ts'
import { sendOnce } from '../threads/send-once.ts'
import { viewWaitingReply } from '../threads/views.ts'
import { queueReply } from './queue-reply.ts'
import { retryMessage } from './retry-message.ts'
import { type ScheduledRequest, sendNow, takeBack } from './scheduled-messages.ts'
import { byReply, messagePath, newReply, undone } from './schemas.ts'

/** Sending a waiting reply now, and retrying one that failed. */
export function replyRoutes(deps: Deps, guard: AgentGuard) {
  const once = createIdempotency(deps)
  const transform = strictQuery()
  return new Elysia({ name: 'replies/console', prefix: '/console' })
    .use(guard.requireAgent)
    .post(
      '/tickets/:id/replies',
      async ({ me, as, params: { id: ticketId }, body, request, set: { headers }, status }) => {
        const sent = { me, ticketId, what: 'replies' as const, body, request, headers }
        const reply = await sendOnce(
          once,
          sent,
          (written, alsoSave) => queueReply(as, me.orgId, written, alsoSave),
          viewWaitingReply,
        )
        return status(201, reply)
      },
      {
        parse: arrive,
        transform: [transform, jsonBody],
        params: byId,
        body: newReply,
        response: { 201: waitingReply },
      },
    )
    .delete(
      '/tickets/:id/replies/:replyId',
      async ({ me, as, params }) => ({
        text: await takeBack(as, me.orgId, requestOf(me, params.id, params.replyId)),
      }),
      { transform, params: byReply, response: { 200: undone } },
    )
    .post(
      '/tickets/:id/replies/:replyId/send',
      async ({ me, as, params, status }) => {
        await sendNow(as, me.orgId, requestOf(me, params.id, params.replyId))
        return status(204, undefined)
      },
      { transform, params: byReply, response: { 204: t.Undefined() } },
    )
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
