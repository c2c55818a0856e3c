import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Reader } from '../../database/database.ts'
import { integer, statement, text } from '../../database/statement.ts'
import { events, WEBHOOK_EVENTS, type WebhookEvent } from '../../database/tables/events.ts'
import { tickets } from '../../database/tables/tickets.ts'
import type { Deps } from '../../deps.ts'
import type { Fault } from '../../errors.ts'
import { eventsAfter, type LoggedEvent } from '../events.ts'
import { endOfLog, eventsExpired, numberAt } from '../positions.ts'

/** Events that one query reads, and how many queries one page makes at most. The next page goes on where they end. */
const EVENTS_PER_QUERY = 1_000
const MAX_QUERIES = 10

interface EventFilter {
  types: ReadonlySet<WebhookEvent>
  ticketId?: string | undefined
}

/** An event that `/v1/events` has. */
export type PublicEvent = LoggedEvent & { type: WebhookEvent }

interface EventPage {
  events: PublicEvent[]
  /** The last event that was looked at. */
  after: number
  newest: number
  logId: string
}

/** After an event, by its number. */
export interface LogPlace {
  logId: string
  after: number
}

/** Where reading starts. Throws 400 for what isn't a position, and 410 for one that isn't kept. */
export async function startAt(
  deps: Deps,
  orgId: string,
  position: string,
  where: Pick<Fault, 'pointer' | 'parameter'>,
): Promise<LogPlace> {
  const { read } = deps.database
  const end = await endOfLog(read, orgId)
  const { logId } = end
  const after = numberAt(position, end, where)
  if (after === end.newest) return { logId, after }
  const [oldest] = await oldestNumber(read, { orgId, limit: 1 })
  const first = (oldest?.number ?? end.newest + 1) - 1
  if (after !== undefined && after < first) throw eventsExpired()
  return { logId, after: after ?? first }
}

/**
 * At most `limit` events after a number that pass the filter, oldest first. `after` of the page passes over what the filter
 * leaves out: every event up to it is committed, so nothing appears there later. Throws 410 when another log has begun:
 * its events may have numbers that were read already.
 */
export async function readEvents(
  deps: Deps,
  orgId: string,
  { logId, after, limit, filter }: LogPlace & { limit: number; filter: EventFilter },
): Promise<EventPage> {
  const { read } = deps.database
  const { newest, ...end } = await endOfLog(read, orgId)
  if (end.logId !== logId) throw eventsExpired()
  const found: PublicEvent[] = []
  let last = after
  for (let query = 0; query < MAX_QUERIES && last < newest; query++) {
    const logged = await eventsAfter(read, orgId, last, EVENTS_PER_QUERY)
    for (const event of logged) {
      // What was committed since then comes with the next page.
      if (event.number > newest) break
      last = event.number
      if (isPublic(event) && passes(event, filter)) found.push(event)
      if (found.length === limit) break
    }
    if (found.length === limit) break
    if (logged.length < EVENTS_PER_QUERY) last = newest
  }
  return { events: await withCustomers(read, orgId, found), after: last, newest, logId }
}

/** With the customers that their tickets have now. Storing them would make each row a third longer. */
async function withCustomers(read: Reader, orgId: string, found: PublicEvent[]): Promise<PublicEvent[]> {
  const ids = new Set(found.flatMap(({ ticketId, customerId }) => (customerId === null ? ticketId : [])))
  if (ids.size === 0) return found
  const rows = await read
    .select({ id: tickets.id, customerId: tickets.customerId })
    .from(tickets)
    .where(and(eq(tickets.orgId, orgId), inArray(tickets.id, [...ids])))
  const customerOf = new Map(rows.map(({ id, customerId }) => [id, customerId]))
  return found.map((event) => ({
    ...event,
    customerId: event.customerId ?? customerOf.get(event.ticketId) ?? null,
  }))
}

/** The bodies of events for webhooks, by number, where one was stored. */
export async function storedBodies(
  read: Reader,
  orgId: string,
  numbers: number[],
): Promise<Map<number, Uint8Array>> {
  if (numbers.length === 0) return new Map()
  const found = await read
    .select({ number: events.number, body: events.body })
    .from(events)
    .where(and(eq(events.orgId, orgId), inArray(events.number, numbers)))
  return new Map(found.flatMap(({ number, body }) => (body === null ? [] : [[number, body]])))
}

/** `ticket.updated` without changes only notifies open pages. */
export function isPublic(event: LoggedEvent): event is PublicEvent {
  if (event.type === 'ticket.updated' && event.changes === null) return false
  return (WEBHOOK_EVENTS as readonly string[]).includes(event.type)
}

function passes({ type, ticketId }: PublicEvent, filter: EventFilter): boolean {
  return filter.types.has(type) && (filter.ticketId === undefined || filter.ticketId === ticketId)
}

const oldestNumber = statement('events_oldest', { orgId: text, limit: integer }, (read: Reader, p) =>
  read
    .select({ number: events.number })
    .from(events)
    .where(eq(events.orgId, p.orgId))
    .orderBy(sql`${events.number} limit ${p.limit}`),
)
