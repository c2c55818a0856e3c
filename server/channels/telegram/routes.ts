import { Elysia, t } from 'elysia'
import type { Deps } from '../../deps.ts'
import { readBody } from '../../requests/json-body.ts'
import type { AgentGuard } from '../../sessions/require-agent.ts'
import { botRoutes } from './bots/routes.ts'
import { receiveByWebhook } from './inbound/receive-webhook.ts'

const SECRET_HEADER = 'x-telegram-bot-api-secret-token'

/** Telegram routes for agents and administrators, and the one that Telegram sends updates to. */
export function telegramRoutes(deps: Deps, guard: AgentGuard) {
  return new Elysia({ name: 'telegram' }).use(botRoutes(deps, guard)).use(webhookRoutes(deps))
}

/** Where Telegram sends the updates of bots that receive by webhook. No one else knows these addresses. */
function webhookRoutes(deps: Deps) {
  return new Elysia({ name: 'telegram/webhook' }).post(
    '/telegram/:path',
    async ({ params: { path }, request, server, set, status }) => {
      const secret = request.headers.get(SECRET_HEADER) ?? ''
      await receiveByWebhook(deps, { path, secret, readBody: () => readBody({ request, server, set }) })
      return status(204, undefined)
    },
    { parse: 'none', response: { 204: t.Undefined() }, detail: { hide: true } },
  )
}
