import type { Command } from 'commander'
import { type Agent, createAgent, enableAgent, listAgents } from '../agents/agents.ts'
import { disableAgent } from '../agents/disable-agent.ts'
import { createLink } from '../agents/one-time-links.ts'
import { createProgram } from '../agents/programs.ts'
import { viewLink } from '../agents/views.ts'
import { AGENT_ROLES, type AgentRole } from '../database/tables/agents.ts'
import { isoTime, isoTimeOrNull } from '../dates.ts'
import type { Deps } from '../deps.ts'
import { UsageError } from '../errors.ts'
import { addList, addOfOrg, addOnOne } from './commands.ts'
import { oneOf, passwordFrom } from './option-values.ts'
import { formatTime, note, print, printJson } from './output.ts'
import { serverUrl } from './with-deps.ts'

export function addAgent(program: Command): void {
  const agent = program.command('agent').description('manage agents')
  addOfOrg(agent, 'create', {
    description: 'add an agent or a program; prints the id',
    run: create,
    print: (made, { json }) => (json ? printJson(viewAgent(made)) : print(made.id)),
  })
    .requiredOption('--name <name>', 'the name customers see')
    .option('--email <address>', 'email address; a program has none')
    .option(
      '--role <role>',
      `${AGENT_ROLES.join(', ')}; a program works through API keys, see: bellhop key create --as`,
      oneOf(AGENT_ROLES),
      'agent',
    )
    .option('--password-file <file>', 'file with the password; - reads standard input')
    .option('--json', 'print JSON')
  addList(agent, {
    description: 'list agents, oldest first',
    find: async (deps, orgId) => (await listAgents(deps, orgId)).map(viewAgent),
    columns: {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      EMAIL: ({ email }) => email || '-',
      ROLE: ({ role }) => role,
      CREATED: ({ createdAt }) => formatTime(createdAt),
      STATE: ({ disabledAt }) => (disabledAt === null ? 'active' : `disabled ${formatTime(disabledAt)}`),
    },
    whenEmpty: 'No agents yet. Add one with: bellhop agent create',
  })
  addOnOne(agent, 'disable <agent>', {
    what: 'agent',
    description: "end an agent's access and unassign their tickets, by id; with --org, also by email address",
    run: disableAgent,
    print: ({ agent: { id }, unassignedTickets: tickets }) => {
      print(`${id} is disabled. ${tickets === 1 ? '1 ticket was' : `${tickets} tickets were`} unassigned.`)
    },
  }).option('--org <org>', 'id or name of the organization')
  addOnOne(agent, 'enable <agent>', {
    what: 'agent',
    description: "restore a disabled agent's access; their former tickets stay unassigned",
    run: enableAgent,
    print: ({ id }) => print(`${id} is enabled.`),
  }).option('--org <org>', 'id or name of the organization')
  addOnOne(agent, 'link <agent>', {
    what: 'agent',
    description: "print a one-time link to choose a password, and end the agent's sessions",
    run: async (deps, orgId, named) => viewLink(serverUrl(deps.config), await createLink(deps, orgId, named)),
    print: ({ url, expiresAt }) => {
      print(url)
      note(`The link works once, until ${formatTime(expiresAt)}. Earlier links no longer work.`)
    },
  }).option('--org <org>', 'id or name of the organization')
}

function create(deps: Deps, orgId: string, { name, email, role, passwordFile }: CreateOptions) {
  if (role === 'program') {
    if (email === undefined && passwordFile === undefined) return createProgram(deps, orgId, { name })
    throw new UsageError('A program has neither --email nor --password-file: it can’t sign in.')
  }
  if (email === undefined) throw new UsageError('An agent needs --email <address>.')
  const password = passwordFrom(passwordFile)
  return createAgent(deps, orgId, { name, email, role, ...(password !== undefined && { password }) })
}

interface CreateOptions {
  name: string
  email?: string
  role: AgentRole
  passwordFile?: string
  json?: true
}

function viewAgent({ id, name, email, role, disabledAt, createdAt }: Agent) {
  return {
    id,
    name,
    email,
    role,
    disabledAt: isoTimeOrNull(disabledAt),
    createdAt: isoTime(createdAt),
  }
}
