import { and, eq, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { readHeld } from '../replies/held-replies.ts'
import { MAX_COUNTED, withoutSpam } from '../search/count-tickets.ts'
import { countersUnder, filterNames, readCounters } from '../tickets/counters.ts'
import type { ViewCounter } from './view-counts.ts'

const { status, statusAndAssignedTo, spam, all } = filterNames

/** The numbers in the rail: from counters, except failed sends, held replies and saved views, counted up to a limit. */
export async function readCounts(deps: Deps, countViews: ViewCounter, orgId: string, me: string) {
  const { read } = deps.database
  const { saved, askAgainMs } = await countViews(deps, orgId, me)
  const names = {
    mine: statusAndAssignedTo('open', me),
    unassigned: statusAndAssignedTo('open', ''),
    open: status('open'),
    pending: status('pending'),
    resolved: status('resolved'),
  }
  const counterNames = Object.values(names)
  const counters = await readCounters(read, orgId, [...counterNames, ...counterNames.map(spam), spam(all)])
  const [failed] = await failedTickets(read, { orgId })
  const held = await readHeld(read, orgId, me)
  return {
    views: {
      mine: withoutSpam(counters, names.mine),
      unassigned: withoutSpam(counters, names.unassigned),
      open: withoutSpam(counters, names.open),
      pending: withoutSpam(counters, names.pending),
      resolved: withoutSpam(counters, names.resolved),
      failed: failed?.total ?? 0,
      held: held.tickets,
      spam: counters.get(spam(all)) ?? 0,
    },
    tags: await openTags(read, orgId),
    saved,
    heldReplies: held.mine,
    ...(askAgainMs === undefined ? {} : { askAgainMs }),
  }
}

/** The tags of open tickets, in order. */
async function openTags(read: Reader, orgId: string): Promise<{ tag: string; count: number }[]> {
  const prefix = filterNames.statusAndTag('open', '')
  const tags = await countersUnder(read, orgId, prefix)
  const asSpam = await countersUnder(read, orgId, spam(prefix))
  return Array.from(tags, ([tag, count]) => ({ tag, count: count - (asSpam.get(tag) ?? 0) })).filter(
    ({ count }) => count > 0,
  )
}

/** The partial index is used only for a query with exactly its condition. */
const failedTickets = statement<{ orgId: string }, { total: number }[], Reader>('inbox_failed', (read, p) => {
  const failed = read
    .selectDistinct({ ticketId: messages.ticketId })
    .from(messages)
    .where(and(eq(messages.orgId, p.orgId), sql`sending in ('failed', 'bounced')`))
    .limit(MAX_COUNTED)
    .as('failed')
  return read
    .select({ total: sql<number>`cast(count(*) as integer)` })
    .from(failed)
    .innerJoin(tickets, eq(tickets.id, failed.ticketId))
    .where(sql`not ${tickets.isSpam}`)
})
