import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { recordAudit } from '../audit/audit.ts'
import { engine } from '../database/columns.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { agents } from '../database/tables/agents.ts'
import { tickets, ticketTags } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { recordEvents, recordWorkspaceChange } from '../events/events.ts'
import { recordActivities } from '../tickets/activities.ts'
import { moveCounters } from '../tickets/counters.ts'
import {
  type Agent,
  endGrants,
  endLinks,
  endSessions,
  forgetKeysOf,
  lockAgent,
  lockEnabledAdmins,
  requireOtherAdmin,
  subjectOf,
} from './agents.ts'

const BATCH_SIZE = 100

/**
 * Ends an agent's access, sessions, links, and connected programs, by id or email, or that of a program's keys, then unassigns their tickets in batches. If interrupted,
 * calling it again unassigns the rest. Throws 404, and 409 for the last enabled administrator.
 */
export async function disableAgent(
  deps: Deps,
  orgId: string,
  idOrEmail: string,
): Promise<{ agent: Agent; unassignedTickets: number }> {
  const agent = await deps.database.write(orgId, (tx) => endAccess(deps, tx, orgId, idOrEmail))
  forgetKeysOf(deps, agent)
  let unassignedTickets = 0
  // On PostgreSQL a concurrent change can make a batch smaller, so only an empty batch is the last one.
  for (let count = 1; count > 0; unassignedTickets += count) count = await unassignBatch(deps, agent)
  return { agent, unassignedTickets }
}

async function endAccess(deps: Deps, tx: Transaction, orgId: string, idOrEmail: string): Promise<Agent> {
  const admins = await lockEnabledAdmins(tx, orgId)
  const agent = await lockAgent(tx, orgId, idOrEmail)
  if (agent.disabledAt !== null) return agent
  requireOtherAdmin(admins, agent)
  const { id } = agent
  const disabledAt = deps.clock.now()
  await tx.update(agents).set({ disabledAt }).where(matches(agents, { orgId, id }))
  await endSessions(tx, { orgId, agentId: id })
  await endLinks(tx, { orgId, agentId: id })
  await endGrants(tx, { orgId, agentId: id })
  await recordAudit(deps, tx, orgId, { action: 'agent.disabled', subject: subjectOf(agent) })
  recordWorkspaceChange(deps, tx, orgId)
  return { ...agent, disabledAt }
}

/** Returns how many tickets were unassigned; 0 when none are left. */
function unassignBatch(deps: Deps, agent: Agent): Promise<number> {
  const { orgId, id: agentId } = agent
  return deps.database.write(orgId, async (tx) => {
    const now = deps.clock.now()
    const assigned = tx
      .select({ id: tickets.id })
      .from(tickets)
      .where(matches(tickets, { orgId, assignedTo: agentId }))
      .$dynamic()
    // PostgreSQL locks rows in id order, as a bulk change does. The update alone would lock them in storage order. SQLite
    // has nothing to lock, and would read all that the agent has for each batch to sort them.
    const batch =
      engine === 'postgresql'
        ? assigned.orderBy(asc(tickets.id)).limit(BATCH_SIZE).for('update')
        : assigned.limit(BATCH_SIZE)
    const changed = await tx
      .update(tickets)
      .set({ assignedTo: '', version: sql`${tickets.version} + 1`, updatedAt: now })
      .where(and(matches(tickets, { orgId, assignedTo: agentId }), inArray(tickets.id, batch)))
      .returning({
        id: tickets.id,
        status: tickets.status,
        channel: tickets.channel,
        place: tickets.place,
        tags: tickets.tags,
      })
    if (changed.length === 0) return 0
    const ids = changed.map(({ id }) => id)
    await tx
      .update(ticketTags)
      .set({ assignedTo: '', updatedAt: now })
      .where(and(eq(ticketTags.orgId, orgId), inArray(ticketTags.ticketId, ids)))
    const changes = [{ field: 'assignedTo' as const, from: agentId, to: '' }]
    await recordActivities(deps, tx, orgId, { done: ids.map((ticketId) => ({ ticketId, changes })), now })
    recordEvents(
      deps,
      tx,
      orgId,
      ids.map((ticketId) => ({
        type: 'ticket.updated',
        ticketId,
        createdAt: now,
        changes: { assignedTo: { from: agentId, to: null } },
      })),
    )
    const moves = changed.map((ticket) => ({
      before: { ...ticket, assignedTo: agentId },
      after: { ...ticket, assignedTo: '' },
    }))
    moveCounters(tx, orgId, moves)
    return changed.length
  })
}
