import { and, asc, eq, gt, gte, lte, or, sql } from 'drizzle-orm'
import type { Reader } from '../../database/database.ts'
import { integer, statement, text } from '../../database/statement.ts'
import { events } from '../../database/tables/events.ts'
import { organizations } from '../../database/tables/organizations.ts'
import { searchCursors } from '../../database/tables/search.ts'
import { tickets } from '../../database/tables/tickets.ts'
import type { Deps } from '../../deps.ts'

/** Fewer tickets are indexed within moments. */
const MIN_WAITING = 1_000
const NEVER = Number.MAX_SAFE_INTEGER
const ALWAYS = -1

/** How many of an organization's tickets are found by their words. */
interface IndexProgress {
  indexed: number
  total: number
}

/**
 * How far the index is while many tickets wait for it, such as after an import; undefined otherwise. Tickets are counted
 * by their last activity: those before the oldest one indexed, and those since the first event that isn't indexed.
 */
export async function readIndexProgress(
  { database: { read, background } }: Pick<Deps, 'database'>,
  orgId: string,
): Promise<IndexProgress | undefined> {
  const [cursor] = await cursorOf(read, { orgId })
  if (!cursor) return undefined
  const { lastEvent, eventNumber, backAt } = cursor
  const isUnread = eventNumber === null
  if (!isUnread && backAt === null && lastEvent - eventNumber < MIN_WAITING) return undefined
  const [event] = isUnread ? [] : await firstEventAfter(read, { orgId, number: eventNumber })
  const [counted] = await countAround(background, {
    orgId,
    until: isUnread ? NEVER : (backAt ?? ALWAYS),
    from: event?.createdAt ?? NEVER,
  })
  const { waiting = 0, total = 0 } = counted ?? {}
  return waiting < MIN_WAITING ? undefined : { indexed: total - waiting, total }
}

/** `Search is being prepared: 412,000 of 1,000,000 tickets.` */
export function progressSentence({ indexed, total }: IndexProgress): string {
  const [done, all] = [indexed, total].map((count) => count.toLocaleString('en'))
  return `Search is being prepared: ${done} of ${all} tickets.`
}

const cursorOf = statement('search_progress', { orgId: text }, (read: Reader, p) =>
  read
    .select({
      lastEvent: organizations.lastEvent,
      eventNumber: searchCursors.eventNumber,
      backAt: searchCursors.backAt,
    })
    .from(organizations)
    .leftJoin(searchCursors, eq(searchCursors.orgId, organizations.id))
    .where(eq(organizations.id, p.orgId)),
)

const firstEventAfter = statement(
  'search_progress_event',
  { orgId: text, number: integer },
  (read: Reader, p) =>
    read
      .select({ createdAt: events.createdAt })
      .from(events)
      .where(and(eq(events.orgId, p.orgId), gt(events.number, p.number)))
      .orderBy(asc(events.number))
      .limit(1),
)

/** Reads an entry of an index for each ticket: some 50 ms for a million, in another thread. */
const countAround = statement(
  'search_progress_tickets',
  { orgId: text, until: integer, from: integer },
  (read: Reader, p) => {
    const isWaiting = or(lte(tickets.updatedAt, p.until), gte(tickets.updatedAt, p.from))
    return read
      .select({
        total: sql<number>`count(*)`.mapWith(Number),
        waiting: sql<number>`count(*) filter (where ${isWaiting})`.mapWith(Number),
      })
      .from(tickets)
      .where(eq(tickets.orgId, p.orgId))
  },
)
