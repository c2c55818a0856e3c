import { t } from 'elysia'
import { attachmentIds } from '../attachments/schemas.ts'
import { described } from '../requests/schemas.ts'
import { text } from '../requests/text.ts'
import { MAX_MESSAGE_LENGTH } from '../tickets/messages.ts'
import { format, status, subject, tags, textOrFiles, time } from '../tickets/schemas.ts'

const MESSAGE_ID = 'msg_01jq8z5w8wf6r9f5v0h3q1x2yz'

export const messagePath = t.Object({
  id: t.String({ description: 'Ticket id.', examples: ['tkt_01jq8z5w8wf6r9f5v0h3q1x2yz'] }),
  messageId: t.String({
    description:
      'You generate it: `msg_` and a UUIDv7 as 26 characters of Crockford’s base 32 in lower case. Its time must be within a day of now.',
    examples: [MESSAGE_ID],
  }),
})

const recipient = t.Object(
  {
    name: t.Optional(t.String({ maxLength: 255, examples: ['Ana Pires'] })),
    address: t.String({ maxLength: 320, examples: ['ana@example.com'] }),
  },
  { $id: 'Recipient', additionalProperties: false },
)
/** The limit for an email is lower (server/sends/recipients.ts). */
const recipientList = t.Array(recipient, { maxItems: 200 })

const recipientsInput = t.Object(
  {
    to: recipientList,
    cc: t.Optional(recipientList),
  },
  {
    $id: 'Recipients',
    additionalProperties: false,
    description:
      'Who gets the email, if replies to the ticket are sent by email: at most 50. By default, the sender of the newest email and the others on it.',
  },
)

/** Who gets a message instead of those who did not. */
export const resending = t.Object(
  { to: t.Optional(t.Array(recipient, { minItems: 1, maxItems: 200 })) },
  { additionalProperties: false },
)

/** An agent writes first, to any address. */
export const newConversation = t.Object(
  {
    /** Made by the page. */
    messageId: t.String({ maxLength: 64 }),
    to: recipientList,
    cc: t.Optional(recipientList),
    subject,
    text: textOrFiles,
    format: t.Optional(format),
    attachments: attachmentIds,
    mailboxId: t.Optional(t.String({ maxLength: 64 })),
    status: t.Optional(status),
    assignedTo: t.Optional(t.Union([t.String({ maxLength: 64 }), t.Null()])),
    tags: t.Optional(tags),
  },
  { additionalProperties: false },
)
/** A message with its files to someone outside. */
export const forward = t.Object(
  {
    /** Of the new message, made by the page. */
    id: t.String({ maxLength: 64 }),
    to: recipientList,
    cc: t.Optional(recipientList),
    text: text({ minLength: 0, maxLength: MAX_MESSAGE_LENGTH }),
    format: t.Optional(format),
    attachments: attachmentIds,
  },
  { additionalProperties: false },
)
export const forwarded = t.Object({ messageId: t.String() })

/** Another text for a message that was sent. It can be blank below files. */
export const messageEdit = t.Object(
  { text: textOrFiles, format: t.Optional(format) },
  { additionalProperties: false },
)
/** The texts before, oldest first. */
export const messageEdits = t.Object({
  data: t.Array(t.Object({ text: t.String(), format, editedAt: time('When the next text replaced it.') })),
})

export const scheduledMessage = t.Object(
  {
    text: textOrFiles,
    attachments: attachmentIds,
    format: t.Optional(described(format, '`plain` by default.')),
    recipients: t.Optional(recipientsInput),
    sendAt: t.Optional(
      time('When to send it, at most 30 days ahead. If omitted or in the past, it is sent immediately.'),
    ),
    after: t.Optional(
      t.String({
        maxLength: 64,
        description:
          'The newest message of the ticket that the author has seen. The message is held when another agent message was sent after it.',
        examples: [MESSAGE_ID],
      }),
    ),
    status: t.Optional(
      described(status, 'The status the ticket gets when the message is sent. Needs `tickets:write` too.'),
    ),
  },
  {
    $id: 'ScheduledMessage',
    additionalProperties: false,
    examples: [{ text: 'It is on its **way**.', format: 'markdown' }],
  },
)
