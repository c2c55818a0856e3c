import { Elysia, t } from 'elysia'
import { viewInboxAttachments } from '../attachments/views.ts'
import type { Deps } from '../deps.ts'
import { arriveWithText, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { byId } from '../requests/schemas.ts'
import type { LargeResponses } from '../responses/large-responses.ts'
import { jsonSlices } from '../responses/row-slices.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import {
  createSavedReply,
  deleteSavedReply,
  recordSavedReplyUse,
  savedReplySlices,
  updateSavedReply,
} from './saved-replies.ts'
import { newSavedReply, savedReply, savedReplyChange, usedReply } from './schemas.ts'
import { viewSavedReply } from './views.ts'

/** Saved replies: those of the team, which every agent can use and change, and the agent's own. */
export function savedReplyRoutes(guard: AgentGuard, large: LargeResponses) {
  const transform = strictQuery()
  const withBody = { parse: arriveWithText, transform: [transform, jsonBody] }
  return new Elysia({ name: 'saved-replies/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/saved-replies',
      async ({ me: { orgId, agentId }, as, request, set }) => {
        const name = `saved replies of ${agentId}`
        return large.send({ request, orgId, name, set }, () =>
          jsonSlices({ data: viewedSlices(as, orgId, agentId) }),
        )
      },
      { transform, response: { 200: t.Object({ data: t.Array(savedReply) }) } },
    )
    .post(
      '/saved-replies',
      async ({ me: { orgId, agentId }, as, body, status }) =>
        status(201, viewSavedReply(await createSavedReply(as, orgId, { ...body, agentId }), agentId)),
      { ...withBody, body: newSavedReply, response: { 201: savedReply } },
    )
    .patch(
      '/saved-replies/:id',
      async ({ me: { orgId, agentId }, as, params: { id }, body: change }) =>
        viewSavedReply(await updateSavedReply(as, orgId, { id, agentId, change }), agentId),
      { ...withBody, params: byId, body: savedReplyChange, response: { 200: savedReply } },
    )
    .post(
      '/saved-replies/:id/use',
      async ({ me: { orgId, agentId }, as, params: { id } }) =>
        viewInboxAttachments(await recordSavedReplyUse(as, orgId, { id, agentId })),
      { transform, params: byId, response: { 200: usedReply } },
    )
    .delete(
      '/saved-replies/:id',
      async ({ me: { orgId, agentId }, as, params: { id }, status }) => {
        await deleteSavedReply(as, orgId, { id, agentId })
        return status(204, undefined)
      },
      { transform, params: byId, response: { 204: t.Undefined() } },
    )
}

async function* viewedSlices(deps: Deps, orgId: string, agentId: string) {
  for await (const replies of savedReplySlices(deps, orgId, agentId)) {
    yield replies.map((reply) => viewSavedReply(reply, agentId))
  }
}
