import { Elysia, t } from 'elysia'
import { fileResponse } from '../attachments/download.ts'
import { AGENT_ROLES, PERSON_ROLES } from '../database/tables/agents.ts'
import { LINK_PURPOSES } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { createPublicAddress } from '../requests/public-address.ts'
import { strictQuery } from '../requests/query.ts'
import { byId, oneOf, orNull } from '../requests/schemas.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { changeAgent, enableAgent, listAgents } from './agents.ts'
import { disableAgent } from './disable-agent.ts'
import { createLink, inviteAgent } from './one-time-links.ts'
import { createProgram, readPicture, setPicture } from './programs.ts'
import { AGENT_STATES, viewAgent, viewLink } from './views.ts'

const time = t.String({ format: 'date-time' })
const strict = { additionalProperties: false }

// The verbs validate names and emails.
const name = t.String({ maxLength: 1_000 })
const role = oneOf(PERSON_ROLES)

const newAgent = t.Object({ name, email: t.String({ maxLength: 1_000 }), role }, strict)
const newProgram = t.Object({ name }, strict)
/** The id of an upload of the administrator. */
const newPicture = t.Object({ picture: orNull(t.String({ maxLength: 100 })) }, strict)
/** The version, which makes the address of another picture another one. */
const pictureQuery = t.Object({ v: t.Optional(t.String({ maxLength: 100 })) }, strict)
const agentChange = t.Object({ name: t.Optional(name), role: t.Optional(role) }, strict)

const agentSchema = t.Object({
  id: t.String(),
  name: t.String(),
  /** Empty for a program. */
  email: t.String(),
  role: oneOf(AGENT_ROLES),
  state: oneOf(AGENT_STATES),
  createdAt: time,
  lastSeenAt: t.Optional(time),
  /** The path of the picture of a program. */
  picture: t.Optional(t.String()),
})
const agentList = t.Object({ data: t.Array(agentSchema) })
const invitedAgent = t.Object({ agent: agentSchema, link: t.Object({ url: t.String(), expiresAt: time }) })
const linkSchema = t.Object({ url: t.String(), expiresAt: time, purpose: oneOf(LINK_PURPOSES) })
const disabledAgent = t.Object({ agent: agentSchema, unassignedTickets: t.Integer() })

/** Every agent can list agents; only administrators can change them. */
export function agentRoutes(deps: Deps, guard: AgentGuard) {
  const { linkBase } = createPublicAddress(deps.config)
  const noQuery = strictQuery()
  const byAdmin = { transform: [guard.adminsOnly, noQuery] }
  const withBody = { parse: arrive, transform: [...byAdmin.transform, jsonBody] }

  return new Elysia({ name: 'agents/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/agents', async ({ me, as }) => ({ data: (await listAgents(as, me.orgId)).map(viewAgent) }), {
      transform: noQuery,
      response: { 200: agentList },
    })
    .post(
      '/agents',
      async ({ me, as, body, request, status }) => {
        const base = linkBase(request)
        const { agent, link } = await inviteAgent(as, me.orgId, body)
        const { url, expiresAt } = viewLink(base, link)
        return status(201, { agent: viewAgent(agent), link: { url, expiresAt } })
      },
      { ...withBody, body: newAgent, response: { 201: invitedAgent } },
    )
    .post(
      '/programs',
      async ({ me, as, body, status }) => status(201, viewAgent(await createProgram(as, me.orgId, body))),
      { ...withBody, body: newProgram, response: { 201: agentSchema } },
    )
    .put(
      '/agents/:id/picture',
      async ({ me, as, params, body: { picture } }) => {
        const id = requireAgentId(params.id)
        return viewAgent(await setPicture(as, me.orgId, { id, picture, uploader: me.agentId }))
      },
      { ...withBody, params: byId, body: newPicture, response: { 200: agentSchema } },
    )
    .get(
      '/agents/:id/picture',
      async ({ me, as, params: { id }, request }) =>
        fileResponse(request, await readPicture(as, me.orgId, id), 'private, max-age=31536000, immutable'),
      { transform: strictQuery(pictureQuery), params: byId, query: pictureQuery },
    )
    .post(
      '/agents/:id/link',
      async ({ me, as, params, request, status }) => {
        const base = linkBase(request)
        return status(201, viewLink(base, await createLink(as, me.orgId, requireAgentId(params.id))))
      },
      { ...byAdmin, params: byId, response: { 201: linkSchema } },
    )
    .patch(
      '/agents/:id',
      async ({ me, as, params, body }) => {
        const id = requireAgentId(params.id)
        return viewAgent(await changeAgent(as, me.orgId, { id, change: body }))
      },
      { ...withBody, params: byId, body: agentChange, response: { 200: agentSchema } },
    )
    .post(
      '/agents/:id/disable',
      async ({ me, as, params }) => {
        const { agent, unassignedTickets } = await disableAgent(as, me.orgId, requireAgentId(params.id))
        return { agent: viewAgent(agent), unassignedTickets }
      },
      { ...byAdmin, params: byId, response: { 200: disabledAgent } },
    )
    .post(
      '/agents/:id/enable',
      async ({ me, as, params }) => viewAgent(await enableAgent(as, me.orgId, requireAgentId(params.id))),
      { ...byAdmin, params: byId, response: { 200: agentSchema } },
    )
}

/** The verbs also accept emails, for commands. */
function requireAgentId(id: string): string {
  if (!isId('agt', id)) throw notFound('agent')
  return id
}
