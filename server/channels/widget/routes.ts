import { Elysia } from 'elysia'
import type { Deps } from '../../deps.ts'
import { conversationRoutes } from './conversations/routes.ts'
import { eventRoutes } from './stream/routes.ts'
import type { VisitorStreams } from './stream/visitor-streams.ts'
import type { VisitorGuard } from './visitors/require-visitor.ts'
import { preflightRoutes, visitorRoutes } from './visitors/routes.ts'

/** What the widget in a website's page calls. */
export function visitorApiRoutes(deps: Deps, of: { guard: VisitorGuard; streams: VisitorStreams }) {
  return new Elysia({ name: 'widget' })
    .use(visitorRoutes(deps, of.guard))
    .use(conversationRoutes(deps, of))
    .use(eventRoutes(of))
    .use(preflightRoutes(of.guard))
}
