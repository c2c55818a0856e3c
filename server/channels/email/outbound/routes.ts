import { Elysia, t } from 'elysia'
import { chosenMailbox, forward, forwarded, messagePath } from '../../../messages/schemas.ts'
import { withNames } from '../../../messages/views.ts'
import { arriveWithText, jsonBody } from '../../../requests/json-body.ts'
import { strictQuery } from '../../../requests/query.ts'
import { byId } from '../../../requests/schemas.ts'
import type { AgentGuard } from '../../../sessions/require-agent.ts'
import { chooseMailbox } from './choose-mailbox.ts'

/** Routes for what agents do only by email: choose the mailbox of a ticket, and pass a message on. */
export function outboundRoutes(guard: AgentGuard) {
  const withBody = { parse: arriveWithText, transform: [strictQuery(), jsonBody] }
  const ofMessage = { ...withBody, params: messagePath }
  return new Elysia({ name: 'email/outbound', prefix: '/console' })
    .use(guard.requireAgent)
    .put(
      '/tickets/:id/mailbox',
      async ({ me: { orgId }, as, params: { id }, body, status }) => {
        await chooseMailbox(as, orgId, { ticketId: id, ...body })
        return status(204, undefined)
      },
      { ...withBody, params: byId, body: chosenMailbox, response: { 204: t.Undefined() } },
    )
    .post(
      '/tickets/:id/messages/:messageId/forward',
      async ({ me: { orgId, agentId, name: agentName }, as, params, body, status }) => {
        const { forwardMessage } = await import('./forward-message.ts')
        const { messageId, isNew } = await forwardMessage(as, orgId, {
          format: 'plain',
          attachments: [],
          ...body,
          ...withNames(body),
          ticketId: params.id,
          messageId: params.messageId,
          author: { agentId, agentName },
        })
        return status(isNew ? 201 : 200, { messageId })
      },
      { ...ofMessage, body: forward, response: { 200: forwarded, 201: forwarded } },
    )
}
