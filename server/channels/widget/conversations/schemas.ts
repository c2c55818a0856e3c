import { t } from 'elysia'
import { attachmentIds, uploadedAttachment } from '../../../attachments/schemas.ts'
import { oneOf, orNull } from '../../../requests/schemas.ts'
import { text } from '../../../text/text.ts'
import { MAX_MESSAGE_LENGTH } from '../../../tickets/messages.ts'
import { typedData } from '../visitors/schemas.ts'

/** An id that a page made. */
const clientId = t.String({ pattern: '^[A-Za-z0-9_-]{8,64}$' })
const strict = { additionalProperties: false }

const conversation = t.Object({
  id: t.String(),
  clientId: t.String(),
  state: oneOf(['open', 'ended']),
  preview: t.Object({ text: t.String(), isMine: t.Boolean() }),
  updatedAt: t.String(),
  unread: t.Integer(),
  agent: orNull(t.Object({ name: t.String() })),
  agentSeenAt: orNull(t.String()),
})
const message = t.Object({
  id: t.String(),
  clientId: orNull(t.String()),
  conversationId: t.String(),
  from: oneOf(['visitor', 'agent', 'system']),
  agentName: orNull(t.String()),
  text: t.String(),
  html: orNull(t.String()),
  attachments: t.Array(uploadedAttachment),
  createdAt: t.String(),
  isEmailed: t.Boolean(),
  isRemoved: t.Optional(t.Boolean()),
})

export const conversationList = t.Object({ data: t.Array(conversation), event: t.Integer() })
export const conversationQuery = t.Object({ before: t.Optional(t.String({ maxLength: 64 })) }, strict)
export const conversationPage = t.Object({
  conversation,
  messages: t.Array(message),
  hasOlder: t.Boolean(),
  event: t.Integer(),
})
export const endedConversation = t.Object({ conversation })

export const telegramLinkSchema = t.Object({ url: t.String() })

export const messagePath = t.Object({ key: t.String(), conversation: clientId, clientId })
export const newMessage = t.Object(
  {
    text: t.Optional(text({ minLength: 0, maxLength: MAX_MESSAGE_LENGTH })),
    attachments: attachmentIds,
    ...typedData,
  },
  strict,
)
export const sentMessage = t.Object({ conversation, message })

export const seenMessage = t.Object({ messageId: t.String({ maxLength: 64 }) }, strict)
export const typingState = t.Object({ isTyping: t.Boolean() }, strict)
