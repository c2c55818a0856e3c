import { eq } from 'drizzle-orm'
import { createAgent } from '../agents/agents.ts'
import { inviteAgent } from '../agents/one-time-links.ts'
import { setUp } from '../agents/set-up.ts'
import { createApiKey, revokeApiKey } from '../api-keys/api-keys.ts'
import type { Transaction } from '../database/database.ts'
import { saveDeferred } from '../database/deferred-writes.ts'
import { agents } from '../database/tables/agents.ts'
import { type Actor, actingAs, type Deps } from '../deps.ts'
import { createId } from '../ids.ts'
import { createSavedReply } from '../saved-replies/saved-replies.ts'
import { createView } from '../saved-views/saved-views.ts'
import company from './company.yaml'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

export interface DemoOrganization {
  orgId: string
  /** In the order of the company's. */
  agents: { id: string; name: string }[]
}

/** The same dependencies at another time, so that what they write has the times and ids of then. */
export function depsAt(deps: Deps, time: number, actor: Actor = deps.actor): Deps {
  const clock = { ...deps.clock, now: () => time }
  return { ...actingAs(deps, actor), clock, newId: (prefix) => createId(prefix, time) }
}

/** The same dependencies in a unit that has begun: verbs write in it, and not in one of their own. */
export function depsIn(deps: Deps, tx: Transaction): Deps {
  const write: typeof deps.database.write = async (_, unit, first) => {
    const value = await unit(tx, (await first?.(tx)) as Parameters<typeof unit>[1])
    await saveDeferred(tx)
    return value
  }
  return { ...deps, database: { ...deps.database, write } }
}

/** Creates the organization, set up in its first days from `start` on. All agents have the same password. */
export async function seedOrganization(
  deps: Deps,
  { start, passwordHash }: { start: number; passwordHash: string },
): Promise<DemoOrganization & { key: string }> {
  const [first, ...others] = company.agents
  if (!first) throw new Error('The demo has no agents.')
  const { organization, admin } = await setUp(depsAt(deps, start), {
    org: company.organization,
    admin: first,
  })
  const orgId = organization.id
  const actor: Actor = { kind: 'agent', id: admin.id, name: admin.name, address: '192.0.2.17' }
  const members = [{ id: admin.id, name: admin.name }]
  for (const [day, other] of others.entries()) {
    const { id, name } = await createAgent(depsAt(deps, start + day * HOUR_MS, actor), orgId, other)
    members.push({ id, name })
  }
  await deps.database.write(orgId, async (tx) => {
    await tx.update(agents).set({ passwordHash }).where(eq(agents.orgId, orgId))
  })
  await inviteAgent(depsAt(deps, start + 28 * DAY_MS, actor), orgId, company.invited)
  const key = await addKeys(deps, { orgId, actor, start })
  for (const [hour, reply] of company.savedReplies.entries()) {
    const at = start + DAY_MS + hour * HOUR_MS
    await createSavedReply(depsAt(deps, at, actor), orgId, { ...reply, agentId: admin.id })
  }
  for (const view of company.savedViews) {
    await createView(
      depsAt(deps, start + 2 * DAY_MS, actor),
      orgId,
      { agentId: admin.id, role: 'admin' },
      view,
    )
  }
  return { orgId, agents: members, key }
}

/** Returns the secret of the key for the visitor. */
async function addKeys(
  deps: Deps,
  { orgId, actor, start }: { orgId: string; actor: Actor; start: number },
): Promise<string> {
  const onDay = (day: number) => depsAt(deps, start + day * DAY_MS, actor)
  await createApiKey(onDay(1), orgId, {
    name: 'Shop system',
    kind: 'secret',
    scopes: ['tickets:read', 'tickets:write'],
  })
  await createApiKey(onDay(1), orgId, { name: 'Website widget', kind: 'public' })
  const old = await createApiKey(onDay(2), orgId, { name: 'Trial script', kind: 'secret', rateLimit: 60 })
  await revokeApiKey(onDay(9), orgId, old.key.id)
  const { secret } = await createApiKey(onDay(27), orgId, { name: 'Try the API', kind: 'secret' })
  return secret
}
