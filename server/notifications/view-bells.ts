import { and, eq, or } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { viewBells } from '../database/tables/notifications.ts'
import { savedViews } from '../database/tables/saved-views.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { isId } from '../ids.ts'

/** How an agent is notified of new tickets in a saved view. */
interface Bell {
  push: boolean
  email: boolean
}

/** The bells of an agent. */
export async function listBells(
  read: Reader | Transaction,
  owner: { orgId: string; agentId: string },
): Promise<({ viewId: string; name: string } & Bell)[]> {
  const { viewId, push, email } = viewBells
  return read
    .select({ viewId, name: savedViews.name, push, email })
    .from(viewBells)
    .innerJoin(savedViews, matches(savedViews, { orgId: viewBells.orgId, id: viewBells.viewId }))
    .where(matches(viewBells, owner))
    .orderBy(savedViews.createdAt, savedViews.id)
}

/**
 * Sets how an agent is notified of a view's new tickets, and returns it; off removes the bell. What isn't given stays as it
 * is: the page may not know of the last change. Throws 404 for a view they can't see.
 */
export async function setBell(
  deps: Deps,
  { orgId, agentId }: { orgId: string; agentId: string },
  { viewId, ...change }: { viewId: string } & Partial<Bell>,
): Promise<Bell> {
  return deps.database.write(orgId, async (tx) => {
    const isVisible = or(eq(savedViews.agentId, agentId), eq(savedViews.isShared, true))
    const [view] = isId('viw', viewId)
      ? await tx
          .select({ id: savedViews.id })
          .from(savedViews)
          .where(and(matches(savedViews, { orgId, id: viewId }), isVisible))
      : []
    if (!view) throw notFound('view')
    const isTheirs = matches(viewBells, { orgId, agentId, viewId })
    const [before] = await tx
      .select({ push: viewBells.push, email: viewBells.email })
      .from(viewBells)
      .where(isTheirs)
    const { push, email } = { push: false, email: false, ...before, ...change }
    if (push || email) {
      await tx
        .insert(viewBells)
        .values({ orgId, agentId, viewId, push, email, createdAt: deps.clock.now() })
        .onConflictDoUpdate({
          target: [viewBells.orgId, viewBells.agentId, viewBells.viewId],
          set: { push, email },
        })
    } else await tx.delete(viewBells).where(isTheirs)
    recordWorkspaceChange(deps, tx, orgId)
    return { push, email }
  })
}
