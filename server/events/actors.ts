import { and, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { agents } from '../database/tables/agents.ts'
import { apiKeys } from '../database/tables/api-keys.ts'
import { customers } from '../database/tables/customers.ts'
import { programGrants } from '../database/tables/sessions.ts'

/** Who caused an event. Without an id, the server did, or a command. The name is missing once they are deleted, or disconnected. */
export interface EventActor {
  kind: 'customer' | 'agent' | 'program' | 'key' | 'system'
  id?: string | undefined
  name?: string | undefined
}

/** Returns who has an id, as they are called now. The log keeps no names. */
export async function readActors(
  read: Reader,
  orgId: string,
  ids: (string | null)[],
): Promise<(id: string | null) => EventActor> {
  const wanted = [...new Set(ids)].flatMap((id) => id ?? [])
  const of = (prefix: string) => wanted.filter((id) => id.startsWith(prefix))
  const [people, keys, connected, writers] = await Promise.all([
    readAgents(read, orgId, of('agt_')),
    readKeys(read, orgId, of('key_')),
    readConnected(read, orgId, of('grt_')),
    readCustomers(read, orgId, of('usr_')),
  ])
  const known = new Map<string, EventActor>(
    [...people, ...keys, ...connected, ...writers].map((one) => [one.id, one]),
  )
  return (id) => {
    if (id === null) return { kind: 'system' }
    return known.get(id) ?? { kind: kindOf(id), id }
  }
}

function kindOf(id: string): EventActor['kind'] {
  if (id.startsWith('agt_')) return 'agent'
  if (id.startsWith('key_')) return 'key'
  if (id.startsWith('grt_')) return 'program'
  return id.startsWith('usr_') ? 'customer' : 'system'
}

async function readAgents(read: Reader, orgId: string, ids: string[]) {
  if (ids.length === 0) return []
  const found = await read
    .select({ id: agents.id, name: agents.name, role: agents.role })
    .from(agents)
    .where(and(eq(agents.orgId, orgId), inArray(agents.id, ids)))
  return found.map(({ id, name, role }) => ({
    kind: role === 'program' ? ('program' as const) : ('agent' as const),
    id,
    name,
  }))
}

async function readKeys(read: Reader, orgId: string, ids: string[]) {
  if (ids.length === 0) return []
  const found = await read
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(and(eq(apiKeys.orgId, orgId), inArray(apiKeys.id, ids)))
  return found.map((one) => ({ kind: 'key' as const, ...one }))
}

/** Programs that agents let act for them: those of one agent are told apart, and so are those of one name. */
async function readConnected(read: Reader, orgId: string, ids: string[]) {
  if (ids.length === 0) return []
  const found = await read
    .select({ id: programGrants.id, clientName: programGrants.clientName, agentName: agents.name })
    .from(programGrants)
    .innerJoin(agents, matches(agents, { orgId: programGrants.orgId, id: programGrants.agentId }))
    .where(and(eq(programGrants.orgId, orgId), inArray(programGrants.id, ids)))
  return found.map(({ id, clientName, agentName }) => ({
    kind: 'program' as const,
    id,
    name: `${clientName} for ${agentName}`,
  }))
}

async function readCustomers(read: Reader, orgId: string, ids: string[]) {
  if (ids.length === 0) return []
  const found = await read
    .select({ id: customers.id, name: customers.name })
    .from(customers)
    .where(and(eq(customers.orgId, orgId), inArray(customers.id, ids)))
  return found.map((one) => ({ kind: 'customer' as const, ...one }))
}
