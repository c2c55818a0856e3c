import { and, asc, eq, getTableColumns, inArray, isNull, ne, or, sql } from 'drizzle-orm'
import { forgetCachedKeys } from '../api-keys/api-keys.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { agents, type PersonRole } from '../database/tables/agents.ts'
import { agentLinks, grantTokens, programGrants, sessions } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { requireName } from '../organizations/organizations.ts'
import { hashPassword } from './password.ts'

const {
  emailKey: _,
  signature: _signature,
  sendsByEnter: _sendsByEnter,
  passwordHash,
  ...shown
} = getTableColumns(agents)
const agentColumns = {
  ...shown,
  /** Whether a password is set. */
  canSignIn: sql`${passwordHash} is not null`.mapWith(Boolean),
}

export type Agent = Pick<typeof agents.$inferSelect, keyof typeof shown> & { canSignIn: boolean }

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const MAX_EMAIL_LENGTH = 254

export interface NewAgent {
  name: string
  email: string
  role: PersonRole
  /** At least 10 characters. Without one the agent can't sign in yet. */
  password?: string
}

/** Throws 400 for an invalid name, email or password, and 409 when another agent has the email. */
export async function createAgent(deps: Deps, orgId: string, input: NewAgent): Promise<Agent> {
  const prepared = await prepareAgent(deps, orgId, input)
  const { id, role, email } = prepared.agent
  await deps.database.write(orgId, async (tx) => {
    await insertAgent(tx, prepared)
    await recordAudit(deps, tx, orgId, {
      action: 'agent.created',
      subject: { id, label: email },
      detail: { role },
    })
    recordWorkspaceChange(deps, tx, orgId)
  })
  return prepared.agent
}

export interface PreparedAgent {
  agent: Agent
  passwordHash: string | null
}

