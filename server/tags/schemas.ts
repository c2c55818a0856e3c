import { t } from 'elysia'
import { text } from '../requests/text.ts'

const strict = { additionalProperties: false }
const tag = text({ maxLength: 64 })

export const tagList = t.Object({
  data: t.Array(t.Object({ tag: t.String(), total: t.Integer(), open: t.Integer(), views: t.Integer() })),
})
export const tagRename = t.Object({ from: tag, to: tag }, strict)
export const tagRemoval = t.Object({ tag }, strict)
export const changedTickets = t.Object({ changed: t.Integer() })
