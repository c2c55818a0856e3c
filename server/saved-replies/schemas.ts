import { t } from 'elysia'
import { text } from '../requests/text.ts'
import { messageText, time } from '../tickets/schemas.ts'

const strict = { additionalProperties: false }
const name = text({ maxLength: 100 })

export const newSavedReply = t.Object({ name, text: messageText }, strict)
export const savedReplyChange = t.Object({ name: t.Optional(name), text: t.Optional(messageText) }, strict)
export const savedReply = t.Object({
  id: t.String(),
  name: t.String(),
  /** With variables such as `{{customer.name}}`, which the page fills in. */
  text: t.String(),
  updatedAt: time('When it was last changed.'),
})
export const savedReplyList = t.Object({ data: t.Array(savedReply) })
