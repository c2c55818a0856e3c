import { Elysia, t } from 'elysia'
import { type Caller, type KeyGuard, requireScope } from '../api-keys/require-api-key.ts'
import { actingAs, type Deps } from '../deps.ts'
import { arriveWithText, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { outgoingMessage } from '../tickets/schemas.ts'
import { actorOf } from '../tickets/v1.ts'
import { badTextBody, noTicket, problem } from '../tickets/v1-document.ts'
import { isOfGrant } from './queries.ts'
import { readOutgoing, scheduleMessage } from './schedule-message.ts'
import { messagePath, scheduledMessage, THEN } from './schemas.ts'
import { viewOutgoing, withNames } from './views.ts'
import { takeBack } from './waiting-message.ts'

/** Sends messages under ids that clients make: repeatable, scheduled, and taken back until they are sent. */
export function messageRoutes(deps: Deps, guard: KeyGuard) {
  const noQuery = strictQuery()
  return new Elysia({ name: 'messages/v1', prefix: '/v1' })
    .use(guard.requireApiKey)
    .put(
      '/tickets/:id/messages/:messageId',
      async ({ caller, params, body: { sendAt, recipients, status: thenStatus, ...body }, status }) => {
        const { [THEN]: actions, ...written } = body
        if (thenStatus !== undefined || actions) requireScope(caller, 'tickets:write')
        const { message, isNew } = await scheduleMessage(actingAs(deps, actorOf(caller)), caller.orgId, {
          ...written,
          ...(thenStatus !== undefined && { status: thenStatus }),
          ...(actions && { actions }),
          ...(recipients && { recipients: withNames(recipients) }),
          ...(sendAt !== undefined && { sendAt: Date.parse(sendAt) }),
          ticketId: params.id,
          id: params.messageId,
          author: messageAuthorOf(caller),
        })
        return status(isNew ? 201 : 200, viewOutgoing(message))
      },
      {
        parse: arriveWithText,
        transform: [guard.allow('messages:write'), noQuery, jsonBody],
        params: messagePath,
        body: scheduledMessage,
        response: { 200: outgoingMessage, 201: outgoingMessage },
        detail: putMessage,
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
        detail: readMessage,
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
        detail: deleteMessage,
      },
    )
}

/** As which author a caller sends. An agent's program that is disconnected sends nothing that still waits. */
export function messageAuthorOf({ kind, agentId, keyId, name: agentName }: Caller) {
  const isSession = kind === 'agent' && !isOfGrant(keyId)
  return { agentId: agentId ?? null, keyId: isSession ? null : keyId, agentName }
}

// What the API description says of each operation beyond its schemas.

const noMessage = problem('There is no such ticket or message, or it belongs to another organization.')

const putMessage = {
  operationId: 'putMessage',
  summary: 'Send or schedule a message',
  description:
    'Sends an agent message under an id that you generate, now or at `sendAt`. Repeating the request changes nothing, so retry whenever a response is lost. The message is stored under the name of the key. `message.sent` is emitted when it is sent.',
  tags: ['Messages'],
  security: [{ secretKey: ['messages:write'] }],
  responses: {
    200: { description: 'The same request was received before. Returns the message as it is now.' },
    201: { description: 'The message is sent, waiting or held.' },
    404: noTicket,
    409: problem('The id belongs to another message.'),
    ...badTextBody,
  },
}

const readMessage = {
  operationId: 'readMessage',
  summary: 'Read a message',
  description: 'One message, sent or not, with the state of its delivery.',
  tags: ['Messages'],
  security: [{ secretKey: ['tickets:read'] }],
  responses: { 200: { description: 'The message.' }, 404: noMessage },
}

const deleteMessage = {
  operationId: 'deleteMessage',
  summary: 'Take back a message',
  description:
    'Deletes a message that is waiting or held. A message that the widget or Telegram shows is removed there, and stays in the ticket with the delivery state `taken_back`: Telegram allows that for 48 hours. Other messages that were sent stay.',
  tags: ['Messages'],
  security: [{ secretKey: ['messages:write'] }],
  responses: {
    204: { description: 'The message won’t be sent, or is removed from the chat.' },
    404: noMessage,
    409: problem('The message is already sent and can’t be taken back, or was taken back before.'),
  },
}
