import { Elysia, t } from 'elysia'
import type { Deps } from '../../../deps.ts'
import { arrive } from '../../../requests/json-body.ts'
import { receiveByWebhook } from './receive-webhook.ts'

const SECRET_HEADER = 'x-telegram-bot-api-secret-token'

/** Where Telegram sends the updates of bots that receive by webhook. Nobody else knows these addresses. */
export function webhookRoutes(deps: Deps) {
  return new Elysia({ name: 'telegram/webhook' }).post(
    '/telegram/:path',
    async ({ params: { path }, body, request, status }) => {
      const secret = request.headers.get(SECRET_HEADER) ?? ''
      await receiveByWebhook(deps, { path, secret, body: bytesOf(body) })
      return status(204, undefined)
    },
    { parse: arrive, response: { 204: t.Undefined() }, detail: { hide: true } },
  )
}

/** Undefined for a body that is too large. */
function bytesOf(body: unknown): Uint8Array | undefined {
  return typeof body === 'object' && body !== null && 'bytes' in body && body.bytes instanceof Uint8Array
    ? body.bytes
    : undefined
}
