import { and, eq, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { statement, text } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { type TicketStatus, tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { readHeld } from '../messages/held-replies.ts'
import { MAX_COUNTED } from '../search/count-tickets.ts'
import { countOpenTags, countTickets, readCounters } from '../tickets/counters.ts'
import type { ViewCounter } from './view-counts.ts'

/** Tags of open tickets with a number in the rail, which shows fewer. */
const MAX_TAGS = 200

/** The numbers in the rail: from counters, except failed sends, held replies and saved views, counted up to a limit. */
export async function readCounts(deps: Deps, countViews: ViewCounter, orgId: string, me: string) {
  const { read } = deps.database
  const { saved, askAgainMs } = await countViews(deps, orgId, me)
  const all = await readCounters(read, orgId)
  const withStatus = (status: TicketStatus) =>
    sumOf(all.filter((counter) => counter.status === status && !counter.isSpam))
  const [failed] = await failedTickets(read, { orgId })
  const held = await readHeld(read, orgId, me)
  return {
    views: {
      mine: await countTickets(read, orgId, { status: 'open', assignedTo: me, isSpam: false }),
      unassigned: await countTickets(read, orgId, { status: 'open', assignedTo: '', isSpam: false }),
      open: withStatus('open'),
      pending: withStatus('pending'),
      resolved: withStatus('resolved'),
      failed: failed?.total ?? 0,
      held: held.tickets,
      spam: sumOf(all.filter(({ isSpam }) => isSpam)),
    },
    tags: (await countOpenTags(deps.database, orgId, MAX_TAGS)).map(({ tag, open }) => ({
      tag,
      count: open,
    })),
    saved,
    heldReplies: held.mine,
    ...(askAgainMs === undefined ? {} : { askAgainMs }),
  }
}

function sumOf(counters: { count: number }[]): number {
  return counters.reduce((sum, { count }) => sum + count, 0)
}

/** The partial index is used only for a query with exactly its condition. */
const failedTickets = statement('inbox_failed', { orgId: text }, (read: Reader, p) => {
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
