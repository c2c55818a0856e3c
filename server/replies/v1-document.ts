import { badBody, noTicket, problem } from '../tickets/v1-document.ts'

const noMessage = problem('There is no such ticket or message, or it belongs to another organization.')

export const putMessage = {
  operationId: 'putMessage',
  summary: 'Send or schedule a message',
  description:
    'Sends an agent message under an id that you make, now or at `sendAt`. Repeating the request changes nothing, so try again whenever an answer is lost. The message is stored under the name of the key. `message.sent` is emitted when it is sent.',
  tags: ['Messages'],
  security: [{ secretKey: ['messages:write'] }],
  responses: {
    200: { description: 'The same request came before. The message as it is now.' },
    201: { description: 'The message is sent, waiting or held.' },
    404: noTicket,
    409: problem('The id belongs to another message.'),
    ...badBody,
  },
}

export const readMessage = {
  operationId: 'readMessage',
  summary: 'Read a message',
  description: 'One message, sent or not, with the state of its delivery.',
  tags: ['Messages'],
  security: [{ secretKey: ['tickets:read'] }],
  responses: { 200: { description: 'The message.' }, 404: noMessage },
}

export const deleteMessage = {
  operationId: 'deleteMessage',
  summary: 'Take back a message',
  description: 'Deletes a message that is waiting or held. One that is sent stays.',
  tags: ['Messages'],
  security: [{ secretKey: ['messages:write'] }],
  responses: {
    204: { description: 'The message is not sent.' },
    404: noMessage,
    409: problem('The message is already sent.'),
  },
}
