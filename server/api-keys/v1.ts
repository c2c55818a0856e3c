import { Elysia, t } from 'elysia'
import { KEY_SCOPES } from '../database/tables/api-keys.ts'
import type { Deps } from '../deps.ts'
import { strictQuery } from '../requests/query.ts'
import { oneOf, orNull } from '../requests/schemas.ts'
import { describeCaller } from './describe-caller.ts'
import type { KeyGuard } from './require-api-key.ts'

const me = t.Object(
  {
    organization: t.Object({
      id: t.String({ examples: ['org_01jq8z5w8wf6r9f5v0h3q1x2yz'] }),
      name: t.String({ examples: ['Acme'] }),
    }),
    key: t.Object({
      name: t.String({ examples: ['Website'] }),
      scopes: t.Array(oneOf(KEY_SCOPES, 'A scope.', 'Scope'), {
        description: 'What the key may do. Always a list, also with full access.',
        examples: [['tickets:read']],
      }),
      agent: orNull(
        t.Object(
          {
            id: t.String({ examples: ['agt_01jq8z5w8wf6r9f5v0h3q1x2yz'] }),
            name: t.String({ examples: ['Answer bot'] }),
          },
          { description: 'The program that the key belongs to; `null` for none.' },
        ),
      ),
    }),
    limits: t.Object({
      requestsPerMinute: t.Integer({ examples: [300] }),
      attachmentBytes: t.Integer({ description: 'The largest file.', examples: [26_214_400] }),
      attachmentsPerMessage: t.Integer({ examples: [20] }),
    }),
    newestEvent: t.String({
      description:
        'The position of the newest event. Keep it, copy everything, and then read the events after it.',
      examples: ['8f14e45fceea.4711'],
    }),
    version: t.String({ description: 'Of the server.', examples: ['1.0.0'] }),
  },
  { $id: 'Me' },
)

/** What a key is, and where the events are. */
export function meRoutes(deps: Deps, guard: KeyGuard) {
  return new Elysia({ name: 'api-keys/v1', prefix: '/v1' })
    .use(guard.requireApiKey)
    .get('/me', ({ caller }) => describeCaller(deps, caller), {
      transform: [guard.allow(), strictQuery()],
      response: { 200: me },
      detail: readMe,
    })
}

const readMe = {
  operationId: 'readMe',
  summary: 'Get your key',
  description:
    'Returns the organization and the scopes of the key, its limits, and the position of the newest event. Needs no scope.',
  tags: ['Events'],
  security: [{ secretKey: [] }],
  responses: { 200: { description: 'The key.' } },
}
