import { and, asc, eq, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { organizations } from '../database/tables/organizations.ts'
import { savedViews } from '../database/tables/saved-views.ts'
import type { Deps } from '../deps.ts'
import { recordWorkspaceChange } from '../events/workspace-changed.ts'

export interface ViewText {
  name: string
  query: string
}

/**
 * Changes saved views of an organization, everybody's own ones too, in the unit of what makes it necessary: to the query
 * that is answered for a view, and without one it goes. Takes the organization's row. Answers how many views changed.
 */
export async function rewriteViews(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  rewrite: (view: ViewText) => string | undefined,
): Promise<number> {
  // Whoever changes a view takes it too, and first: what is read here stays as it is until it is written.
  await tx
    .update(organizations)
    .set({ lastEvent: sql`${organizations.lastEvent}` })
    .where(eq(organizations.id, orgId))
  const views = await tx
    .select({ id: savedViews.id, name: savedViews.name, query: savedViews.query })
    .from(savedViews)
    .where(eq(savedViews.orgId, orgId))
    .orderBy(asc(savedViews.id))
  const changes = views
    .map((view) => ({ ...view, after: rewrite(view) }))
    .filter(({ query, after }) => after !== query)
  if (changes.length > 0) await recordWorkspaceChange(deps, tx, orgId)
  for (const { id, after } of changes) {
    const isThis = and(eq(savedViews.orgId, orgId), eq(savedViews.id, id))
    if (after === undefined) await tx.delete(savedViews).where(isThis)
    else await tx.update(savedViews).set({ query: after }).where(isThis)
  }
  return changes.length
}
