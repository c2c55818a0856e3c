import { Elysia, t } from 'elysia'
import { byId } from '../requests/by-id.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { createSavedReply, deleteSavedReply, listSavedReplies, updateSavedReply } from './saved-replies.ts'
import { newSavedReply, savedReply, savedReplyChange, savedReplyList } from './schemas.ts'
import { viewSavedReply } from './views.ts'

/** Texts that every agent writes with and may change. */
export function savedReplyRoutes(guard: AgentGuard) {
  const transform = strictQuery()
  const withBody = { parse: arrive, transform: [transform, jsonBody] }
  return new Elysia({ name: 'saved-replies/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/saved-replies',
      async ({ me, as }) => ({ data: (await listSavedReplies(as, me.orgId)).map(viewSavedReply) }),
      { transform, response: { 200: savedReplyList } },
    )
    .post(
      '/saved-replies',
      async ({ me, as, body, status }) =>
        status(201, viewSavedReply(await createSavedReply(as, me.orgId, body))),
      { ...withBody, body: newSavedReply, response: { 201: savedReply } },
    )
    .patch(
      '/saved-replies/:id',
      async ({ me, as, params: { id }, body }) =>
        viewSavedReply(await updateSavedReply(as, me.orgId, { id, change: body })),
      { ...withBody, params: byId, body: savedReplyChange, response: { 200: savedReply } },
    )
    .delete(
      '/saved-replies/:id',
      async ({ me, as, params, status }) => {
        await deleteSavedReply(as, me.orgId, params.id)
        return status(204, undefined)
      },
      { transform, params: byId, response: { 204: t.Undefined() } },
    )
}