/** Validates the input and hashes the password, which is slow, before the unit that inserts the agent. */
export async function prepareAgent(deps: Deps, orgId: string, input: NewAgent): Promise<PreparedAgent> {
  const agent: Agent = {
    id: deps.newId('agt'),
    orgId,
    name: requireName(input.name),
    email: requireEmail(input.email),
    role: input.role,
    picture: null,
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
    .values({ ...agent, emailKey: addressKey(agent.email) || agent.id, passwordHash })
    .onConflictDoNothing()
    .returning({ id: agents.id })
  if (saved.length === 0) {
    throw new AppError(409, 'agent_exists', `An agent with the email ${agent.email} already exists.`)
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

interface AgentChange {
  name?: string
  role?: PersonRole
}

/** Changes the given fields. Throws 404, 400 for an invalid name, and 409 for the last administrator and a program's role. */
export async function changeAgent(
  deps: Deps,
  orgId: string,
  { id, change }: { id: string; change: AgentChange },
): Promise<Agent> {
  const name = change.name === undefined ? undefined : requireName(change.name)
  const changed = await deps.database.write(orgId, async (tx) => {
    const admins = change.role === undefined ? [] : await lockEnabledAdmins(tx, orgId)
    const before = await lockAgent(tx, orgId, id)
    if (change.role !== undefined) requirePerson(before)
    const after = { ...before, name: name ?? before.name, role: change.role ?? before.role }
    if (after.name === before.name && after.role === before.role) return before
    if (after.role !== 'admin') requireOtherAdmin(admins, before)
    const { role } = after
    await tx.update(agents).set({ name: after.name, role }).where(matches(agents, { orgId, id }))
    await auditChanges(deps, tx, before, after)
    recordWorkspaceChange(deps, tx, orgId)
    return after
  })
  forgetKeysOf(deps, changed)
  return changed
}

/** Restores a disabled agent's access, by id or email. Their former tickets stay unassigned. Throws 404. */
export async function enableAgent(deps: Deps, orgId: string, idOrEmail: string): Promise<Agent> {
  const enabled = await deps.database.write(orgId, async (tx) => {
    const agent = await lockAgent(tx, orgId, idOrEmail)
    if (agent.disabledAt === null) return agent
    const { id } = agent
    await tx.update(agents).set({ disabledAt: null }).where(matches(agents, { orgId, id }))
    await recordAudit(deps, tx, orgId, { action: 'agent.enabled', subject: subjectOf(agent) })
    recordWorkspaceChange(deps, tx, orgId)
    return { ...agent, disabledAt: null }
  })
  forgetKeysOf(deps, enabled)
  return enabled
}

/** How the audit log names an agent. */
export function subjectOf({ id, email, name }: Agent): { id: string; label: string } {
  return { id, label: email || name }
}

/** The keys of a program act under its name, until it is disabled. Call it after the unit. */
export function forgetKeysOf(deps: Deps, { role }: Agent): void {
  if (role === 'program') forgetCachedKeys(deps)
}

/** Throws 409 for a program, which has no other role, and no password. */
export function requirePerson({ role }: Agent): void {
  if (role !== 'program') return
  throw new AppError(409, 'is_program', "This is a program. It can't sign in, and has no other role.")
}

/** Locks an agent's row, by id or email. Throws 404. */
export async function lockAgent(tx: Transaction, orgId: string, idOrEmail: string): Promise<Agent> {
  const isTheAgent = or(eq(agents.id, idOrEmail), eq(agents.emailKey, idOrEmail.toLowerCase()))
  const [agent] = await tx
    .update(agents)
    .set({ disabledAt: sql`${agents.disabledAt}` })
    .where(and(eq(agents.orgId, orgId), isTheAgent))
    .returning(agentColumns)
  if (!agent) throw notFound('agent')
  return agent
}

/** Locks the enabled administrators, so that two of them can't disable each other. Call it before `lockAgent`. */
export function lockEnabledAdmins(tx: Transaction, orgId: string): Promise<Agent[]> {
  return tx
    .update(agents)
    .set({ disabledAt: sql`${agents.disabledAt}` })
    .where(and(matches(agents, { orgId, role: 'admin' }), isNull(agents.disabledAt)))
    .returning(agentColumns)
}

/** Throws 409 when no other administrator would be left who can sign in. */
export function requireOtherAdmin(admins: Agent[], agent: Agent): void {
  if (!admins.some(({ id }) => id === agent.id)) return
  const others = admins.filter(({ id }) => id !== agent.id)
  if (others.some(({ canSignIn }) => canSignIn || !agent.canSignIn)) return
  const detail =
    others.length === 0
      ? "This is the organization's last enabled administrator. Add or enable another one first."
      : 'This is the last administrator who can sign in. The others must accept their invitations first.'
  throw new AppError(409, 'last_administrator', detail)
}

/** The form in which emails are compared. */
export function addressKey(email: string): string {
  return email.trim().toLowerCase()
}

async function auditChanges(deps: Deps, tx: Transaction, before: Agent, after: Agent): Promise<void> {
  const { orgId } = before
  const subject = subjectOf(before)
  if (after.name !== before.name) {
    const detail = { from: before.name, to: after.name }
    await recordAudit(deps, tx, orgId, { action: 'agent.renamed', subject, detail })
  }
  if (after.role !== before.role) {
    const detail = { from: before.role, to: after.role }
    await recordAudit(deps, tx, orgId, { action: 'agent.role_changed', subject, detail })
  }
}

function requireEmail(email: string): string {
  const trimmed = email.trim()
  if (EMAIL.test(trimmed) && trimmed.length <= MAX_EMAIL_LENGTH) return trimmed
  throw invalid([{ pointer: '/email', code: 'invalid_format', detail: 'Must be an email address.' }])
}

interface OfAgent {
  orgId: string
  agentId: string
}

/** Ends an agent's sessions, optionally all but one. Returns how many. */
export async function endSessions(
  tx: Transaction,
  { orgId, agentId }: OfAgent,
  exceptId?: string,
): Promise<number> {
  const isOther = exceptId === undefined ? undefined : ne(sessions.id, exceptId)
  const ended = await tx
    .delete(sessions)
    .where(and(matches(sessions, { orgId, agentId }), isOther))
    .returning({ id: sessions.id })
  return ended.length
}

/** Deletes the links with which an agent could set a password. */
export async function endLinks(tx: Transaction, { orgId, agentId }: OfAgent): Promise<void> {
  await tx.delete(agentLinks).where(matches(agentLinks, { orgId, agentId }))
}

/** Ends the access of the programs that act for an agent. */
export async function endGrants(tx: Transaction, { orgId, agentId }: OfAgent): Promise<void> {
  // Locked before their tokens, as by a request that uses one.
  const locked = await tx
    .update(programGrants)
    .set({ expiresAt: sql`${programGrants.expiresAt}` })
    .where(matches(programGrants, { orgId, agentId }))
    .returning({ id: programGrants.id })
  const ids = locked.map(({ id }) => id)
  await tx.delete(grantTokens).where(inArray(grantTokens.grantId, ids))
  await tx.delete(programGrants).where(matches(programGrants, { orgId, agentId }))
}
