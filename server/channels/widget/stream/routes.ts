import { Elysia, t } from 'elysia'
import { STREAM_HEADERS } from '../../../live/streams.ts'
import { strictQuery } from '../../../requests/query.ts'
import type { VisitorGuard } from '../visitors/require-visitor.ts'
import type { VisitorStreams } from './visitor-streams.ts'

/**
 * `after` is the number of the last event that the page has seen. With `once` the stream ends when everything until now was
 * sent: a proxy that collects it delivers it then.
 */
const eventsQuery = t.Object(
  { after: t.Optional(t.Integer({ minimum: 0 })), once: t.Optional(t.Literal('1')) },
  { additionalProperties: false },
)

/** Streams the events of a visitor's conversations. */
export function eventRoutes({ guard, streams }: { guard: VisitorGuard; streams: VisitorStreams }) {
  return new Elysia({ name: 'widget/events', prefix: '/widget/:key' }).use(guard.requireVisitor).get(
    '/events',
    ({ visitor, address, query: { after, once }, request, server }) => {
      // Otherwise the server closes the connection after 30 idle seconds.
      server?.timeout(request, 0)
      const page = { after, address, isOnce: once !== undefined }
      return new Response(streams.open(visitor, page), { headers: STREAM_HEADERS })
    },
    { transform: strictQuery(eventsQuery), query: eventsQuery, detail: { hide: true } },
  )
}
