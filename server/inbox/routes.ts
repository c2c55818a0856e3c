import { Elysia, t } from 'elysia'
import { byId } from '../requests/by-id.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { createView, deleteView, listViews, updateView } from '../saved-views/saved-views.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { readCounts } from './counts.ts'
import { listInbox } from './list-inbox.ts'
import * as schemas from './schemas.ts'
import { createViewCounter } from './view-counts.ts'
import { viewRow, viewSavedView } from './views.ts'

const noQuery = strictQuery()
const withBody = { parse: arrive, transform: [noQuery, jsonBody] }

/** What the rail and the list of the inbox show. */
export function inboxRoutes(guard: AgentGuard) {
  const countViews = createViewCounter()
  return new Elysia({ name: 'inbox/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/tickets',
      async ({ me, as, query }) => {
        const { rows, nextCursor, terms } = await listInbox(as, me.orgId, { me: me.agentId, ...query })
        return { data: rows.map(viewRow), ...(nextCursor === undefined ? {} : { nextCursor }), terms }
      },
      {
        transform: strictQuery(schemas.listQuery),
        query: schemas.listQuery,
        response: { 200: schemas.rowList },
      },
    )
    .get(
      '/counts',
      ({ me, as, query: { zone } }) =>
        readCounts(as, (deps, orgId, me) => countViews(deps, orgId, me, zone), me.orgId, me.agentId),
      {
        transform: strictQuery(schemas.countsQuery),
        query: schemas.countsQuery,
        response: { 200: schemas.counts },
      },
    )
    .get(
      '/views',
      async ({ me: { orgId, agentId }, as }) => {
        const views = await listViews(as.database.read, { orgId, agentId })
        return { data: views.map((view) => viewSavedView(view, agentId)) }
      },
      { transform: noQuery, response: { 200: schemas.viewList } },
    )
    .post(
      '/views',
      async ({ me, as, body, status }) =>
        status(201, viewSavedView(await createView(as, me.orgId, me, body), me.agentId)),
      { ...withBody, body: schemas.newView, response: { 201: schemas.view } },
    )
    .patch(
      '/views/:id',
      async ({ me, as, params: { id }, body }) =>
        viewSavedView(await updateView(as, me.orgId, me, { id, change: body }), me.agentId),
      { ...withBody, params: byId, body: schemas.viewChange, response: { 200: schemas.view } },
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
