import { t } from 'elysia'
import { PRESENCE_STATES } from './presence.ts'

/** A page's own name for itself. */
const pageId = t.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' })

export const liveQuery = t.Object(
  { after: t.Optional(t.Integer({ minimum: 0 })), page: t.Optional(pageId) },
  { additionalProperties: false },
)

export const announcement = t.Object(
  {
    pageId,
    ticketId: t.Union([t.String({ maxLength: 64 }), t.Null()]),
    state: t.Unsafe<(typeof PRESENCE_STATES)[number]>(
      t.Union(PRESENCE_STATES.map((state) => t.Literal(state))),
    ),
  },
  { additionalProperties: false },
)
