import { asc, eq } from 'drizzle-orm'
import { recordAudit } from '../audit/audit.ts'
import type { Transaction } from '../database/database.ts'
import { type AgentRole, agents } from '../database/tables/agents.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid } from '../errors.ts'
import { recordWorkspaceChange } from '../events/workspace-changed.ts'
import { requireName } from '../organizations/organizations.ts'
import { agentColumns } from './agent-rows.ts'
import { hashPassword } from './password.ts'

export interface Agent {
  id: string
  orgId: string
  name: string
  email: string
  role: AgentRole
  /** Has chosen a password. */
  canSignIn: boolean
  lastSeenAt: number | null
  disabledAt: number | null
  createdAt: number
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const MOST_EMAIL_LENGTH = 254

export interface NewAgent {
  name: string
  email: string
  role: AgentRole
  /** At least ten characters; without one the agent cannot sign in yet. */
  password?: string
}

/** Throws 400 for a wrong name, address or password, 409 when the organization has an agent with this address. */
export async function createAgent(deps: Deps, orgId: string, input: NewAgent): Promise<Agent> {
  const prepared = await prepareAgent(deps, orgId, input)
  const { id, role, email } = prepared.agent
  await deps.database.write(async (tx) => {
    await insertAgent(tx, prepared)
    await recordAudit(deps, tx, orgId, {
      action: 'agent.created',
      subject: { id, label: email },
      detail: { role },
    })
    await recordWorkspaceChange(deps, tx, orgId)
  })
  return prepared.agent
}

export interface PreparedAgent {
  agent: Agent
  passwordHash: string | null
}

/** What is slow or may be refused, before the unit that inserts the agent. */
export async function prepareAgent(deps: Deps, orgId: string, input: NewAgent): Promise<PreparedAgent> {
  const agent: Agent = {
    id: deps.newId('agt'),
    orgId,
    name: requireName(input.name),
    email: requireEmail(input.email),
    role: input.role,
    canSignIn: input.password !== undefined,
    lastSeenAt: null,
    disabledAt: null,
    createdAt: deps.clock.now(),
  }
  return {
    agent,
    passwordHash: input.password === undefined ? null : await hashPassword(deps, input.password),
  }
}

export async function insertAgent(tx: Transaction, { agent, passwordHash }: PreparedAgent): Promise<void> {
  const saved = await tx
    .insert(agents)
    .values({ ...agent, emailKey: addressKey(agent.email), passwordHash })
    .onConflictDoNothing()
    .returning({ id: agents.id })
  if (saved.length === 0) {
    throw new AppError(409, 'agent_exists', `There is already an agent with the address ${agent.email}.`)
  }
}

/** Oldest first. */
export function listAgents(deps: Deps, orgId: string): Promise<Agent[]> {
  return deps.database.read
    .select(agentColumns)
    .from(agents)
    .where(eq(agents.orgId, orgId))
    .orderBy(asc(agents.createdAt), asc(agents.id))
}

/** What makes an address the same as another. */
export function addressKey(email: string): string {
  return email.trim().toLowerCase()
}

function requireEmail(email: string): string {
  const trimmed = email.trim()
  if (EMAIL.test(trimmed) && trimmed.length <= MOST_EMAIL_LENGTH) return trimmed
  throw invalid([{ pointer: '/email', code: 'invalid_format', detail: 'Must be an e-mail address.' }])
}
