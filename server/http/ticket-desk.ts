import { Elysia } from 'elysia'
import { bulkRoutes } from '../bulk/console.ts'
import type { Deps } from '../deps.ts'
import { erasureRoutes } from '../erasure/console.ts'
import { replyRoutes } from '../replies/console.ts'
import { savedReplyRoutes } from '../saved-replies/console.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { tagRoutes } from '../tags/console.ts'
import { threadRoutes } from '../threads/console.ts'

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
