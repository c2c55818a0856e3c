import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Reader } from '../../database/database.ts'
import { statement } from '../../database/statement.ts'
import { endpoints } from '../../database/tables/webhooks.ts'

/** A row of `endpoints`. Its secrets are encrypted, and views leave them out. */
export type Endpoint = typeof endpoints.$inferSelect

/** Does not find a deleted endpoint. */
export const findEndpoint = statement<{ orgId: string; id: string }, Endpoint[], Reader>(
  'endpoints_find',
  (read, p) =>
    read
      .select()
      .from(endpoints)
      .where(and(eq(endpoints.orgId, p.orgId), eq(endpoints.id, p.id), isNull(endpoints.deletedAt))),
)

/**
 * Locks an endpoint's row, as every unit does before it changes the endpoint or its pending deliveries. Does not find a
 * deleted endpoint.
 */
export const lockEndpoint = statement<{ orgId: string; id: string }, Endpoint[]>('endpoints_lock', (tx, p) =>
  tx
    .update(endpoints)
    .set({ updatedAt: sql`${endpoints.updatedAt}` })
    .where(and(eq(endpoints.orgId, p.orgId), eq(endpoints.id, p.id), isNull(endpoints.deletedAt)))
    .returning(),
)

/** For the delivery loop, which covers all organizations and also has results for deleted endpoints. */
export const lockEndpointById = statement<{ id: string }, Endpoint[]>('endpoints_lock_by_id', (tx, p) =>
  tx
    .update(endpoints)
    .set({ updatedAt: sql`${endpoints.updatedAt}` })
    .where(eq(endpoints.id, p.id))
    .returning(),
)
