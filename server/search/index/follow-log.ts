import type { Deps } from '../../deps.ts'
import { eventsAfter } from '../../events/events.ts'
import { yieldToEventLoop } from '../../loop.ts'
import { missingCustomers } from './customer-documents.ts'
import { replaceDocuments } from './documents.ts'
import { readDocuments, type UnitSize } from './read-documents.ts'

const EVENTS_PER_QUERY = 500
/** Events that come with the question who is behind. */
export const MAX_NEXT_EVENTS = 50
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
  log: { cursor: number; lastEvent: number; next: string | null; size: UnitSize },
) => Promise<number>

/**
 * Indexes the tickets that the log names. A batch doesn't change until it is done, so that a ticket with a constant flow
 * of new events is indexed too. Batches are only in memory: after a restart the log is read again from the cursor.
 */
export function createFollower(deps: Deps): Follower {
  const batches = new Map<string, Batch>()
  return async (orgId, { size, ...log }) => {
    const { cursor } = log
    const known = batches.get(orgId)
    const batch = known?.cursor === cursor ? known : await readBatch(deps, orgId, log)
    const ids = batch.tickets.map(({ ticketId }) => ticketId)
    const documents = await readDocuments(deps, { orgId, ids, size })
    const tickets = batch.tickets.slice(documents.length)
    const eventNumber = tickets[0] ? tickets[0].number - 1 : batch.until
    await deps.database.write(undefined, async (tx) => {
      const customers = await missingCustomers(tx, orgId, documents)
      await replaceDocuments(tx, orgId, [...documents, ...customers], eventNumber)
    })
    if (tickets.length > 0) batches.set(orgId, { ...batch, cursor: eventNumber, tickets })
    else batches.delete(orgId)
    return eventNumber
  }
}

/** `next`: the first events after the cursor, with their tickets. Skips events that the log no longer has. */
async function readBatch(
  deps: Deps,
  orgId: string,
  { cursor, lastEvent, next }: { cursor: number; lastEvent: number; next: string | null },
): Promise<Batch> {
  const lastOf = new Map<string, number>()
  function add(events: { ticketId: string; number: number }[]): void {
    for (const { ticketId, number } of events) {
      lastOf.delete(ticketId)
      if (ticketId !== '') lastOf.set(ticketId, number)
    }
  }
  const first = eventsIn(next)
  add(first)
  let until = (first.length < MAX_NEXT_EVENTS ? undefined : first.at(-1)?.number) ?? lastEvent
  while (until < lastEvent && until - cursor < MAX_EVENTS) {
    const events = await eventsAfter(deps.database.read, orgId, until, EVENTS_PER_QUERY)
    add(events)
    until = events.at(-1)?.number ?? lastEvent
    await yieldToEventLoop()
  }
  return { cursor, until, tickets: Array.from(lastOf, ([ticketId, number]) => ({ ticketId, number })) }
}

function eventsIn(next: string | null): { ticketId: string; number: number }[] {
  const events = (next ?? '').split(',').map((event) => event.split(' '))
  return events
    .map(([number, ticketId = '']) => ({ ticketId, number: Number(number) }))
    .filter(({ number }) => number > 0)
    .sort((one, other) => one.number - other.number)
}
