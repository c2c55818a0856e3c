import { t } from 'elysia'
import { draftBase } from '../threads/schemas.ts'
import { messageText, status } from '../tickets/schemas.ts'

// What an agent sends, and takes back.

const id = t.String({ maxLength: 64 })
export const byReply = t.Object({ id: t.String(), replyId: t.String() })

export const newReply = t.Object(
  {
    text: messageText,
    /** The newest message the agent had before their eyes. */
    lastMessageId: id,
    thenStatus: t.Optional(status),
    force: t.Optional(t.Boolean()),
    base: draftBase,
    /** The agent's own replies that this page knows of: one of another tab or device is news to it. */
    knownReplies: t.Optional(t.Array(id, { maxItems: 200 })),
  },
  { additionalProperties: false },
)
/** The draft of a reply as it is now. */
export const undone = t.Object({ text: t.String() })
