import { Elysia, t } from 'elysia'
import type { KeyGuard } from '../api-keys/require-api-key.ts'
import type { Deps } from '../deps.ts'
import { strictQuery } from '../requests/query.ts'
import { listTags } from './tags.ts'

const tagList = t.Object(
  {
    data: t.Array(
      t.Object(
        {
          name: t.String({ examples: ['billing'] }),
          count: t.Integer({ description: 'Tickets with this tag, whatever their status.', examples: [17] }),
        },
        { $id: 'Tag' },
      ),
    ),
  },
  { $id: 'TagList' },
)

/** The tags of an organization's tickets. */
export function tagApiRoutes(deps: Deps, guard: KeyGuard) {
  return new Elysia({ name: 'tags/v1', prefix: '/v1' }).use(guard.requireApiKey).get(
    '/tags',
    async ({ caller: { orgId } }) => ({
      data: (await listTags(deps, orgId)).map(({ tag, total }) => ({ name: tag, count: total })),
    }),
    {
      transform: [guard.allow('tickets:read'), strictQuery()],
      response: { 200: tagList },
      detail: listAllTags,
    },
  )
}

const listAllTags = {
  operationId: 'listTags',
  summary: 'List tags',
  description:
    'Returns the tags that your tickets have, in their order, with the number of tickets of each. If there are more than 2,000, those of the most tickets.',
  tags: ['Tickets'],
  security: [{ secretKey: ['tickets:read'] }],
  responses: { 200: { description: 'The tags.' } },
}
