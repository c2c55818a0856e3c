import { Elysia } from 'elysia'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { baseUrl } from '../requests/base-url.ts'
import { byId } from '../requests/by-id.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { listAgents } from './agents.ts'
import { changeAgent, enableAgent } from './change-agent.ts'
import { disableAgent } from './disable-agent.ts'
import { createLink, inviteAgent } from './one-time-links.ts'
import * as schemas from './schemas.ts'
import { viewAgent, viewLink } from './views.ts'

/** Every agent can list agents; only administrators can change them. */
export function agentRoutes(deps: Deps, guard: AgentGuard) {
  const { publicUrl } = deps.config
  const noQuery = strictQuery()
  const byAdmin = { transform: [guard.adminsOnly, noQuery] }
  const withBody = { parse: arrive, transform: [...byAdmin.transform, jsonBody] }

  return new Elysia({ name: 'agents/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/agents', async ({ me, as }) => ({ data: (await listAgents(as, me.orgId)).map(viewAgent) }), {
      transform: noQuery,
      response: { 200: schemas.agentList },
    })
    .post(
      '/agents',
      async ({ me, as, body, request, status }) => {
        const { agent, link } = await inviteAgent(as, me.orgId, body)
        const { url, expiresAt } = viewLink(baseUrl(request, publicUrl), link)
        return status(201, { agent: viewAgent(agent), link: { url, expiresAt } })
      },
      { ...withBody, body: schemas.newAgent, response: { 201: schemas.invitedAgent } },
    )
    .post(
      '/agents/:id/link',
      async ({ me, as, params, request, status }) => {
        const link = await createLink(as, me.orgId, requireAgentId(params.id))
        return status(201, viewLink(baseUrl(request, publicUrl), link))
      },
      { ...byAdmin, params: byId, response: { 201: schemas.link } },
    )
    .patch(
      '/agents/:id',
      async ({ me, as, params, body }) => {
        const id = requireAgentId(params.id)
        return viewAgent(await changeAgent(as, me.orgId, { id, change: body }))
      },
      { ...withBody, params: byId, body: schemas.agentChange, response: { 200: schemas.agent } },
    )
    .post(
      '/agents/:id/disable',
      async ({ me, as, params }) => {
        const { agent, unassignedTickets } = await disableAgent(as, me.orgId, requireAgentId(params.id))
        return { agent: viewAgent(agent), unassignedTickets }
      },
      { ...byAdmin, params: byId, response: { 200: schemas.disabledAgent } },
    )
    .post(
      '/agents/:id/enable',
      async ({ me, as, params }) => viewAgent(await enableAgent(as, me.orgId, requireAgentId(params.id))),
      { ...byAdmin, params: byId, response: { 200: schemas.agent } },
    )
}

/** The verbs also accept emails, for commands. */
function requireAgentId(id: string): string {
  if (!isId('agt', id)) throw notFound('agent')
  return id
}
