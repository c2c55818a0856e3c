import { Elysia } from 'elysia'
import type { Deps } from '../../deps.ts'
import type { AgentGuard } from '../../sessions/require-agent.ts'
import { conversationRoutes } from './conversations/routes.ts'
import { blockedRoutes, ticketVisitorRoutes } from './inbox/routes.ts'
import { eventRoutes } from './stream/routes.ts'
import type { VisitorStreams } from './stream/visitor-streams.ts'
import type { VisitorGuard } from './visitors/require-visitor.ts'
import { preflightRoutes, visitorRoutes } from './visitors/routes.ts'
import { widgetRoutes } from './widgets/routes.ts'

/** Widget routes for agents and administrators. */
export function widgetConsoleRoutes(deps: Deps, guard: AgentGuard, streams: VisitorStreams) {
  return new Elysia({ name: 'widget/console' })
    .use(widgetRoutes(deps, guard))
    .use(ticketVisitorRoutes(deps, guard, streams))
    .use(blockedRoutes(deps, guard))
}

/** Routes that the widget on a website calls. */
export function visitorApiRoutes(deps: Deps, of: { guard: VisitorGuard; streams: VisitorStreams }) {
  return new Elysia({ name: 'widget' })
    .use(visitorRoutes(deps, of.guard))
    .use(conversationRoutes(deps, of))
    .use(eventRoutes(of))
    .use(preflightRoutes(of.guard))
}
