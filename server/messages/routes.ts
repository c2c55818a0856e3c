import { Elysia, t } from 'elysia'
import { arriveWithText, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { inboxTicket } from '../threads/schemas.ts'
import { viewInboxTicket } from '../threads/views.ts'
import { readTicketRow } from '../tickets/tickets.ts'
import { editSentMessage, readMessageEdits, takeBackSent } from './change-sent.ts'
import { openNow, readWaitingTickets, startConversation, undoOpening } from './new-conversation.ts'
import { resendMessage } from './resend-message.ts'
import {
  messageEdit,
  messageEdits,
  messagePath,
  newConversation,
  resending,
  waitingTicket,
  waitingTickets,
} from './schemas.ts'
import { viewEdits, viewWaitingTicket, withName, withNames } from './views.ts'
import { sendNow } from './waiting-message.ts'

/**
 * Routes that start a conversation, send a waiting or failed message, and change or take back what a chat shows.
 */
export function replyRoutes(guard: AgentGuard) {
  const transform = strictQuery()
  const withBody = { parse: arriveWithText, transform: [transform, jsonBody] }
  const ofMessage = { ...withBody, params: messagePath }
  return new Elysia({ name: 'messages/console', prefix: '/console' })
    .use(guard.requireAgent)
    .post(
      '/tickets',
      async ({ me: { orgId, agentId, name: agentName }, as, body: { sendAt, ...body }, status }) => {
        const started = await startConversation(as, orgId, {
          format: 'plain',
          attachments: [],
          status: 'open',
          tags: [],
          canUndo: false,
          ...body,
          ...withNames(body),
          ...(sendAt !== undefined && { sendAt: Date.parse(sendAt) }),
          assignedTo: body.assignedTo ?? '',
          author: { agentId, agentName },
        })
        if (started.waiting) return status(202, viewWaitingTicket(started.waiting))
        const { ticketId, isNew } = started
        return status(
          isNew ? 201 : 200,
          viewInboxTicket(await readTicketRow(as.database.read, orgId, ticketId)),
        )
      },
      {
        ...withBody,
        body: newConversation,
        response: { 200: inboxTicket, 201: inboxTicket, 202: waitingTicket },
      },
    )
    .get(
      '/new-tickets',
      async ({ me, as }) => ({
        data: (await readWaitingTickets(as, me.orgId, me.agentId)).map(viewWaitingTicket),
      }),
      { transform, response: { 200: waitingTickets } },
    )
    .delete(
      '/new-tickets/:messageId',
      async ({ me: { orgId, agentId, name: agentName }, as, params: { messageId: id }, status }) => {
        await undoOpening(as, orgId, { id, agentId, agentName })
        return status(204, undefined)
      },
      { transform, response: { 204: t.Undefined() } },
    )
    .post(
      '/new-tickets/:messageId/send',
      async ({ me: { orgId, agentId, name: agentName }, as, params: { messageId: id } }) => {
        const ticketId = await openNow(as, orgId, { id, agentId, agentName })
        return viewInboxTicket(await readTicketRow(as.database.read, orgId, ticketId))
      },
      { transform, response: { 200: inboxTicket } },
    )
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
      '/tickets/:id/messages/:messageId/resend',
      async ({ me, as, params, body: { to }, status }) => {
        const { id: ticketId, messageId } = params
        await resendMessage(as, me.orgId, { ticketId, messageId, to: to?.map(withName) })
        return status(204, undefined)
      },
      { ...ofMessage, body: resending, response: { 204: t.Undefined() } },
    )
    .patch(
      '/tickets/:id/messages/:messageId',
      async ({ me, as, params: { id: ticketId, messageId }, body: { text, format = 'plain' }, status }) => {
        await editSentMessage(as, me.orgId, { ticketId, messageId, text, format })
        return status(204, undefined)
      },
      { ...ofMessage, body: messageEdit, response: { 204: t.Undefined() } },
    )
    .delete(
      '/tickets/:id/messages/:messageId',
      async ({ me, as, params: { id: ticketId, messageId }, status }) => {
        await takeBackSent(as, me.orgId, { ticketId, messageId })
        return status(204, undefined)
      },
      { transform, params: messagePath, response: { 204: t.Undefined() } },
    )
    .get(
      '/tickets/:id/messages/:messageId/edits',
      async ({ me, as, params: { id: ticketId, messageId } }) =>
        viewEdits(await readMessageEdits(as, me.orgId, { ticketId, messageId })),
      { transform, params: messagePath, response: { 200: messageEdits } },
    )
}
