import { t } from 'elysia'
import { status, tags, ticketChange } from '../schemas.ts'

// Changing many tickets at once, and how they were before.

const MAX_ITEMS = 500
const strict = { additionalProperties: false }

const change = t.Object(
  {
    ...ticketChange.properties,
    addTags: t.Optional(tags),
    removeTags: t.Optional(tags),
    isSpam: t.Optional(t.Boolean()),
  },
  strict,
)
export const bulkRequest = t.Object(
  {
    items: t.Array(t.Object({ id: t.String({ maxLength: 64 }), change }, strict), { maxItems: MAX_ITEMS }),
  },
  strict,
)
const before = t.Object({
  status,
  assignedTo: t.Union([t.String(), t.Null()]),
  tags: t.Array(t.String()),
  isSpam: t.Boolean(),
})
export const bulkAnswer = t.Object({
  data: t.Array(t.Object({ id: t.String(), before })),
  missing: t.Array(t.String()),
  /** Ids that were not changed. Sending only these returns the reason. */
  rest: t.Array(t.String()),
})
