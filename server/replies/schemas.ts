import { t } from 'elysia'
import { DRAFT_KINDS } from '../database/schema.ts'
import { messageText, oneOf, status } from '../tickets/schemas.ts'

// What an agent sends, and takes back.

const id = t.String({ maxLength: 64 })
export const byTicket = t.Object({ id })
export const byReply = t.Object({ id, replyId: id })
export const byMessage = t.Object({ id })

export const newReply = t.Object(
  {
    text: messageText,
    /** The newest message the agent had before their eyes. */
    lastMessageId: id,
    thenStatus: t.Optional(status),
    force: t.Optional(t.Boolean()),
  },
  { additionalProperties: false },
)
/** The draft as it is now. */
export const undone = t.Object({ kind: oneOf(DRAFT_KINDS, 'For whom it is.'), text: t.String() })
