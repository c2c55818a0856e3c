import { Elysia } from 'elysia'
import type { KeyGuard } from '../api-keys/require-api-key.ts'
import type { Deps } from '../deps.ts'
import { strictQuery } from '../requests/query.ts'
import type { LargeResponses } from '../responses/large-responses.ts'
import { jsonSlices } from '../responses/row-slices.ts'
import { savedReplySlices } from './saved-replies.ts'
import { v1SavedReplies } from './schemas.ts'
import { viewV1SavedReply } from './views.ts'

/** The team's saved replies, for programs that offer them elsewhere. */
export function savedReplyApiRoutes(deps: Deps, guard: KeyGuard, large: LargeResponses) {
  return new Elysia({ name: 'saved-replies/v1', prefix: '/v1' }).use(guard.requireApiKey).get(
    '/saved-replies',
    ({ caller: { orgId, agentId = '' }, request, set }) => {
      const name = `saved replies of ${orgId} ${agentId}`
      return large.send({ request, orgId, name, set }, () =>
        jsonSlices({ data: viewedSlices(deps, orgId, agentId) }),
      )
    },
    {
      transform: [guard.allow('tickets:read'), strictQuery()],
      response: { 200: v1SavedReplies },
      detail: listSavedReplies,
    },
  )
}

async function* viewedSlices(deps: Deps, orgId: string, agentId: string) {
  for await (const replies of savedReplySlices(deps, orgId, agentId)) yield replies.map(viewV1SavedReply)
}

const listSavedReplies = {
  operationId: 'listSavedReplies',
  summary: 'List saved replies',
  description: 'Returns the saved replies that your team shares, in order of their names.',
  tags: ['Messages'],
  security: [{ secretKey: ['tickets:read'] }],
  responses: { 200: { description: 'All saved replies of the team.' } },
}
