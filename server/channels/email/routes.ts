import { Elysia } from 'elysia'
import type { Deps } from '../../deps.ts'
import type { AgentGuard } from '../../sessions/require-agent.ts'
import { contentRoutes } from './contents/routes.ts'
import { ledgerRoutes } from './ledger/routes.ts'
import { mailboxRoutes } from './mailboxes/routes.ts'
import { oauthRoutes } from './oauth/oauth-routes.ts'
import { outboundRoutes } from './outbound/routes.ts'

/**
 * Email routes for agents and administrators. They are in their own plugin because TypeScript limits the length of a
 * chain of routes.
 */
export function emailRoutes(deps: Deps, guard: AgentGuard) {
  return new Elysia({ name: 'email' })
    .use(mailboxRoutes(deps, guard))
    .use(ledgerRoutes(deps, guard))
    .use(oauthRoutes(deps, guard))
    .use(contentRoutes(deps, guard))
    .use(outboundRoutes(guard))
}
