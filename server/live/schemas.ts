import { t } from 'elysia'
import { oneOf } from '../requests/schemas.ts'
import { PRESENCE_STATES } from './presence.ts'
import type { LiveEvent } from './workspace-stream.ts'

/** The id a page chose for itself. */
const pageId = t.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' })

export const liveQuery = t.Object(
  {
    /** Number of the last event the page has seen. */
    after: t.Optional(t.Integer({ minimum: 0 })),
    /** Without `after`: the seconds the page has been loading. It gets the events of that time. */
    back: t.Optional(t.Integer({ minimum: 0, maximum: 300 })),
    page: t.Optional(pageId),
  },
  { additionalProperties: false },
)

/** Gives the web client the type of the events. The response is a stream of them (workspace-stream.ts). */
export const liveEvent = t.Unsafe<LiveEvent>(t.Any())

export const announcement = t.Object(
  {
    pageId,
    ticketId: t.Union([t.String({ maxLength: 64 }), t.Null()]),
    state: oneOf(PRESENCE_STATES),
    /** Whether the tab has the focus. */
    isFocused: t.Optional(t.Boolean()),
    /** Repeated while the agent types a reply. */
    isTyping: t.Optional(t.Boolean()),
  },
  { additionalProperties: false },
)
