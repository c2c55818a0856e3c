import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Reader } from '../../database/database.ts'
import { statement } from '../../database/statement.ts'
import { endpoints } from '../../database/tables/webhooks.ts'

/** A row of `endpoints`. Its secrets are encrypted; views leave them out. */
export type Endpoint = typeof endpoints.$inferSelect

/** One that is not deleted. */
export const findEndpoint = statement<{ orgId: string; id: string }, Endpoint[], Reader>(
  'endpoints_find',
  (read, p) =>
    read
      .select()
      .from(endpoints)
      .where(and(eq(endpoints.orgId, p.orgId), eq(endpoints.id, p.id), isNull(endpoints.deletedAt))),
)

/**
 * The first statement of a unit that changes an endpoint or its pending deliveries: whoever has the row, changes
 * them alone. Finds none that is deleted.
 */
export const lockEndpoint = statement<{ orgId: string; id: string }, Endpoint[]>('endpoints_lock', (tx, p) =>
  tx
    .update(endpoints)
    .set({ updatedAt: sql`${endpoints.updatedAt}` })
    .where(and(eq(endpoints.orgId, p.orgId), eq(endpoints.id, p.id), isNull(endpoints.deletedAt)))
    .returning(),
)

/** The same for the delivery loop, which serves every organization and has results for deleted endpoints too. */
export const lockEndpointById = statement<{ id: string }, Endpoint[]>('endpoints_lock_turn', (tx, p) =>
  tx
    .update(endpoints)
    .set({ updatedAt: sql`${endpoints.updatedAt}` })
    .where(eq(endpoints.id, p.id))
    .returning(),
)
