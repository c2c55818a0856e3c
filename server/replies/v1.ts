import { Elysia, t } from 'elysia'
import { type Caller, type KeyGuard, requireScope } from '../api-keys/require-api-key.ts'
import { actingAs, type Deps } from '../deps.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { parseTime } from '../requests/parse-time.ts'
import { strictQuery } from '../requests/query.ts'
import { actorOf } from '../tickets/v1.ts'
import { readOutgoing, scheduleMessage } from './schedule-message.ts'
import { takeBack } from './scheduled-messages.ts'
import { messagePath, outgoingMessage, scheduledMessage } from './schemas.ts'
import * as document from './v1-document.ts'
import { viewOutgoing } from './views.ts'

/** Sending a message under an id of the client's: repeatable, scheduled, and taken back until it is sent. */
export function messageRoutes(deps: Deps, guard: KeyGuard) {
  const noQuery = strictQuery()
  return new Elysia({ name: 'replies/v1', prefix: '/v1' })
    .use(guard.requireApiKey)
    .put(
      '/tickets/:id/messages/:messageId',
      async ({ caller, params, body: { sendAt, ...body }, status }) => {
        if (body.status !== undefined) requireScope(caller, 'tickets:write')
        const { message, isNew } = await scheduleMessage(actingAs(deps, actorOf(caller)), caller.orgId, {
          ...body,
          ...(sendAt !== undefined && { sendAt: parseTime(sendAt, { pointer: '/sendAt' }) }),
          ticketId: params.id,
          id: params.messageId,
          author: authorOf(caller),
        })
        return status(isNew ? 201 : 200, viewOutgoing(message))
      },
      {
        parse: arrive,
        transform: [guard.allow('messages:write'), noQuery, jsonBody],
        params: messagePath,
        body: scheduledMessage,
        response: { 200: outgoingMessage, 201: outgoingMessage },
        detail: document.putMessage,
      },
    )
    .get(
      '/tickets/:id/messages/:messageId',
      async ({ caller, params }) =>
        viewOutgoing(await readOutgoing(deps, caller.orgId, { ticketId: params.id, id: params.messageId })),
      {
        transform: [guard.allow('tickets:read'), noQuery],
        params: messagePath,
        response: { 200: outgoingMessage },
        detail: document.readMessage,
      },
    )
    .delete(
      '/tickets/:id/messages/:messageId',
      async ({ caller, params, status }) => {
        await takeBack(actingAs(deps, actorOf(caller)), caller.orgId, {
          ticketId: params.id,
          id: params.messageId,
          agentId: caller.agentId,
          agentName: caller.name,
          isAdmin: caller.isAdmin,
        })
        return status(204, undefined)
      },
      {
        transform: [guard.allow('messages:write'), noQuery],
        params: messagePath,
        response: { 204: t.Undefined() },
        detail: document.deleteMessage,
      },
    )
}

function authorOf({ agentId, keyId, name: agentName }: Caller) {
  return agentId === undefined ? { agentId: null, keyId, agentName } : { agentId, keyId: null, agentName }
}
