import { Elysia } from 'elysia'
import { agentRoutes } from '../agents/routes.ts'
import { keyRoutes } from '../api-keys/routes.ts'
import { auditRoutes } from '../audit/routes.ts'
import type { Deps } from '../deps.ts'
import { organizationRoutes } from '../organizations/routes.ts'
import { createAttempts } from '../sessions/attempts.ts'
import type { FirstRun } from '../sessions/first-run.ts'
import { ownSessionRoutes } from '../sessions/own-session-routes.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { sessionRoutes } from '../sessions/routes.ts'

/** Who works at the desk, and how it is set up. */
export function deskRoutes(deps: Deps, { agents, firstRun }: { agents: AgentGuard; firstRun: FirstRun }) {
  const attempts = createAttempts(deps.clock.monotonic)
  return new Elysia({ name: 'desk' })
    .use(sessionRoutes(deps, { guard: agents, attempts, firstRun }))
    .use(ownSessionRoutes(agents, attempts))
    .use(agentRoutes(deps, agents))
    .use(organizationRoutes(agents))
    .use(keyRoutes(agents))
    .use(auditRoutes(agents))
}
