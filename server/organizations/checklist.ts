import { and, eq, isNull, sql } from 'drizzle-orm'
import { agents } from '../database/tables/agents.ts'
import { apiKeys } from '../database/tables/api-keys.ts'
import { type Channel, tickets } from '../database/tables/tickets.ts'
import { endpoints } from '../database/tables/webhooks.ts'
import type { Deps } from '../deps.ts'

/** The first steps of an organization, in the order they are shown. */
export const FIRST_STEPS = ['key', 'email', 'widget', 'telegram', 'agents', 'endpoint'] as const
export type FirstStep = (typeof FIRST_STEPS)[number]

/** Which of the first steps are done. A channel is connected when a ticket has come through it. */
export async function readChecklist(
  deps: Deps,
  orgId: string,
): Promise<{ id: FirstStep; isDone: boolean }[]> {
  const isDone: Record<FirstStep, Promise<boolean>> = {
    key: hasKey(deps, orgId),
    email: hasTicketFrom(deps, orgId, 'email'),
    widget: hasTicketFrom(deps, orgId, 'widget'),
    telegram: hasTicketFrom(deps, orgId, 'telegram'),
    agents: hasColleagues(deps, orgId),
    endpoint: hasEndpoint(deps, orgId),
  }
  return Promise.all(FIRST_STEPS.map(async (id) => ({ id, isDone: await isDone[id] })))
}

async function hasKey({ database: { read } }: Deps, orgId: string): Promise<boolean> {
  const isSecret = and(eq(apiKeys.orgId, orgId), eq(apiKeys.kind, 'secret'), isNull(apiKeys.revokedAt))
  const some = await read.select({ id: apiKeys.id }).from(apiKeys).where(isSecret).limit(1)
  return some.length > 0
}

async function hasTicketFrom(
  { database: { read } }: Deps,
  orgId: string,
  channel: Channel,
): Promise<boolean> {
  const isFrom = and(eq(tickets.orgId, orgId), eq(tickets.channel, channel))
  const some = await read.select({ one: sql`1` }).from(tickets).where(isFrom).limit(1)
  return some.length > 0
}

async function hasColleagues({ database: { read } }: Deps, orgId: string): Promise<boolean> {
  const isEnabled = and(eq(agents.orgId, orgId), isNull(agents.disabledAt))
  const some = await read.select({ id: agents.id }).from(agents).where(isEnabled).limit(2)
  return some.length > 1
}

async function hasEndpoint({ database: { read } }: Deps, orgId: string): Promise<boolean> {
  const isThere = and(eq(endpoints.orgId, orgId), isNull(endpoints.deletedAt))
  const some = await read.select({ id: endpoints.id }).from(endpoints).where(isThere).limit(1)
  return some.length > 0
}
