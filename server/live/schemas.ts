import { t } from 'elysia'
import { oneOf } from '../requests/choices.ts'
import { PRESENCE_STATES } from './presence.ts'
import type { LiveEvent } from './sse-frames.ts'

/** A page's own name for itself. */
const pageId = t.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' })

export const liveQuery = t.Object(
  {
    /** Number of the last event that the page has seen. */
    after: t.Optional(t.Integer({ minimum: 0 })),
    /** Without it: seconds that the page has been loading; it is told what it may have missed in them. */
    back: t.Optional(t.Integer({ minimum: 0, maximum: 300 })),
    page: t.Optional(pageId),
  },
  { additionalProperties: false },
)

/** Types the events for the pages; what is sent is a stream of them (frames.ts). */
export const liveEvent = t.Unsafe<LiveEvent>(t.Any())

export const announcement = t.Object(
  {
    pageId,
    ticketId: t.Union([t.String({ maxLength: 64 }), t.Null()]),
    state: oneOf(PRESENCE_STATES),
  },
  { additionalProperties: false },
)
