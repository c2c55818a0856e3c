import { Elysia, t } from 'elysia'
import { KEY_KINDS, KEY_SCOPES } from '../database/tables/api-keys.ts'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { byId, oneOf, orNull } from '../requests/schemas.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'
import { viewKey } from './views.ts'

const time = t.String({ format: 'date-time' })
const scopes = t.Array(oneOf(KEY_SCOPES), { maxItems: KEY_SCOPES.length })

// The verb validates the name, the limit and the time.
const newKey = t.Object(
  {
    name: t.String({ maxLength: 1_000 }),
    kind: t.Optional(oneOf(KEY_KINDS)),
    scopes: t.Optional(scopes),
    rateLimit: t.Optional(t.Number()),
    expiresAt: t.Optional(time),
    /** Id of the program that acts with it. */
    program: t.Optional(t.String({ maxLength: 1_000 })),
  },
  { additionalProperties: false },
)

const keySchema = t.Object({
  id: t.String(),
  kind: oneOf(KEY_KINDS),
  name: t.String(),
  /** The first characters of the key, to recognize it by. */
  prefix: t.String(),
  /** Null means full access. */
  scopes: orNull(scopes),
  rateLimit: orNull(t.Integer()),
  expiresAt: orNull(time),
  revokedAt: orNull(time),
  lastUsedAt: orNull(time),
  createdAt: time,
  publicKey: t.Optional(t.String()),
  program: t.Optional(t.Object({ id: t.String(), name: t.String() })),
})
const keyList = t.Object({ data: t.Array(keySchema) })
/** `secret` is the whole key, returned only here. */
const createdKey = t.Object({ key: keySchema, secret: t.String() })

/** Routes where administrators manage API keys. */
export function keyRoutes(guard: AgentGuard) {
  const transform = [guard.adminsOnly, strictQuery()]

  return new Elysia({ name: 'api-keys/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/keys', async ({ me, as }) => ({ data: (await listApiKeys(as, me.orgId)).map(viewKey) }), {
      transform,
      response: { 200: keyList },
    })
    .post(
      '/keys',
      async ({ me, as, body, status }) => {
        const { kind = 'secret', expiresAt, ...input } = body
        const { key, secret } = await createApiKey(as, me.orgId, {
          ...input,
          kind,
          ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
        })
        return status(201, { key: viewKey(key), secret })
      },
      {
        parse: arrive,
        transform: [...transform, jsonBody],
        body: newKey,
        response: { 201: createdKey },
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
