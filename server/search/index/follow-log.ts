import { eq, sql } from 'drizzle-orm'
import { command } from '../../database/statement.ts'
import { searchCursors } from '../../database/tables/search.ts'
import type { Deps } from '../../deps.ts'
import { eventsAfter } from '../../events/events.ts'
import { yieldToEventLoop } from '../../loop.ts'
import { replaceDocuments } from './documents.ts'
import { MOST_TICKETS, readTickets } from './read-tickets.ts'

const EVENTS_AT_ONCE = 500
/** What is remembered of a log that is far ahead. */
const MOST_EVENTS = 20_000

/** A piece of the log: its tickets in order of their last event in it, so that each is read once for all of its events. */
interface Stretch {
  cursor: number
  until: number
  tickets: { ticketId: string; number: number }[]
}

/** One unit of work behind a cursor. */
export type Follower = (orgId: string, log: { cursor: number; lastEvent: number }) => Promise<void>

/**
 * Puts the tickets of the log into the index. A stretch is fixed until it is through, so that a ticket with ever new
 * events gets its turn too. It stands in memory only: after a restart the log is read again from the cursor.
 */
export function createFollower(deps: Deps): Follower {
  const stretches = new Map<string, Stretch>()
  return async (orgId, { cursor, lastEvent }) => {
    const known = stretches.get(orgId)
    const stretch = known?.cursor === cursor ? known : await readStretch(deps, orgId, { cursor, lastEvent })
    const ids = stretch.tickets.slice(0, MOST_TICKETS).map(({ ticketId }) => ticketId)
    const read = await readTickets(deps, orgId, ids)
    const tickets = stretch.tickets.slice(read.length)
    const eventNumber = tickets[0] ? tickets[0].number - 1 : stretch.until
    await deps.database.write(async (tx) => {
      await moveCursor(tx, { orgId, eventNumber })
      await replaceDocuments(tx, orgId, read)
    })
    if (tickets.length > 0) stretches.set(orgId, { ...stretch, cursor: eventNumber, tickets })
    else stretches.delete(orgId)
  }
}

/** What the log has forgotten is passed over. */
async function readStretch(
  deps: Deps,
  orgId: string,
  { cursor, lastEvent }: { cursor: number; lastEvent: number },
): Promise<Stretch> {
  const lastOf = new Map<string, number>()
  let until = cursor
  while (until < lastEvent && until - cursor < MOST_EVENTS) {
    const events = await eventsAfter(deps.database.read, orgId, until, EVENTS_AT_ONCE)
    for (const { ticketId, number } of events) {
      lastOf.delete(ticketId)
      if (ticketId !== '') lastOf.set(ticketId, number)
    }
    until = events.at(-1)?.number ?? lastEvent
    await yieldToEventLoop()
  }
  return { cursor, until, tickets: Array.from(lastOf, ([ticketId, number]) => ({ ticketId, number })) }
}

const moveCursor = command<{ orgId: string; eventNumber: number }>('search_move_cursor', (tx, p) =>
  tx
    .update(searchCursors)
    .set({ eventNumber: sql`${p.eventNumber}` })
    .where(eq(searchCursors.orgId, p.orgId)),
)
