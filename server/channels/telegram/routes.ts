import { Elysia } from 'elysia'
import type { Deps } from '../../deps.ts'
import type { AgentGuard } from '../../sessions/require-agent.ts'
import { botRoutes } from './bots/routes.ts'
import { webhookRoutes } from './inbound/webhook-routes.ts'

/** What agents see and set up of Telegram, and where it sends updates. */
export function telegramRoutes(deps: Deps, guard: AgentGuard) {
  return new Elysia({ name: 'telegram' }).use(botRoutes(deps, guard)).use(webhookRoutes(deps))
}
