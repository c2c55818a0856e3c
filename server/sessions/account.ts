import { and, desc, gt, ne } from 'drizzle-orm'
import { endLinks, endSessions } from '../agents/agents.ts'
import { hashPassword, isPassword } from '../agents/password.ts'
import { recordAudit } from '../audit/audit.ts'
import { matches } from '../database/matches.ts'
import { agents } from '../database/tables/agents.ts'
import { sessions } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'
import { invalid, notFound } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { isId } from '../ids.ts'
import { MAX_SIGNATURE_LENGTH } from '../organizations/settings.ts'
import { deviceName } from './device.ts'
import type { SignedIn } from './sessions.ts'

export type BrowserSession = Pick<
  typeof sessions.$inferSelect,
  'id' | 'device' | 'address' | 'createdAt' | 'lastSeenAt'
>

/** The browsers where an agent is signed in, most recently used first. */
export function listSessions(deps: Deps, { orgId, agentId }: SignedIn): Promise<BrowserSession[]> {
  const { id, device, address, createdAt, lastSeenAt } = sessions
  return deps.database.read
    .select({ id, device, address, createdAt, lastSeenAt })
    .from(sessions)
    .where(and(matches(sessions, { orgId, agentId }), gt(sessions.expiresAt, deps.clock.now())))
    .orderBy(desc(sessions.lastSeenAt), desc(sessions.id))
}

/** Ends one of the agent's sessions. Throws 404. */
export async function revokeSession(deps: Deps, me: SignedIn, id: string): Promise<void> {
  if (!isId('ses', id)) throw notFound('session')
  await deps.database.write(me.orgId, async (tx) => {
    const [ended] = await tx
      .delete(sessions)
      .where(matches(sessions, { orgId: me.orgId, agentId: me.agentId, id }))
      .returning({ device: sessions.device })
    if (!ended) throw notFound('session')
    const subject = { id, label: deviceName(ended.device) }
    await recordAudit(deps, tx, me.orgId, { action: 'session.revoked', subject })
  })
}

/** Ends the agent's other sessions. Returns how many. */
export function revokeOtherSessions(deps: Deps, me: SignedIn): Promise<number> {
  return deps.database.write(me.orgId, async (tx) => {
    const ended = await endSessions(tx, me, me.sessionId)
    if (ended === 0) return 0
    await recordAudit(deps, tx, me.orgId, {
      action: 'session.others_revoked',
      subject: { id: me.agentId, label: me.email },
      detail: { ended },
    })
    return ended
  })
}

/** Changes the password and ends the agent's other sessions and links. Throws 400 for a wrong current or an invalid new password. */
export async function changePassword(
  deps: Deps,
  me: SignedIn,
  input: { current: string; password: string },
): Promise<void> {
  const { orgId, agentId } = me
  const [agent] = await deps.database.read
    .select({ passwordHash: agents.passwordHash })
    .from(agents)
    .where(matches(agents, { orgId, id: agentId }))
  const before = agent?.passwordHash ?? null
  if (before === null || !(await isPassword(deps, input.current, before))) throw wrongPassword()
  const passwordHash = await hashPassword(deps, input.password)
  await deps.database.write(orgId, async (tx) => {
    // Fails when the password was changed or reset since it was checked.
    const changed = await tx
      .update(agents)
      .set({ passwordHash })
      .where(matches(agents, { orgId, id: agentId, passwordHash: before }))
      .returning({ id: agents.id })
    if (changed.length === 0) throw wrongPassword()
    await endSessions(tx, me, me.sessionId)
    await endLinks(tx, me)
    await recordAudit(deps, tx, orgId, {
      action: 'agent.password_set',
      subject: { id: agentId, label: me.email },
    })
  })
}

/** The agent's own signature, in Markdown. */
export async function readSignature(deps: Deps, { orgId, agentId }: SignedIn): Promise<string> {
  const [agent] = await deps.database.read
    .select({ signature: agents.signature })
    .from(agents)
    .where(isAgent(orgId, agentId))
  if (!agent) throw notFound('agent')
  return agent.signature
}

/** Returns it as it was stored, trimmed at the end. Throws 400 when it is too long. */
export async function changeSignature(deps: Deps, me: SignedIn, input: string): Promise<string> {
  const { orgId, agentId, email } = me
  const signature = input.trimEnd()
  if (signature.length > MAX_SIGNATURE_LENGTH) {
    const detail = `Must be at most ${MAX_SIGNATURE_LENGTH} characters.`
    throw invalid([{ pointer: '/signature', code: 'too_long', detail }])
  }
  await deps.database.write(orgId, async (tx) => {
    const isChanged = and(isAgent(orgId, agentId), ne(agents.signature, signature))
    const changed = await tx.update(agents).set({ signature }).where(isChanged).returning({ id: agents.id })
    if (changed.length === 0) return
    await recordAudit(deps, tx, orgId, {
      action: 'agent.signature_changed',
      subject: { id: agentId, label: email },
    })
    recordWorkspaceChange(deps, tx, orgId)
  })
  return signature
}

/** Whether Enter sends what the agent writes in a chat. */
export async function changeSendKey(
  deps: Deps,
  { orgId, agentId }: SignedIn,
  sendsByEnter: boolean,
): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    await tx.update(agents).set({ sendsByEnter }).where(isAgent(orgId, agentId))
  })
}

function isAgent(orgId: string, id: string) {
  return matches(agents, { orgId, id })
}

function wrongPassword() {
  const detail = "This isn't your current password."
  return invalid([{ pointer: '/current', code: 'wrong_password', detail }])
}
