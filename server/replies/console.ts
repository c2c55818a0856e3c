import { Elysia, t } from 'elysia'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import type { SignedIn } from '../sessions/sessions.ts'
import { waitingReply } from '../threads/schemas.ts'
import { viewWaitingReply } from '../threads/views.ts'
import { queueReply, type ReplyRequest, releaseReply, undoReply } from './replies.ts'
import { retryMessage } from './retry.ts'
import { byMessage, byReply, byTicket, newReply, undone } from './schemas.ts'

/** Sending a reply, taking it back, and sending again what failed. */
export function replyRoutes(guard: AgentGuard) {
  const transform = strictQuery()
  return new Elysia({ name: 'replies/console', prefix: '/console' })
    .use(guard.requireAgent)
    .post(
      '/tickets/:id/replies',
      async ({ me: { orgId, agentId, name }, as, params, body, status }) => {
        const input = { ...body, ticketId: params.id, agentId, agentName: name }
        return status(201, viewWaitingReply(await queueReply(as, orgId, input)))
      },
      {
        parse: arrive,
        transform: [transform, jsonBody],
        params: byTicket,
        body: newReply,
        response: { 201: waitingReply },
      },
    )
    .delete(
      '/tickets/:id/replies/:replyId',
      ({ me, as, params }) => undoReply(as, me.orgId, requestOf(me, params)),
      { transform, params: byReply, response: { 200: undone } },
    )
    .post(
      '/tickets/:id/replies/:replyId/send',
      async ({ me, as, params, status }) => {
        await releaseReply(as, me.orgId, requestOf(me, params))
        return status(204, undefined)
      },
      { transform, params: byReply, response: { 204: t.Undefined() } },
    )
    .post(
      '/messages/:id/retry',
      async ({ me, as, params, status }) => {
        await retryMessage(as, me.orgId, params.id)
        return status(204, undefined)
      },
      { transform, params: byMessage, response: { 204: t.Undefined() } },
    )
}

function requestOf({ agentId, role }: SignedIn, params: { id: string; replyId: string }): ReplyRequest {
  return { ticketId: params.id, id: params.replyId, agentId, isAdmin: role === 'admin' }
}
