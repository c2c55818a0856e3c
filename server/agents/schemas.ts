import { t } from 'elysia'
import { AGENT_ROLES } from '../database/tables/agents.ts'
import { LINK_PURPOSES } from '../database/tables/sessions.ts'
import { oneOf } from '../requests/choices.ts'
import { AGENT_STATES } from './views.ts'

const time = t.String({ format: 'date-time' })
const strict = { additionalProperties: false }

// The verbs validate names and emails.
const name = t.String({ maxLength: 1_000 })
const role = oneOf(AGENT_ROLES)

export const newAgent = t.Object({ name, email: t.String({ maxLength: 1_000 }), role }, strict)
export const agentChange = t.Object({ name: t.Optional(name), role: t.Optional(role) }, strict)

export const agent = t.Object({
  id: t.String(),
  name: t.String(),
  email: t.String(),
  role,
  state: oneOf(AGENT_STATES),
  createdAt: time,
  lastSeenAt: t.Optional(time),
})
export const agentList = t.Object({ data: t.Array(agent) })
export const invitedAgent = t.Object({ agent, link: t.Object({ url: t.String(), expiresAt: time }) })
export const link = t.Object({ url: t.String(), expiresAt: time, purpose: oneOf(LINK_PURPOSES) })
export const disabledAgent = t.Object({ agent, unassignedTickets: t.Integer() })
