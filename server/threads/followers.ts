import { and, asc, eq, isNull, ne, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { insertOf, statement } from '../database/statement.ts'
import { agents } from '../database/tables/agents.ts'
import { followers } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'
import { requireTicket } from '../tickets/queries.ts'
import { type OfTicket, ofTicket } from '../tickets/rows-of-ticket.ts'

/** Makes an agent follow a ticket, or stop following it. Throws 404. */
export async function setFollowing(
  deps: Deps,
  {
    orgId,
    agentId,
    ticketId,
    isFollowing,
  }: { orgId: string; agentId: string; ticketId: string; isFollowing: boolean },
): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    await requireTicket(tx, orgId, ticketId)
    await saveFollowers(tx, [{ orgId, agentId, ticketId, isFollowing, changedAt: deps.clock.now() }])
  })
}

/** Makes agents follow a ticket, in the caller's unit, besides those who follow it already or stopped by themselves. */
export async function addFollowers(
  tx: Transaction,
  { orgId, ticketId, agentIds, at }: OfTicket & { agentIds: string[]; at: number },
): Promise<void> {
  const rows = agentIds.map((agentId) => ({ orgId, agentId, ticketId, isFollowing: true, changedAt: at }))
  if (rows.length > 0) await tx.insert(followers).values(rows).onConflictDoNothing()
}

/** The enabled agents who follow a ticket, the first one first. Programs are told of nothing, and follow none. */
export async function readFollowers(read: Reader, of: OfTicket): Promise<string[]> {
  return (await followersOf(read, of)).map(({ agentId }) => agentId)
}

const key = [followers.orgId, followers.agentId, followers.ticketId]

const saveFollowers = insertOf(followers, {
  onConflict: {
    target: key,
    set: { isFollowing: sql`excluded.is_following`, changedAt: sql`excluded.changed_at` },
    setWhere: sql`excluded.is_following <> ${followers.isFollowing}`,
  },
})

const followersOf = statement('followers_of', ofTicket, (read: Reader, p) =>
  read
    .select({ agentId: followers.agentId })
    .from(followers)
    .innerJoin(
      agents,
      and(eq(agents.id, followers.agentId), isNull(agents.disabledAt), ne(agents.role, 'program')),
    )
    .where(and(matches(followers, { orgId: p.orgId, ticketId: p.ticketId }), followers.isFollowing))
    .orderBy(asc(followers.changedAt), asc(followers.agentId)),
)
