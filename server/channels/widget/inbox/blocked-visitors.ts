import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { recordAudit } from '../../../audit/audit.ts'
import { matches } from '../../../database/matches.ts'
import { agents } from '../../../database/tables/agents.ts'
import { blockedAddresses, visitors, widgetConversations, widgets } from '../../../database/tables/widgets.ts'
import { isoTime } from '../../../dates.ts'
import type { Deps } from '../../../deps.ts'
import { notFound } from '../../../errors.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { recheckVisitors } from '../visitors/visitors.ts'

/** How many of each kind are shown, newest first. */
const MAX_SHOWN = 500

/**
 * Blocks or unblocks a visitor. A user whom the website has signed in is blocked in every browser. Their open streams
 * end at once. Throws 404.
 */
export async function blockVisitor(
  deps: Deps,
  orgId: string,
  { id, isBlocked }: { id: string; isBlocked: boolean },
): Promise<void> {
  const tokens = await deps.database.write(orgId, async (tx) => {
    const [visitor] = await tx.select().from(visitors).where(matches(visitors, { orgId, id }))
    if (!visitor) throw notFound('visitor')
    const isTheirs =
      visitor.userId === null
        ? eq(visitors.id, id)
        : matches(visitors, { widgetId: visitor.widgetId, userId: visitor.userId })
    const changed = await tx
      .update(visitors)
      .set({ blockedAt: isBlocked ? deps.clock.now() : null })
      .where(and(eq(visitors.orgId, orgId), isTheirs))
      .returning({ tokenHash: visitors.tokenHash })
    const action = isBlocked ? 'visitor.blocked' : 'visitor.unblocked'
    await recordAudit(deps, tx, orgId, { action, subject: { id, label: id } })
    recordWorkspaceChange(deps, tx, orgId)
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
  await deps.database.write(orgId, async (tx) => {
    if (isBlocked) {
      const row = { orgId, address, agentId, createdAt: deps.clock.now() }
      await tx.insert(blockedAddresses).values(row).onConflictDoNothing()
    } else {
      const isThis = matches(blockedAddresses, { orgId, address })
      await tx.delete(blockedAddresses).where(isThis)
    }
    const action = isBlocked ? 'address.blocked' : 'address.unblocked'
    await recordAudit(deps, tx, orgId, { action, subject: { id: address, label: address } })
    recordWorkspaceChange(deps, tx, orgId)
  })
  recheckVisitors(deps, { orgId })
}

/** Visitors who can't write, each user once, and IP addresses whose visitors can't; the newest first. */
export async function listBlocked(deps: Deps, orgId: string) {
  const browsers = await findBlocked(deps, orgId, undefined)
  // A user is blocked in each of their browsers.
  const people = [...new Map(browsers.map((row) => [row.userId ?? row.id, row])).values()]
  const addresses = await deps.database.read
    .select({
      address: blockedAddresses.address,
      agentName: agents.name,
      createdAt: blockedAddresses.createdAt,
    })
    .from(blockedAddresses)
    .leftJoin(agents, matches(agents, { orgId: blockedAddresses.orgId, id: blockedAddresses.agentId }))
    .where(eq(blockedAddresses.orgId, orgId))
    .orderBy(desc(blockedAddresses.createdAt), desc(blockedAddresses.address))
    .limit(MAX_SHOWN)
  return {
    visitors: people.map(({ id, userId, verifiedName, typedName, verifiedEmail, typedEmail, ...row }) => ({
      id,
      isVerified: userId !== null,
      name: verifiedName || typedName,
      email: verifiedEmail || typedEmail,
      widgetName: row.widgetName,
      ticketId: row.ticketId,
      blockedAt: isoTime(row.blockedAt ?? 0),
    })),
    addresses: addresses.map(({ createdAt, ...row }) => ({ ...row, blockedAt: isoTime(createdAt) })),
  }
}

/** Lets a visitor write again; a user in every browser. Throws 404 for one who isn't blocked. */
export async function unblockVisitor(deps: Deps, orgId: string, id: string): Promise<void> {
  const [blocked] = await findBlocked(deps, orgId, eq(visitors.id, id))
  if (!blocked) throw notFound('blocked visitor')
  await blockVisitor(deps, orgId, { id, isBlocked: false })
}

/** Lets everyone with an IP address write again. Throws 404 for one that isn't blocked. */
export async function unblockAddress(
  deps: Deps,
  orgId: string,
  { address, agentId }: { address: string; agentId: string },
): Promise<void> {
  const [blocked] = await deps.database.read
    .select({ address: blockedAddresses.address })
    .from(blockedAddresses)
    .where(matches(blockedAddresses, { orgId, address }))
  if (!blocked) throw notFound('blocked address')
  await blockAddress(deps, orgId, { address, agentId, isBlocked: false })
}

function findBlocked({ database: { read } }: Deps, orgId: string, which: SQL | undefined) {
  return (
    read
      .select({
        id: visitors.id,
        userId: visitors.userId,
        verifiedName: visitors.verifiedName,
        verifiedEmail: visitors.verifiedEmail,
        typedName: visitors.typedName,
        typedEmail: visitors.typedEmail,
        blockedAt: visitors.blockedAt,
        widgetName: widgets.name,
        ticketId: sql<
          string | null
        >`(select own.ticket_id from ${widgetConversations} own where own.org_id = ${visitors.orgId} and own.visitor_id = ${visitors.id} order by own.created_at desc limit 1)`,
      })
      .from(visitors)
      .innerJoin(widgets, matches(widgets, { orgId: visitors.orgId, id: visitors.widgetId }))
      // SQLite uses the partial index only for a query that contains its condition literally.
      .where(and(eq(visitors.orgId, orgId), sql`blocked_at is not null`, which))
      .orderBy(desc(visitors.blockedAt), desc(visitors.id))
      .limit(MAX_SHOWN)
  )
}
