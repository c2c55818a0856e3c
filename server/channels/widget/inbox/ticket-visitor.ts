import { and, eq, or, sql } from 'drizzle-orm'
import type { Reader } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { statement, text } from '../../../database/statement.ts'
import { visitors, widgetConversations, widgets } from '../../../database/tables/widgets.ts'
import { isoTime } from '../../../dates.ts'
import type { Deps } from '../../../deps.ts'
import { invalid, notFound } from '../../../errors.ts'
import { isAddressBlocked, type Visitor } from '../visitors/visitors.ts'
import { blockAddress, blockVisitor } from './blocked-visitors.ts'

interface TicketVisitor {
  visitor: Visitor
  widget: Pick<typeof widgets.$inferSelect, 'id' | 'name' | 'questions'>
  isAddressBlocked: boolean
}

/**
 * Who wrote a ticket in the widget, as last seen: a user whom the website has signed in may be in several browsers. Throws
 * 404, also for a ticket of another channel.
 */
export async function readTicketVisitor(deps: Deps, orgId: string, ticketId: string): Promise<TicketVisitor> {
  const [newest] = await findVisitors(deps.database.read, { orgId, ticketId })
  if (!newest) throw notFound('visitor')
  const isBlockedHere = await isAddressBlocked(deps, orgId, newest.visitor.address)
  return { ...newest, isAddressBlocked: isBlockedHere }
}

/** A visitor as agents see them beside their ticket. */
export function viewTicketVisitor({ visitor, widget, isAddressBlocked }: TicketVisitor, isOnline: boolean) {
  const { id, userId, typedName, typedEmail, pageUrl, pageTitle, browser, language, timeZone, address } =
    visitor
  return {
    id,
    widget: { id: widget.id, name: widget.name },
    isVerified: userId !== null,
    userId,
    typedName,
    typedEmail,
    answers: answersOf({ visitor, widget }),
    page: pageUrl === '' ? null : { url: pageUrl, title: pageTitle },
    browser,
    language,
    timeZone,
    address,
    lastSeenAt: isoTime(visitor.lastSeenAt),
    isOnline,
    isBlocked: visitor.blockedAt !== null,
    isAddressBlocked,
  }
}

/** In the order of the questions, then answers to questions that the widget no longer asks. */
function answersOf({ visitor, widget }: Pick<TicketVisitor, 'visitor' | 'widget'>) {
  const labels = new Map(widget.questions.fields.map(({ key, label }) => [key, label]))
  const keys = new Set([...labels.keys(), ...Object.keys(visitor.fields)])
  return [...keys].flatMap((key) => {
    const text = visitor.fields[key]
    return text ? [{ label: labels.get(key) ?? key, text }] : []
  })
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
  const before = await readTicketVisitor(deps, orgId, ticketId)
  const { id, address, blockedAt } = before.visitor
  if (isAddressBlocked && address === '') {
    const detail = 'The IP address of this visitor is unknown.'
    throw invalid([{ pointer: '/isAddressBlocked', code: 'unknown_address', detail }])
  }
  if (isBlocked !== undefined && isBlocked !== (blockedAt !== null)) {
    await blockVisitor(deps, orgId, { id, isBlocked })
  }
  if (isAddressBlocked !== undefined && isAddressBlocked !== before.isAddressBlocked) {
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
      matches(widgets, { orgId: widgetConversations.orgId, id: widgetConversations.widgetId }),
    )
    .where(matches(widgetConversations, { orgId: p.orgId, ticketId: p.ticketId }))
    // The limit is part of the order because Drizzle would bind it bare (see statement.ts).
    .orderBy(sql`${visitors.lastSeenAt} desc, ${visitors.id} desc limit 1`),
)
