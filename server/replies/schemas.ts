import { t } from 'elysia'
import { oneOf } from '../requests/schemas.ts'
import { message, messageText, status, time } from '../tickets/schemas.ts'

const MESSAGE_ID = 'msg_01jq8z5w8wf6r9f5v0h3q1x2yz'

export const messagePath = t.Object({
  id: t.String({ description: 'Ticket id.', examples: ['tkt_01jq8z5w8wf6r9f5v0h3q1x2yz'] }),
  messageId: t.String({
    description:
      'Made by you: `msg_` and a UUIDv7 as 26 characters of Crockford’s base 32 in lower case. Its time must be within a day of now.',
    examples: [MESSAGE_ID],
  }),
})

export const scheduledMessage = t.Object(
  {
    text: { ...messageText, examples: ['It is attached.'] },
    sendAt: t.Optional(time('When to send it, at most 30 days ahead. Omitted or past: it is sent at once.')),
    after: t.Optional(
      t.String({
        maxLength: 64,
        description:
          'The newest message of the ticket that the author has seen. The message is held when another agent message was sent after it.',
        examples: [MESSAGE_ID],
      }),
    ),
    status: t.Optional({
      ...status,
      description: 'The status the ticket gets when the message is sent. Needs `tickets:write` too.',
    }),
  },
  { $id: 'ScheduledMessage', additionalProperties: false },
)

const DELIVERY_STATES = ['waiting', 'held', 'sending', 'sent', 'failed', 'bounced'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** A message with its delivery. */
export const outgoingMessage = t.Object(
  {
    ...message.properties,
    delivery: t.Optional(
      t.Object(
        {
          state: oneOf(
            DELIVERY_STATES,
            '`waiting` until `sendAt`, or for its channel. `held` until an agent decides. `sent` when the channel has taken it; on the API channel as soon as it is stored.',
          ),
          sendAt: t.Optional(time('When it is sent. Only while it is waiting or held.')),
          reason: t.Optional(
            t.String({ description: 'Why it is held or failed.', examples: ['The mailbox is full.'] }),
          ),
        },
        { description: 'Only on messages of agents.' },
      ),
    ),
  },
  {
    $id: 'OutgoingMessage',
    examples: [
      {
        id: MESSAGE_ID,
        role: 'agent',
        text: 'It is attached.',
        agentName: 'Website',
        createdAt: '2026-03-01T09:31:00.000Z',
        delivery: { state: 'waiting', sendAt: '2026-03-02T08:00:00.000Z' },
      },
    ],
  },
)
