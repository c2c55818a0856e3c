import { and, eq, or, sql } from 'drizzle-orm'
import type { Reader } from '../../../database/database.ts'
import { statement, text } from '../../../database/statement.ts'
import { visitors, widgetConversations, widgets } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { invalid, notFound } from '../../../errors.ts'
import { blockAddress, blockVisitor } from '../blocked/blocked-visitors.ts'
import { isAddressBlocked, type Visitor } from '../visitors/visitors.ts'

export interface TicketVisitor {
  visitor: Visitor
  widget: Pick<typeof widgets.$inferSelect, 'id' | 'name' | 'questions'>
  isAddressBlocked: boolean
}

/**
 * Who wrote a ticket in the widget, as last seen: a user whom the website has signed in may be in several browsers. Throws
 * 404, also for a ticket of another channel.
 */
export async function readTicketVisitor(deps: Deps, orgId: string, ticketId: string): Promise<TicketVisitor> {
  const [found] = await findVisitors(deps.database.read, { orgId, ticketId })
  if (!found) throw notFound('visitor')
  const isBlockedHere = await isAddressBlocked(deps, orgId, found.visitor.address)
  return { ...found, isAddressBlocked: isBlockedHere }
}

/**
 * Blocks the visitor of a ticket, everyone with their IP address, or both, or lets them write again. Throws 404, and 400 when
 * the address is unknown.
 */
export async function blockTicketVisitor(
  deps: Deps,
  orgId: string,
  change: { ticketId: string; agentId: string; isBlocked?: boolean; isAddressBlocked?: boolean },
): Promise<void> {
  const { ticketId, agentId, isBlocked, isAddressBlocked } = change
  const known = await readTicketVisitor(deps, orgId, ticketId)
  const { id, address, blockedAt } = known.visitor
  if (isAddressBlocked && address === '') {
    const detail = 'The IP address of this visitor is unknown.'
    throw invalid([{ pointer: '/isAddressBlocked', code: 'unknown_address', detail }])
  }
  if (isBlocked !== undefined && isBlocked !== (blockedAt !== null)) {
    await blockVisitor(deps, orgId, { id, isBlocked })
  }
  if (isAddressBlocked !== undefined && isAddressBlocked !== known.isAddressBlocked) {
    await blockAddress(deps, orgId, { address, agentId, isBlocked: isAddressBlocked })
  }
}

/** The browsers of a user, or the only one of anyone else; the one that was seen last first. */
const findVisitors = statement('ticket_visitors', { orgId: text, ticketId: text }, (read: Reader, p) =>
  read
    .select({
      visitor: visitors,
      widget: { id: widgets.id, name: widgets.name, questions: widgets.questions },
    })
    .from(widgetConversations)
    .innerJoin(
      visitors,
      and(
        eq(visitors.orgId, widgetConversations.orgId),
        eq(visitors.widgetId, widgetConversations.widgetId),
        or(eq(visitors.id, widgetConversations.visitorId), eq(visitors.userId, widgetConversations.userId)),
      ),
    )
    .innerJoin(
      widgets,
      and(eq(widgets.orgId, widgetConversations.orgId), eq(widgets.id, widgetConversations.widgetId)),
    )
    .where(and(eq(widgetConversations.orgId, p.orgId), eq(widgetConversations.ticketId, p.ticketId)))
    // The limit is part of the order because Drizzle would bind it bare (see statement.ts).
    .orderBy(sql`${visitors.lastSeenAt} desc, ${visitors.id} desc limit 1`),
)
