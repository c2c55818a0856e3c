import { Elysia, t } from 'elysia'
import { hasScope, type KeyGuard } from '../api-keys/require-api-key.ts'
import { AGENT_ROLES } from '../database/tables/agents.ts'
import type { Deps } from '../deps.ts'
import { strictQuery } from '../requests/query.ts'
import { oneOf } from '../requests/schemas.ts'
import { type Agent, listAgents } from './agents.ts'

const agent = t.Object(
  {
    id: t.String({ description: 'Agent id.', examples: ['agt_01jq8z5w8wf6r9f5v0h3q1x2yz'] }),
    name: t.String({ examples: ['Ben Okafor'] }),
    role: oneOf(AGENT_ROLES, 'A `program` works through API keys, and can’t sign in.', 'AgentRole'),
    isDisabled: t.Boolean({ description: 'A disabled agent has no access, and gets no tickets.' }),
    email: t.Optional(
      t.String({
        description: 'Only with the scope `agents:read`. Programs have none.',
        examples: ['ben@example.com'],
      }),
    ),
  },
  { $id: 'Agent' },
)
const agentList = t.Object({ data: t.Array(agent) }, { $id: 'AgentList' })

/** The agents and programs of an organization, for programs that assign tickets. */
export function agentApiRoutes(deps: Deps, guard: KeyGuard) {
  return new Elysia({ name: 'agents/v1', prefix: '/v1' }).use(guard.requireApiKey).get(
    '/agents',
    async ({ caller }) => {
      const seesEmail = hasScope(caller, 'agents:read')
      return { data: (await listAgents(deps, caller.orgId)).map((one) => viewColleague(one, seesEmail)) }
    },
    {
      transform: [guard.allow('tickets:read'), strictQuery()],
      response: { 200: agentList },
      detail: listAllAgents,
    },
  )
}

function viewColleague({ id, name, email, role, disabledAt }: Agent, seesEmail: boolean) {
  const isDisabled = disabledAt !== null
  return { id, name, role, isDisabled, ...(seesEmail && email !== '' && { email }) }
}

const listAllAgents = {
  operationId: 'listAgents',
  summary: 'List agents',
  description:
    'Returns all agents and programs of your organization, oldest first, disabled ones too. With the scope `agents:read`, also their email addresses.',
  tags: ['Agents'],
  security: [{ secretKey: ['tickets:read'] }],
  responses: { 200: { description: 'All agents.' } },
}
