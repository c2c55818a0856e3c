import { and, eq, gt, inArray, isNull, or } from 'drizzle-orm'
import { apiKeys } from '../../../database/tables/api-keys.ts'
import { widgets } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'

/** Ids of the widgets that are turned on and have a valid key. */
export async function areWidgetsActive(deps: Deps, orgId: string, ids: Set<string>): Promise<Set<string>> {
  const found = await deps.database.read
    .select({ id: widgets.id })
    .from(widgets)
    .innerJoin(apiKeys, and(eq(apiKeys.id, widgets.keyId), eq(apiKeys.orgId, widgets.orgId)))
    .where(
      and(
        eq(widgets.orgId, orgId),
        inArray(widgets.id, [...ids]),
        eq(widgets.state, 'active'),
        isNull(widgets.deletedAt),
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, deps.clock.now())),
      ),
    )
  return new Set(found.map(({ id }) => id))
}
