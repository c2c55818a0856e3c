import { and, asc, eq, inArray, isNull, or, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import {
  type AgentRole,
  agents,
  type Channel,
  type TicketStatus,
  tickets,
  ticketTags,
} from '../database/schema.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { requireName } from '../organizations/organizations.ts'
import { type CounterChanges, counterChanges, moveCounters } from '../tickets/counters.ts'

export interface Agent {
  id: string
  orgId: string
  name: string
  email: string
  role: AgentRole
  disabledAt: number | null
  createdAt: number
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const MOST_EMAIL_LENGTH = 254
const LEAST_PASSWORD_LENGTH = 10
const UNASSIGNED_AT_ONCE = 500

const columns = {
  id: agents.id,
  orgId: agents.orgId,
  name: agents.name,
  email: agents.email,
  role: agents.role,
  disabledAt: agents.disabledAt,
  createdAt: agents.createdAt,
}

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
  await deps.database.write((tx) => insertAgent(tx, prepared))
  return prepared.agent
}

/** What is slow or may be refused, before the unit that inserts the agent. */
export async function prepareAgent(deps: Deps, orgId: string, input: NewAgent) {
  const agent: Agent = {
    id: deps.newId('agt'),
    orgId,
    name: requireName(input.name),
    email: requireEmail(input.email),
    role: input.role,
    disabledAt: null,
    createdAt: deps.clock.now(),
  }
  return { agent, passwordHash: input.password === undefined ? null : await hashPassword(input.password) }
}

export async function insertAgent(
  tx: Transaction,
  { agent, passwordHash }: Awaited<ReturnType<typeof prepareAgent>>,
): Promise<void> {
  const saved = await tx
    .insert(agents)
    .values({ ...agent, emailKey: agent.email.toLowerCase(), passwordHash })
    .onConflictDoNothing()
    .returning({ id: agents.id })
  if (saved.length === 0) {
    throw new AppError(409, 'agent_exists', `There is already an agent with the address ${agent.email}.`)
  }
}

/** Oldest first. */
export function listAgents(deps: Deps, orgId: string): Promise<Agent[]> {
  return deps.database.read
    .select(columns)
    .from(agents)
    .where(eq(agents.orgId, orgId))
    .orderBy(asc(agents.createdAt), asc(agents.id))
}

/**
 * Ends an agent's access, by id or address, and unassigns their tickets a slice at a time. When it was cut short,
 * doing it again unassigns the rest. Throws 404, and 409 for the last enabled administrator.
 */
export async function disableAgent(
  deps: Deps,
  orgId: string,
  idOrEmail: string,
): Promise<{ id: string; unassignedTickets: number }> {
  const agent = await deps.database.write(async (tx) => {
    const isTheAgent = or(eq(agents.id, idOrEmail), eq(agents.emailKey, idOrEmail.toLowerCase()))
    const admins = await lockEnabledAdmins(tx, orgId)
    const [disabled] = await tx
      .update(agents)
      .set({ disabledAt: sql`coalesce(${agents.disabledAt}, ${deps.clock.now()})` })
      .where(and(eq(agents.orgId, orgId), isTheAgent))
      .returning(columns)
    if (!disabled) throw notFound('agent')
    if (admins.length === 1 && admins[0]?.id === disabled.id) throw lastAdministrator()
    return disabled
  })
  let unassignedTickets = 0
  for (let some = UNASSIGNED_AT_ONCE; some === UNASSIGNED_AT_ONCE; unassignedTickets += some) {
    some = await unassignSome(deps, agent)
  }
  return { id: agent.id, unassignedTickets }
}

/** Two administrators may be disabling each other: whoever has the rows is alone. */
function lockEnabledAdmins(tx: Transaction, orgId: string): Promise<{ id: string }[]> {
  return tx
    .update(agents)
    .set({ disabledAt: sql`${agents.disabledAt}` })
    .where(and(eq(agents.orgId, orgId), eq(agents.role, 'admin'), isNull(agents.disabledAt)))
    .returning({ id: agents.id })
}

function lastAdministrator(): AppError {
  const detail =
    'This is the last enabled administrator of the organization. Add or enable another one first.'
  return new AppError(409, 'last_administrator', detail)
}

/** How many; fewer than `UNASSIGNED_AT_ONCE` when there are no more. */
function unassignSome(deps: Deps, agent: Agent): Promise<number> {
  const { orgId, id: agentId } = agent
  return deps.database.write(async (tx) => {
    const now = deps.clock.now()
    const some = tx
      .select({ id: tickets.id })
      .from(tickets)
      .where(and(eq(tickets.orgId, orgId), eq(tickets.assignedTo, agentId)))
      .limit(UNASSIGNED_AT_ONCE)
    const changed = await tx
      .update(tickets)
      .set({ assignedTo: '', version: sql`${tickets.version} + 1`, updatedAt: now })
      .where(and(eq(tickets.orgId, orgId), eq(tickets.assignedTo, agentId), inArray(tickets.id, some)))
      .returning({
        id: tickets.id,
        status: tickets.status,
        channel: tickets.channel,
        isSpam: tickets.isSpam,
      })
    if (changed.length === 0) return 0
    const ids = changed.map(({ id }) => id)
    await tx
      .update(ticketTags)
      .set({ updatedAt: now })
      .where(and(eq(ticketTags.orgId, orgId), inArray(ticketTags.ticketId, ids)))
    await recordEvents(
      deps,
      tx,
      orgId,
      ids.map((ticketId) => ({ type: 'ticket.updated', ticketId, createdAt: now })),
    )
    await moveCounters(tx, orgId, sumOfChanges(changed, agentId))
    return changed.length
  })
}

function sumOfChanges(
  changed: { status: TicketStatus; channel: Channel; isSpam: boolean }[],
  agentId: string,
): CounterChanges {
  const sum: CounterChanges = new Map()
  for (const ticket of changed) {
    const before = { ...ticket, assignedTo: agentId, tags: [] }
    for (const [filter, by] of counterChanges(before, { ...before, assignedTo: '' })) {
      sum.set(filter, (sum.get(filter) ?? 0) + by)
    }
  }
  return sum
}

function requireEmail(email: string): string {
  const trimmed = email.trim()
  if (EMAIL.test(trimmed) && trimmed.length <= MOST_EMAIL_LENGTH) return trimmed
  throw invalid([{ pointer: '/email', code: 'invalid_format', detail: 'Must be an e-mail address.' }])
}

async function hashPassword(password: string): Promise<string> {
  if (password.length < LEAST_PASSWORD_LENGTH) {
    const detail = `Needs at least ${LEAST_PASSWORD_LENGTH} characters.`
    throw invalid([{ pointer: '/password', code: 'too_short', detail }])
  }
  return Bun.password.hash(password, { algorithm: 'argon2id' })
}
