import { Elysia, t } from 'elysia'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { byId } from '../requests/schemas.ts'
import { MAX_QUERY_LENGTH } from '../search/query-language.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { text } from '../text/text.ts'
import { createView, deleteView, listViews, type SavedView, updateView } from './saved-views.ts'

const strict = { additionalProperties: false }
const viewFields = {
  name: text({ maxLength: 60 }),
  query: t.String({ maxLength: MAX_QUERY_LENGTH }),
  isShared: t.Boolean(),
}
const newView = t.Object({ ...viewFields, isShared: t.Optional(t.Boolean()) }, strict)
const viewChange = t.Partial(t.Object(viewFields), strict)
const view = t.Object({
  id: t.String(),
  name: t.String(),
  query: t.String(),
  isShared: t.Boolean(),
  isMine: t.Boolean(),
})

/** The agent's own saved views and the shared ones. */
export function savedViewRoutes(guard: AgentGuard) {
  const noQuery = strictQuery()
  const withBody = { parse: arrive, transform: [noQuery, jsonBody] }
  return new Elysia({ name: 'saved-views/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/views',
      async ({ me: { orgId, agentId }, as }) => {
        const views = await listViews(as.database.read, { orgId, agentId })
        return { data: views.map((view) => viewSavedView(view, agentId)) }
      },
      { transform: noQuery, response: { 200: t.Object({ data: t.Array(view) }) } },
    )
    .post(
      '/views',
      async ({ me, as, body, status }) =>
        status(201, viewSavedView(await createView(as, me.orgId, me, body), me.agentId)),
      { ...withBody, body: newView, response: { 201: view } },
    )
    .patch(
      '/views/:id',
      async ({ me, as, params: { id }, body }) =>
        viewSavedView(await updateView(as, me.orgId, me, { id, change: body }), me.agentId),
      { ...withBody, params: byId, body: viewChange, response: { 200: view } },
    )
    .delete(
      '/views/:id',
      async ({ me, as, params, status }) => {
        await deleteView(as, me.orgId, me, params.id)
        return status(204, undefined)
      },
      { transform: noQuery, params: byId, response: { 204: t.Undefined() } },
    )
}

function viewSavedView({ id, name, query, isShared, agentId }: SavedView, me: string) {
  return { id, name, query, isShared, isMine: agentId === me }
}
