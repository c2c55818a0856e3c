import { Elysia } from 'elysia'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { readChecklist } from './checklist.ts'
import * as schemas from './schemas.ts'
import { changeSettings, readSettings } from './settings.ts'
import { viewOrganization } from './views.ts'

/** Routes for the organization's settings: every agent can read them, only administrators can change them. */
export function organizationRoutes(guard: AgentGuard) {
  const noQuery = strictQuery()

  return new Elysia({ name: 'organizations/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/organization', async ({ me, as }) => viewOrganization(await readSettings(as, me.orgId)), {
      transform: noQuery,
      response: { 200: schemas.organization },
    })
    .patch(
      '/organization',
      async ({ me, as, body }) => viewOrganization(await changeSettings(as, me.orgId, body)),
      {
        parse: arrive,
        transform: [guard.adminsOnly, noQuery, jsonBody],
        body: schemas.organizationChange,
        response: { 200: schemas.organization },
      },
    )
    .get('/checklist', async ({ me, as }) => ({ data: await readChecklist(as, me.orgId) }), {
      transform: [guard.adminsOnly, noQuery],
      response: { 200: schemas.checklist },
    })
}
