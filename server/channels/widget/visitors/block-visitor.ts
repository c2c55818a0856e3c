import { and, eq } from 'drizzle-orm'
import { recordAudit } from '../../../audit/audit.ts'
import { blockedAddresses, visitors } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { notFound } from '../../../errors.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { recheckVisitors } from './visitors.ts'

/**
 * Blocks or unblocks a visitor. A user whom the website has signed in is blocked in every browser. Their open streams
 * end at once. Throws 404.
 */
export async function blockVisitor(
  deps: Deps,
  orgId: string,
  { id, isBlocked }: { id: string; isBlocked: boolean },
): Promise<void> {
  const tokens = await deps.database.write(async (tx) => {
    const [visitor] = await tx
      .select()
      .from(visitors)
      .where(and(eq(visitors.orgId, orgId), eq(visitors.id, id)))
    if (!visitor) throw notFound('visitor')
    const isTheirs =
      visitor.userId === null
        ? eq(visitors.id, id)
        : and(eq(visitors.widgetId, visitor.widgetId), eq(visitors.userId, visitor.userId))
    const changed = await tx
      .update(visitors)
      .set({ blockedAt: isBlocked ? deps.clock.now() : null })
      .where(and(eq(visitors.orgId, orgId), isTheirs))
      .returning({ tokenHash: visitors.tokenHash })
    const action = isBlocked ? 'visitor.blocked' : 'visitor.unblocked'
    await recordAudit(deps, tx, orgId, { action, subject: { id, label: id } })
    await recordWorkspaceChange(deps, tx, orgId)
    return changed.flatMap(({ tokenHash }) => tokenHash ?? [])
  })
  recheckVisitors(deps, tokens)
}

/** Blocks everyone with an IP address, or lets them write again. */
export async function blockAddress(
  deps: Deps,
  orgId: string,
  { address, agentId, isBlocked }: { address: string; agentId: string; isBlocked: boolean },
): Promise<void> {
  await deps.database.write(async (tx) => {
    if (isBlocked) {
      const row = { orgId, address, agentId, createdAt: deps.clock.now() }
      await tx.insert(blockedAddresses).values(row).onConflictDoNothing()
    } else {
      const isThis = and(eq(blockedAddresses.orgId, orgId), eq(blockedAddresses.address, address))
      await tx.delete(blockedAddresses).where(isThis)
    }
    const action = isBlocked ? 'address.blocked' : 'address.unblocked'
    await recordAudit(deps, tx, orgId, { action, subject: { id: address, label: address } })
    await recordWorkspaceChange(deps, tx, orgId)
  })
  recheckVisitors(deps, 'anyone')
}
