import { and, eq, inArray } from 'drizzle-orm'
import { notifications } from '../database/tables/notifications.ts'
import { savedViews } from '../database/tables/saved-views.ts'
import type { Deps } from '../deps.ts'
import { findTickets } from '../search/find-tickets.ts'
import { readSearch } from '../search/read-search.ts'
import type { Recipient } from './audiences.ts'

/** Tickets of a view that are looked through, those with the latest messages first: what is new there is among them. */
const NEWEST = 200

/** A ticket that is new in a saved view whose bell an agent has switched on. */
interface ViewMatch {
  recipient: Recipient
  ticketId: string
  viewId: string
  push: boolean
  email: boolean
}

/** The bells that ring for these tickets: each once for a ticket. A bell that can't be read rings for none. */
export async function findViewMatches(
  deps: Deps,
  orgId: string,
  { ticketIds, recipients }: { ticketIds: string[]; recipients: Recipient[] },
): Promise<ViewMatch[]> {
  const rings = recipients.flatMap((recipient) => recipient.bells.map((bell) => ({ recipient, bell })))
  if (rings.length === 0 || ticketIds.length === 0) return []
  const viewIds = [...new Set(rings.map(({ bell }) => bell.viewId))]
  const views = await deps.database.read
    .select({ id: savedViews.id, query: savedViews.query })
    .from(savedViews)
    .where(and(eq(savedViews.orgId, orgId), inArray(savedViews.id, viewIds)))
  const earlier = await deps.database.read
    .select({
      agentId: notifications.agentId,
      ticketId: notifications.ticketId,
      viewId: notifications.viewId,
    })
    .from(notifications)
    .where(and(eq(notifications.orgId, orgId), inArray(notifications.ticketId, ticketIds)))
  const matches: ViewMatch[] = []
  for (const { recipient, bell } of rings) {
    const view = views.find(({ id }) => id === bell.viewId)
    const found = view ? await newestIn(deps, orgId, { me: recipient.agentId, query: view.query }) : new Set()
    for (const ticketId of ticketIds) {
      const wasNotified = earlier.some(
        (one) => one.agentId === recipient.agentId && one.ticketId === ticketId && one.viewId === bell.viewId,
      )
      if (!found.has(ticketId) || wasNotified) continue
      matches.push({ recipient, ticketId, viewId: bell.viewId, push: bell.push, email: bell.email })
    }
  }
  return matches
}

async function newestIn(
  deps: Deps,
  orgId: string,
  { me, query }: { me: string; query: string },
): Promise<Set<string>> {
  try {
    const search = await readSearch(deps.database.read, { orgId, me, text: query })
    const { keys } = await deps.expensiveReads.run({}, (expensive) =>
      findTickets(deps.database, {
        orgId,
        me,
        search,
        sort: 'message_desc',
        after: undefined,
        limit: NEWEST,
        expensive,
      }),
    )
    return new Set(keys.map(({ id }) => id))
  } catch (error) {
    deps.log.warn('view_bell_failed', { orgId, agentId: me, error })
    return new Set()
  }
}
