import { and, isNull, lt, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { notifications } from '../database/tables/notifications.ts'
import type { Deps } from '../deps.ts'
import { cancelPushes } from './push/queue-pushes.ts'

export interface Seen {
  orgId: string
  agentId: string
  ticketId: string
}

/**
 * An agent has a ticket open in a tab that has the focus: marks its notifications as seen, and cancels what wasn't sent.
 * Returns whether any were unseen. Writes nothing if none were.
 */
export async function seeTicket(deps: Deps, seen: Seen): Promise<boolean> {
  const [unseen] = await findUnseenOf(deps.database.read, seen)
  if (!unseen) return false
  await deps.database.write(seen.orgId, async (tx) => {
    await markSeen(tx, { ...seen, now: deps.clock.now() })
  })
  return true
}

/** Marks an agent's notifications of a ticket as seen, by default all of them, and cancels what wasn't sent. */
export async function markSeen(
  tx: Transaction,
  {
    orgId,
    agentId,
    ticketId,
    now,
    before = Number.MAX_SAFE_INTEGER,
  }: Seen & { now: number; before?: number },
): Promise<void> {
  const changed = await tx
    .update(notifications)
    .set({ seenAt: now })
    .where(
      and(
        matches(notifications, { orgId, agentId, ticketId }),
        isNull(notifications.seenAt),
        lt(notifications.eventNumber, before),
      ),
    )
    .returning({ eventNumber: notifications.eventNumber })
  if (changed.length > 0) await cancelPushes(tx, { orgId, agentId, ticketId })
}

const findUnseenOf = statement(
  'notifications_unseen_of',
  { orgId: text, agentId: text, ticketId: text },
  (read: Reader, p) =>
    read
      .select({ eventNumber: notifications.eventNumber })
      .from(notifications)
      .where(and(matches(notifications, p), sql`seen_at is null`))
      .limit(1),
)

/** Notifications that an agent has not seen, oldest first. */
export function listUnseen(
  read: Reader,
  { orgId, agentId }: Pick<Seen, 'orgId' | 'agentId'>,
): Promise<(typeof notifications.$inferSelect)[]> {
  return read
    .select()
    .from(notifications)
    .where(and(matches(notifications, { orgId, agentId }), sql`seen_at is null`))
    .orderBy(sql`${notifications.eventNumber} limit 500`)
}

/** A ticket became spam, or was merged: marks its notifications as seen. Returns the agents who had unseen ones. */
export async function forgetTicket(
  tx: Transaction,
  { orgId, ticketId, now }: { orgId: string; ticketId: string; now: number },
): Promise<string[]> {
  const changed = await tx
    .update(notifications)
    .set({ seenAt: now })
    .where(and(matches(notifications, { orgId, ticketId }), isNull(notifications.seenAt)))
    .returning({ agentId: notifications.agentId })
  const agentIds = [...new Set(changed.map(({ agentId }) => agentId))]
  for (const agentId of agentIds) await cancelPushes(tx, { orgId, agentId, ticketId })
  return agentIds
}
