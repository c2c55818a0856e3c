import { eq } from 'drizzle-orm'
import { integer, statement, text } from '../../database/statement.ts'
import { searchCursors } from '../../database/tables/search.ts'
import type { Deps } from '../../deps.ts'
import { eventsAfter } from '../../events/events.ts'
import { yieldToEventLoop } from '../../loop.ts'
import { missingCustomers } from './customer-documents.ts'
import { highestNumber, replaceDocuments } from './documents.ts'
import { readDocuments, type UnitSize } from './read-documents.ts'

const EVENTS_PER_QUERY = 500
/** Events in one batch of a log that is far ahead. */
const MAX_EVENTS = 20_000

/** A part of the log, with its tickets in order of their last event, so that each is read once for all its events. */
interface Batch {
  cursor: number
  until: number
  tickets: { ticketId: string; number: number }[]
}

/** Indexes one unit of events after a cursor. Returns the number of the last of them. */
export type Follower = (
  orgId: string,
  log: { cursor: number; lastEvent: number; size: UnitSize },
) => Promise<number>

/**
 * Indexes the tickets that the log names. A batch doesn't change until it is done, so that a ticket with a constant flow
 * of new events is indexed too. Batches are only in memory: after a restart the log is read again from the cursor.
 */
export function createFollower(deps: Deps): Follower {
  const batches = new Map<string, Batch>()
  return async (orgId, { cursor, lastEvent, size }) => {
    const known = batches.get(orgId)
    const batch = known?.cursor === cursor ? known : await readBatch(deps, orgId, { cursor, lastEvent })
    const ids = batch.tickets.map(({ ticketId }) => ticketId)
    const documents = await readDocuments(deps, { orgId, ids, size })
    const tickets = batch.tickets.slice(documents.length)
    const eventNumber = tickets[0] ? tickets[0].number - 1 : batch.until
    await deps.database.write(undefined, async (tx) => {
      const [moved] = await moveCursor(tx, { orgId, eventNumber })
      const customers = await missingCustomers(tx, orgId, documents)
      await replaceDocuments(tx, orgId, [...documents, ...customers], moved?.highest ?? 0)
    })
    if (tickets.length > 0) batches.set(orgId, { ...batch, cursor: eventNumber, tickets })
    else batches.delete(orgId)
    return eventNumber
  }
}

/** Skips events that the log no longer has. */
async function readBatch(
  deps: Deps,
  orgId: string,
  { cursor, lastEvent }: { cursor: number; lastEvent: number },
): Promise<Batch> {
  const lastOf = new Map<string, number>()
  let until = cursor
  while (until < lastEvent && until - cursor < MAX_EVENTS) {
    const events = await eventsAfter(deps.database.read, orgId, until, EVENTS_PER_QUERY)
    for (const { ticketId, number } of events) {
      lastOf.delete(ticketId)
      if (ticketId !== '') lastOf.set(ticketId, number)
    }
    until = events.at(-1)?.number ?? lastEvent
    await yieldToEventLoop()
  }
  return { cursor, until, tickets: Array.from(lastOf, ([ticketId, number]) => ({ ticketId, number })) }
}

const moveCursor = statement('search_move_cursor', { orgId: text, eventNumber: integer }, (tx, p) =>
  tx
    .update(searchCursors)
    .set({ eventNumber: p.eventNumber })
    .where(eq(searchCursors.orgId, p.orgId))
    .returning({ highest: highestNumber }),
)
