import { and, count, eq } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { messages } from '../database/tables/messages.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { notes } from '../database/tables/threads.ts'
import type { TicketStatus } from '../database/tables/tickets.ts'
import { isoTime } from '../dates.ts'
import type { Deps } from '../deps.ts'
import { readDestination } from '../messages/sends/plan-sends.ts'
import { readTicketRow } from '../tickets/tickets.ts'
import { endsSnooze, mergedStatus } from './merge-tickets.ts'
import { type Pair, reasonAgainst } from './mergeable.ts'

/** What a merge would do. */
interface MergePreview {
  /** Why it isn't possible. */
  reason?: string
  messages: number
  notes: number
  waiting: number
  /** Name of the other customer, who becomes a participant. */
  participant?: string
  continuesByEmail: boolean
  leavesEmail: boolean
  status: TicketStatus
  endsSnooze: boolean
  snoozedUntil?: string
}

/** What merging one ticket into another would do, in numbers and names. Changes nothing. Throws 404. */
export async function previewMerge(
  deps: Deps,
  orgId: string,
  wanted: { from: string; into: string },
): Promise<MergePreview> {
  const { read } = deps.database
  const from = await readTicketRow(read, orgId, wanted.from)
  const into = await readTicketRow(read, orgId, wanted.into)
  const pair: Pair = { from, into, fromCustomer: from.customer, intoCustomer: into.customer }
  const reason = await reasonAgainst(deps, read, pair)
  const way = await readDestination(deps, read, into, into.customer)
  const before = await readDestination(deps, read, from, from.customer)
  const isOther = from.customerId !== into.customerId
  const byAddress = deps.channels.byAddress.kind
  return {
    ...(reason !== undefined && { reason }),
    messages: await countOf(read, messages, from),
    notes: await countOf(read, notes, from),
    waiting: await countOf(read, scheduledMessages, from),
    ...(isOther && { participant: from.customer.name }),
    continuesByEmail: !deps.channels.of(from.channel).isByAddress && into.channel === byAddress,
    leavesEmail: before.by === byAddress && way.by !== byAddress,
    status: mergedStatus(pair),
    endsSnooze: endsSnooze(pair),
    ...(into.snoozedUntil !== null && { snoozedUntil: isoTime(into.snoozedUntil) }),
  }
}

async function countOf(
  read: Reader,
  table: typeof messages | typeof notes | typeof scheduledMessages,
  { orgId, id }: Pair['from'],
): Promise<number> {
  const [found] = await read
    .select({ rows: count() })
    .from(table)
    .where(and(eq(table.orgId, orgId), eq(table.ticketId, id)))
  return found?.rows ?? 0
}
