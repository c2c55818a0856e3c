import { Elysia } from 'elysia'
import type { Deps } from '../../deps.ts'
import type { AgentGuard } from '../../sessions/require-agent.ts'
import { botRoutes } from './bots/routes.ts'
import { webhookRoutes } from './inbound/webhook-routes.ts'

/** Telegram routes for agents and administrators, and the one that Telegram sends updates to. */
export function telegramRoutes(deps: Deps, guard: AgentGuard) {
  return new Elysia({ name: 'telegram' }).use(botRoutes(deps, guard)).use(webhookRoutes(deps))
}
