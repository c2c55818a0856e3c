import { Elysia, t } from 'elysia'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { byId } from '../requests/by-id.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { parseTime } from '../requests/parse-time.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'
import * as schemas from './schemas.ts'
import { viewKey } from './views.ts'

/** Routes where administrators manage API keys. */
export function keyRoutes(guard: AgentGuard) {
  const transform = [guard.adminsOnly, strictQuery()]

  return new Elysia({ name: 'api-keys/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/keys', async ({ me, as }) => ({ data: (await listApiKeys(as, me.orgId)).map(viewKey) }), {
      transform,
      response: { 200: schemas.keyList },
    })
    .post(
      '/keys',
      async ({ me, as, body, status }) => {
        const { kind = 'secret', expiresAt, ...input } = body
        const { key, secret } = await createApiKey(as, me.orgId, {
          ...input,
          kind,
          ...(expiresAt !== undefined && { expiresAt: parseTime(expiresAt, { pointer: '/expiresAt' }) }),
        })
        return status(201, { key: viewKey(key), secret })
      },
      {
        parse: arrive,
        transform: [...transform, jsonBody],
        body: schemas.newKey,
        response: { 201: schemas.createdKey },
      },
    )
    .delete(
      '/keys/:id',
      async ({ me, as, params: { id }, status }) => {
        if (!isId('key', id)) throw notFound('API key')
        await revokeApiKey(as, me.orgId, id)
        return status(204, undefined)
      },
      { transform, params: byId, response: { 204: t.Undefined() } },
    )
}
