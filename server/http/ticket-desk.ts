import { Elysia } from 'elysia'
import type { Deps } from '../deps.ts'
import { erasureRoutes } from '../erasure/routes.ts'
import { replyRoutes } from '../replies/routes.ts'
import { savedReplyRoutes } from '../saved-replies/routes.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { tagRoutes } from '../tags/routes.ts'
import { threadRoutes } from '../threads/routes.ts'
import { bulkRoutes } from '../tickets/bulk/routes.ts'

/** What agents do with tickets beside `/v1`. */
export function ticketDeskRoutes(deps: Deps, guard: AgentGuard) {
  return new Elysia({ name: 'ticket-desk' })
    .use(threadRoutes(deps, guard))
    .use(bulkRoutes(guard))
    .use(replyRoutes(deps, guard))
    .use(savedReplyRoutes(guard))
    .use(tagRoutes(guard))
    .use(erasureRoutes(guard))
}
