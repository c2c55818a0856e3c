import { Elysia, t } from 'elysia'
import type { Deps } from '../deps.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { readTicketRow } from '../tickets/tickets.ts'
import type { Live } from './live.ts'
import { announcement, liveEvent, liveQuery } from './schemas.ts'
import { STREAM_HEADERS } from './streams.ts'

/**
 * The event stream of open pages, and their presence. Events only say what changed; pages load the data from other
 * routes.
 */
export function liveRoutes(
  deps: Deps,
  guard: AgentGuard,
  live: Live,
  /** Called when a tab that has the focus shows a ticket. */
  onFocus: (seen: { orgId: string; agentId: string; ticketId: string }) => Promise<void>,
) {
  return new Elysia({ name: 'live/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/live',
      ({ me, query, request, server }) => {
        // Otherwise the server closes the connection after 30 idle seconds.
        server?.timeout(request, 0)
        const after = lastEventId(request) ?? query.after
        const start = after === undefined ? { lastMs: (query.back ?? 0) * 1_000 } : { after }
        const stream = live.open(me, { pageId: query.page ?? '', start })
        return new Response(stream, { headers: STREAM_HEADERS })
      },
      { transform: strictQuery(liveQuery), query: liveQuery, response: { 200: liveEvent } },
    )
    .post(
      '/presence',
      async ({ me: { orgId, agentId }, body, status }) => {
        if (body.ticketId !== null) await readTicketRow(deps.database.read, orgId, body.ticketId)
        const { isTyping, ...announcement } = body
        live.announce(orgId, { ...announcement, agentId })
        if (isTyping && body.ticketId !== null) live.announceTyping(orgId, body.ticketId)
        if (body.isFocused && body.ticketId !== null) {
          await onFocus({ orgId, agentId, ticketId: body.ticketId })
        }
        return status(204, undefined)
      },
      {
        parse: arrive,
        transform: [strictQuery(), jsonBody],
        body: announcement,
        response: { 204: t.Undefined() },
      },
    )
}

/** `Last-Event-ID` of an automatic reconnect. It is newer than `after` in the URL, which the browser repeats. */
function lastEventId(request: Request): number | undefined {
  const given = request.headers.get('last-event-id')
  return given !== null && /^\d{1,15}$/.test(given) ? Number(given) : undefined
}
