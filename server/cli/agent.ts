import type { Command } from 'commander'
import { type Agent, createAgent, enableAgent, listAgents } from '../agents/agents.ts'
import { disableAgent } from '../agents/disable-agent.ts'
import { createLink } from '../agents/one-time-links.ts'
import { viewLink } from '../agents/views.ts'
import { AGENT_ROLES, type AgentRole } from '../database/tables/agents.ts'
import { isoTime, isoTimeOrNull } from '../dates.ts'
import { oneOf, passwordFrom } from './option-values.ts'
import { formatTime, note, print, printJson, printTable } from './output.ts'
import { serverUrl, withOrganization, withOwner } from './with-deps.ts'

export function addAgent(program: Command): void {
  const agent = program.command('agent').description('manage agents')
  addCreate(agent)
  addList(agent)
  addDisable(agent)
  addEnable(agent)
  addLink(agent)
}

interface CreateOptions {
  org: string
  name: string
  email: string
  role: AgentRole
  passwordFile?: string
  json?: true
}

function addCreate(agent: Command): void {
  agent
    .command('create')
    .description('add an agent; prints the id')
    .requiredOption('--org <org>', 'id or name of the organization')
    .requiredOption('--name <name>', 'the name customers see')
    .requiredOption('--email <address>', 'email address')
    .option('--role <role>', AGENT_ROLES.join(' or '), oneOf(AGENT_ROLES), 'agent')
    .option('--password-file <file>', 'file with the password; - reads standard input')
    .option('--json', 'print JSON')
    .action(async ({ org, name, email, role, passwordFile, json }: CreateOptions) => {
      const password = passwordFrom(passwordFile)
      const input = { name, email, role, ...(password !== undefined && { password }) }
      const created = await withOrganization(org, (deps, { id }) => createAgent(deps, id, input))
      if (json) printJson(viewAgent(created))
      else print(created.id)
    })
}

function addList(agent: Command): void {
  agent
    .command('list')
    .description('list agents, oldest first')
    .requiredOption('--org <org>', 'id or name of the organization')
    .option('--json', 'print JSON')
    .action(async ({ org, json }: { org: string; json?: true }) => {
      const found = await withOrganization(org, (deps, { id }) => listAgents(deps, id))
      const agents = found.map(viewAgent)
      if (json) return printJson(agents)
      printTable(
        ['ID', 'NAME', 'EMAIL', 'ROLE', 'CREATED', 'STATE'],
        agents.map((one) => [
          one.id,
          one.name,
          one.email,
          one.role,
          formatTime(one.createdAt),
          one.disabledAt === null ? 'active' : `disabled ${formatTime(one.disabledAt)}`,
        ]),
        'No agents yet. Add one with: bellhop agent create',
      )
    })
}

function addDisable(agent: Command): void {
  agent
    .command('disable <agent>')
    .description("end an agent's access and unassign their tickets, by id; with --org, also by email address")
    .option('--org <org>', 'id or name of the organization')
    .action(async (named: string, { org }: { org?: string }) => {
      const { agent, unassignedTickets } = await withOwner('agent', { named, org }, (deps, orgId) =>
        disableAgent(deps, orgId, named),
      )
      print(`${agent.id} is disabled. ${unassigned(unassignedTickets)}.`)
    })
}

function unassigned(tickets: number): string {
  return tickets === 1 ? '1 ticket was unassigned' : `${tickets} tickets were unassigned`
}

function addEnable(agent: Command): void {
  agent
    .command('enable <agent>')
    .description("restore a disabled agent's access; their former tickets stay unassigned")
    .option('--org <org>', 'id or name of the organization')
    .action(async (named: string, { org }: { org?: string }) => {
      const { id } = await withOwner('agent', { named, org }, (deps, orgId) =>
        enableAgent(deps, orgId, named),
      )
      print(`${id} is enabled.`)
    })
}

function addLink(agent: Command): void {
  agent
    .command('link <agent>')
    .description("print a one-time link to choose a password, and end the agent's sessions")
    .option('--org <org>', 'id or name of the organization')
    .action(async (named: string, { org }: { org?: string }) => {
      const { url, expiresAt } = await withOwner('agent', { named, org }, async (deps, orgId) =>
        viewLink(serverUrl(deps.config), await createLink(deps, orgId, named)),
      )
      print(url)
      note(`The link works once, until ${formatTime(expiresAt)}. Earlier links no longer work.`)
    })
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
