import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { insertOf } from '../../database/statement.ts'
import { pushes } from '../../database/tables/notifications.ts'

/** The tag of a push that an agent asked for to see whether it arrives. */
export const TEST_TAG = 'test'

/** Queues pushes. A newer one with the same tag takes the place of one that was not sent. */
export const queuePushes = insertOf(pushes, {
  onConflict: {
    target: [pushes.subscriptionId, pushes.tag],
    set: {
      eventNumber: sql`excluded.event_number`,
      dueAt: sql`excluded.due_at`,
      attempts: sql`0`,
    },
  },
})

/** Cancels what was not sent yet about tickets that an agent has seen. */
export async function cancelPushes(
  tx: Transaction,
  { orgId, agentId, ticketIds }: { orgId: string; agentId: string; ticketIds: string[] },
): Promise<void> {
  await tx
    .delete(pushes)
    .where(and(eq(pushes.orgId, orgId), eq(pushes.agentId, agentId), inArray(pushes.tag, ticketIds)))
}
