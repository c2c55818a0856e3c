import { eq } from 'drizzle-orm'
import { ticketCounters, tickets } from '../../server/database/tables/tickets.ts'
import type { Deps } from '../../server/deps.ts'

interface Countable {
  status: string
  channel: string
  assignedTo: string
  tags: string[]
  place: number
}
type Counts = Record<string, number>

/** The counters of an organization that are kept and not 0, and the same counted from its tickets. */
export async function countersAndRecount(
  deps: Deps,
  orgId: string,
): Promise<{ kept: Counts; counted: Counts }> {
  const { read } = deps.database
  const rows = await read.select().from(ticketCounters).where(eq(ticketCounters.orgId, orgId))
  return {
    kept: countsOf(rows),
    counted: recount(await read.select().from(tickets).where(eq(tickets.orgId, orgId))),
  }
}

/** Counters by the fields of their key. */
export function countsOf(rows: (Omit<Countable, 'tags'> & { tag: string; count: number })[]): Counts {
  const used = rows.filter(({ count }) => count !== 0)
  return sorted(used.map(({ count, ...key }) => [nameOf(key), count]))
}

/** What the counters of these tickets should be. */
export function recount(all: Countable[]): Counts {
  const counts = new Map<string, number>()
  for (const ticket of all) {
    for (const assignedTo of ['any', ticket.assignedTo]) {
      for (const tag of ['', ...ticket.tags]) {
        const name = nameOf({ ...ticket, assignedTo, tag })
        counts.set(name, (counts.get(name) ?? 0) + 1)
      }
    }
  }
  return sorted([...counts])
}

function nameOf({
  assignedTo,
  status,
  tag,
  channel,
  place,
}: Omit<Countable, 'tags'> & { tag: string }): string {
  return `${assignedTo || 'nobody'} ${status} ${channel}${['', ' spam', ' snoozed', ' merged'][place]}${tag && ` #${tag}`}`
}

function sorted(counts: [string, number][]): Counts {
  return Object.fromEntries(counts.sort(([one], [other]) => one.localeCompare(other)))
}
