import { Type } from '@sinclair/typebox'
import { listAgents } from '../../agents/agents.ts'
import { describeCaller } from '../../api-keys/describe-caller.ts'
import { hasScope } from '../../api-keys/require-api-key.ts'
import { AGENT_ROLES } from '../../database/tables/agents.ts'
import { KEY_SCOPES } from '../../database/tables/api-keys.ts'
import { oneOf } from '../../requests/schemas.ts'
import { listTags } from '../../tags/tags.ts'
import { channel } from '../schemas.ts'
import { defineTool } from '../tool.ts'

/** Those that can be assigned come first, and the tags that the most tickets have. */
const MAX_AGENTS = 200
const MAX_TAGS = 200

const closed = { additionalProperties: false }
const CALLER_KINDS = ['agent', 'program', 'key'] as const

export const getWorkspace = defineTool({
  name: 'get_workspace',
  title: 'Get the workspace',
  description:
    'Returns what names to use with the other tools: who you are here and what you may do, the agents and programs that tickets can be assigned to, the tags, and the channels.',
  scope: 'tickets:read',
  input: Type.Object({}, closed),
  output: Type.Object(
    {
      organization: Type.String(),
      me: Type.Object(
        {
          kind: oneOf(CALLER_KINDS),
          name: Type.String(),
          agent: Type.Optional(Type.String({ description: 'Your id as an agent or a program.' })),
          scopes: Type.Array(oneOf(KEY_SCOPES)),
          callsPerMinute: Type.Integer(),
        },
        closed,
      ),
      agents: Type.Array(
        Type.Object(
          {
            id: Type.String(),
            name: Type.String(),
            role: oneOf(AGENT_ROLES),
            isDisabled: Type.Boolean(),
            email: Type.Optional(Type.String()),
          },
          closed,
        ),
        { description: `At most ${MAX_AGENTS}. No ticket can be assigned to a disabled one.` },
      ),
      tags: Type.Array(Type.Object({ name: Type.String(), tickets: Type.Integer() }, closed), {
        description: `At most ${MAX_TAGS}: those of the most tickets.`,
      }),
      channels: Type.Array(
        Type.Object(
          {
            kind: channel,
            undoSeconds: Type.Integer({
              description: 'How long a reply waits before it is sent, so that an agent can take it back.',
            }),
          },
          closed,
        ),
      ),
    },
    closed,
  ),
  effect: 'reads',
  async run({ deps, caller }) {
    const { orgId, kind, agentId } = caller
    const { read } = deps.database
    const seesEmail = hasScope(caller, 'agents:read')
    const { organization, key, limits } = await describeCaller(deps, caller)
    const agents = await listAgents(deps, orgId)
    const tags = await listTags(deps, orgId)
    const channels = deps.channels.all.map(async (one) => ({
      kind: one.kind,
      undoSeconds: await one.undoSeconds(read, orgId),
    }))
    return {
      data: {
        organization: organization.name,
        me: {
          kind,
          name: caller.name,
          ...(agentId !== undefined && { agent: agentId }),
          scopes: key.scopes,
          callsPerMinute: limits.requestsPerMinute,
        },
        agents: agents
          .toSorted((one, other) => Number(one.disabledAt !== null) - Number(other.disabledAt !== null))
          .slice(0, MAX_AGENTS)
          .map(({ id, name, role, disabledAt, email }) => ({
            ...{ id, name, role, isDisabled: disabledAt !== null },
            ...(seesEmail && email !== '' && { email }),
          })),
        tags: tags
          .toSorted((one, other) => other.total - one.total)
          .slice(0, MAX_TAGS)
          .map(({ tag, total }) => ({ name: tag, tickets: total })),
        channels: await Promise.all(channels),
      },
    }
  },
})
