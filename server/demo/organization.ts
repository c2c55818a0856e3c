import { eq } from 'drizzle-orm'
import { createAgent } from '../agents/agents.ts'
import { inviteAgent } from '../agents/one-time-links.ts'
import { setUp } from '../agents/set-up.ts'
import { createApiKey, revokeApiKey } from '../api-keys/api-keys.ts'
import { agents } from '../database/tables/agents.ts'
import type { Actor, Deps } from '../deps.ts'
import { createSavedReply } from '../saved-replies/saved-replies.ts'
import { createView } from '../saved-views/saved-views.ts'
import { at } from './at.ts'
import type { Place } from './conversations.ts'
import { AGENTS, ORGANIZATION, SAVED_REPLIES, SAVED_VIEWS } from './people.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** The organization as it was set up in the first days, `start` being the first; all agents have one password. */
export async function furnish(
  deps: Deps,
  { start, passwordHash }: { start: number; passwordHash: string },
): Promise<Place & { key: string }> {
  const [first, ...others] = AGENTS
  if (!first) throw new Error('Nobody works here.')
  const { organization, admin } = await setUp(at(deps, start), { org: ORGANIZATION, admin: first })
  const orgId = organization.id
  const actor: Actor = { kind: 'agent', id: admin.id, name: admin.name, address: '192.0.2.17' }
  const made = [{ id: admin.id, name: admin.name }]
  for (const [day, other] of others.entries()) {
    const { id, name } = await createAgent(at(deps, start + day * HOUR_MS, actor), orgId, other)
    made.push({ id, name })
  }
  await deps.database.write(async (tx) => {
    await tx.update(agents).set({ passwordHash }).where(eq(agents.orgId, orgId))
  })
  const invited = { name: 'Tomás Herrera', email: 'tomas@parcelbird.example', role: 'agent' as const }
  await inviteAgent(at(deps, start + 28 * DAY_MS, actor), orgId, invited)
  const key = await addKeys(deps, { orgId, actor, start })
  for (const [hour, reply] of SAVED_REPLIES.entries()) {
    await createSavedReply(at(deps, start + DAY_MS + hour * HOUR_MS, actor), orgId, reply)
  }
  for (const view of SAVED_VIEWS) {
    await createView(at(deps, start + 2 * DAY_MS, actor), orgId, { agentId: admin.id, role: 'admin' }, view)
  }
  return { orgId, agents: made, key }
}

/** Answers the secret of the key that the visitor may use. */
async function addKeys(
  deps: Deps,
  { orgId, actor, start }: { orgId: string; actor: Actor; start: number },
): Promise<string> {
  const then = (day: number) => at(deps, start + day * DAY_MS, actor)
  await createApiKey(then(1), orgId, {
    name: 'Shop system',
    kind: 'secret',
    scopes: ['tickets:read', 'tickets:write'],
  })
  await createApiKey(then(1), orgId, { name: 'Website widget', kind: 'public' })
  const old = await createApiKey(then(2), orgId, { name: 'Trial script', kind: 'secret', rateLimit: 60 })
  await revokeApiKey(then(9), orgId, old.key.id)
  const { secret } = await createApiKey(then(27), orgId, { name: 'Try the API', kind: 'secret' })
  return secret
}
