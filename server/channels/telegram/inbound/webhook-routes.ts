import { Elysia, t } from 'elysia'
import type { Deps } from '../../../deps.ts'
import { readBody } from '../../../requests/json-body.ts'
import { receiveByWebhook } from './receive-webhook.ts'

const SECRET_HEADER = 'x-telegram-bot-api-secret-token'

/** Where Telegram sends the updates of bots that receive by webhook. No one else knows these addresses. */
export function webhookRoutes(deps: Deps) {
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
