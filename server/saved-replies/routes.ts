import { Elysia, t } from 'elysia'
import { isoTime } from '../dates.ts'
import type { Deps } from '../deps.ts'
import { arriveWithText, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { byId } from '../requests/schemas.ts'
import type { LargeResponses } from '../responses/large-responses.ts'
import { jsonSlices } from '../responses/row-slices.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { text } from '../text/text.ts'
import { messageText, time } from '../tickets/schemas.ts'
import {
  createSavedReply,
  deleteSavedReply,
  type SavedReply,
  savedReplySlices,
  updateSavedReply,
} from './saved-replies.ts'

const strict = { additionalProperties: false }
const name = text({ maxLength: 100 })
const newSavedReply = t.Object({ name, text: messageText }, strict)
const savedReplyChange = t.Object({ name: t.Optional(name), text: t.Optional(messageText) }, strict)
const savedReply = t.Object({
  id: t.String(),
  name: t.String(),
  /** With variables such as `{{customer.name}}`, which the page fills in. */
  text: t.String(),
  updatedAt: time('When it last changed.'),
})

/** Saved replies, which every agent can use and change. */
export function savedReplyRoutes(guard: AgentGuard, large: LargeResponses) {
  const transform = strictQuery()
  const withBody = { parse: arriveWithText, transform: [transform, jsonBody] }
  return new Elysia({ name: 'saved-replies/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/saved-replies',
      async ({ me: { orgId }, as, request, set }) => {
        const name = `saved replies of ${orgId}`
        return large.send({ request, orgId, name, set }, () => jsonSlices({ data: viewedSlices(as, orgId) }))
      },
      { transform, response: { 200: t.Object({ data: t.Array(savedReply) }) } },
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

async function* viewedSlices(deps: Deps, orgId: string) {
  for await (const replies of savedReplySlices(deps, orgId)) yield replies.map(viewSavedReply)
}

function viewSavedReply({ id, name, text, updatedAt }: SavedReply) {
  return { id, name, text, updatedAt: isoTime(updatedAt) }
}
