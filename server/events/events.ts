import { and, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { deferredWrite } from '../database/deferred-writes.ts'
import { command, insertOf, integer, statement, text } from '../database/statement.ts'
import {
  type EventChanges,
  events,
  type LogEvent,
  SPECIFIED_EVENTS,
  type SpecifiedEvent,
} from '../database/tables/events.ts'
import { organizations } from '../database/tables/organizations.ts'
import { selectTexts } from '../database/text-list.ts'
import { isoTime } from '../dates.ts'
import type { Deps } from '../deps.ts'
import { queueDeliveries, type Receives, receivesOf, type Subscriber, subscribersOf } from './outbox.ts'

/**
 * Something that happened to a ticket or a customer. `data` is the payload of the webhook (section 6 of the specification);
 * that of the other events is made after the commit (server/events/api/bodies.ts).
 */
export type NewEvent = {
  ticketId: string
  createdAt: number
  /** For what outlives a ticket, or has none. Of other events, the ticket says it. */
  customerId?: string
  messageId?: string
  /** `deps.actor` unless it says otherwise. */
  byId?: string
  changes?: EventChanges
} & ({ type: SpecifiedEvent; data: object } | { type: Exclude<LogEvent, SpecifiedEvent> })

/**
 * Appends events to the organization's log and queues their deliveries, in the unit that makes the change. They are
 * written at the end of its commit, with those of other units.
 */
export function recordEvents(deps: Deps, tx: Transaction, orgId: string, newEvents: NewEvent[]): void {
  deferEvents(tx, { deps, orgId, newEvents })
}

const deferEvents = deferredWrite<Recorded>(async (tx, recorded) => {
  const byOrganization = Map.groupBy(recorded, ({ orgId }) => orgId)
  for (const orgId of [...byOrganization.keys()].sort()) {
    await insertRecorded(tx, orgId, byOrganization.get(orgId) ?? [])
  }
})

interface Recorded {
  deps: Deps
  orgId: string
  newEvents: NewEvent[]
}

/** Locks the organization's row, and then its endpoints'. */
async function insertRecorded(tx: Transaction, orgId: string, recorded: Recorded[]): Promise<void> {
  const all = recorded.flatMap(({ deps, newEvents }) =>
    newEvents.map((event, place) => ({ deps, event, byId: storedById(deps, event, newEvents[place + 1]) })),
  )
  const specified = all.flatMap(({ event }) => (isSpecified(event) ? [event] : []))
  const [[last], subscribers] = await Promise.all([
    takeNumbers(tx, { orgId, howMany: all.length }),
    specified.length > 0 ? subscribersOf(tx, orgId) : [],
  ])
  if (!last) throw new Error(`There is no organization ${orgId}.`)
  const first = last.number - all.length + 1
  const receives = await receivesOf(tx, orgId, specified, subscribers)
  const rows = all.map(({ event, byId }, place) => ({
    orgId,
    number: first + place,
    type: event.type,
    ticketId: event.ticketId,
    customerId: event.customerId ?? null,
    messageId: event.messageId ?? null,
    byId,
    changes: event.changes ?? null,
    createdAt: event.createdAt,
    body: bodyOf(event, subscribers, receives),
  }))
  await insertEvents(tx, rows)
  await queueDeliveries(
    tx,
    all.flatMap(({ deps, event }, place) =>
      isSpecified(event) ? { ...event, deps, orgId, number: first + place } : [],
    ),
    subscribers,
    receives,
  )
}

/** A new ticket's is empty when that of the next event, of its message, is the same: most of the log is such pairs. */
function storedById({ actor }: Deps, event: NewEvent, next: NewEvent | undefined): string | null {
  const byId = event.byId ?? actor.id ?? null
  if (event.type !== 'ticket.created' || !next) return byId
  return byId === (next.byId ?? actor.id ?? null) ? '' : byId
}

/** Records that settings changed, so that open pages load them again. Call it in the unit that changes them. */
export function recordWorkspaceChange(deps: Deps, tx: Transaction, orgId: string): void {
  const createdAt = deps.clock.now()
  recordEvents(deps, tx, orgId, [{ type: 'workspace.changed', ticketId: '', createdAt }])
}

export type LoggedEvent = Omit<typeof events.$inferSelect, 'body' | 'orgId'>

/** Events after a cursor, oldest first; at most `limit`. */
export function eventsAfter(
  read: Reader,
  orgId: string,
  cursor: number,
  limit: number,
): Promise<LoggedEvent[]> {
  return eventsAfterNumber(read, { orgId, cursor, limit })
}

/** Number of the newest event of an organization; 0 before the first. All events up to it are committed. */
export async function newestEvent(read: Reader, orgId: string): Promise<number> {
  const [newest] = await newestNumber(read, { orgId })
  return newest?.number ?? 0
}

/** The same of several organizations, in one query. */
export async function newestEvents(read: Reader, orgIds: Iterable<string>): Promise<Map<string, number>> {
  const newest = await newestNumbers(read, { ids: JSON.stringify([...orgIds]) })
  return new Map(newest.map(({ id, number }) => [id, number]))
}

function isSpecified<E extends NewEvent>(event: E): event is Extract<E, { data: object }> {
  return (SPECIFIED_EVENTS as readonly LogEvent[]).includes(event.type)
}

/** The exact bytes that are signed and sent; null when no endpoint gets it. */
function bodyOf(event: NewEvent, subscribers: Subscriber[], receives: Receives): Uint8Array | null {
  if (!isSpecified(event)) return null
  if (!subscribers.some((subscriber) => receives(subscriber, event))) return null
  const body = { event: event.type, createdAt: isoTime(event.createdAt), data: event.data }
  return Buffer.from(JSON.stringify(body))
}

/**
 * Locks the row of an organization, as units of one organization do when they begin on PostgreSQL. For a unit of several
 * that locks tickets before it records events: in the order of the ids, so that no two wait for each other.
 */
export const lockOrganization = command('organizations_lock', { orgId: text }, (tx, p) =>
  tx
    .update(organizations)
    .set({ lastEvent: sql`${organizations.lastEvent}` })
    .where(eq(organizations.id, p.orgId)),
)

const takeNumbers = statement('events_take_numbers', { orgId: text, howMany: integer }, (tx, p) =>
  tx
    .update(organizations)
    .set({ lastEvent: sql`${organizations.lastEvent} + ${p.howMany}` })
    .where(eq(organizations.id, p.orgId))
    .returning({ number: organizations.lastEvent }),
)

const insertEvents = insertOf(events)

const { body: _, orgId: _orgId, byId: _byId, ...loggedColumns } = getTableColumns(events)
const byId = sql<string | null>`case when by_id = '' then (select next.by_id from events as next
  where next.org_id = events.org_id and next.number = events.number + 1) else by_id end`

const eventsAfterNumber = statement(
  'events_after',
  { orgId: text, cursor: integer, limit: integer },
  (read: Reader, p) =>
    read
      .select({ ...loggedColumns, byId })
      .from(events)
      .where(and(eq(events.orgId, p.orgId), gt(events.number, p.cursor)))
      // The limit is part of the order, because Drizzle would bind it bare.
      .orderBy(sql`${events.number} limit ${p.limit}`),
)

const newestNumber = statement('events_newest', { orgId: text }, (read: Reader, p) =>
  read.select({ number: organizations.lastEvent }).from(organizations).where(eq(organizations.id, p.orgId)),
)

const newestNumbers = statement('events_newest_of', { ids: text }, (read: Reader, p) =>
  read
    .select({ id: organizations.id, number: organizations.lastEvent })
    .from(organizations)
    .where(sql`${organizations.id} in (${selectTexts(p.ids)})`),
)
