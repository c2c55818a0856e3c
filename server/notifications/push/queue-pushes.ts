import { sql } from 'drizzle-orm'
import { matches } from '../../database/matches.ts'
import { command, insertOf, text } from '../../database/statement.ts'
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

/** Cancels what was not sent yet about a ticket that an agent has seen. */
export const cancelPushes = command(
  'pushes_cancel',
  { orgId: text, agentId: text, ticketId: text },
  (tx, p) =>
    tx.delete(pushes).where(matches(pushes, { orgId: p.orgId, agentId: p.agentId, tag: p.ticketId })),
)
