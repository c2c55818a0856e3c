import { and, eq, gt, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { PartitionLost, withFence } from '../database/postgresql/fence.ts'
import { command, integer, statement, text } from '../database/statement.ts'
import { installation } from '../database/tables/cluster.ts'
import { events, type LogEvent, reactionCursors } from '../database/tables/events.ts'
import { organizations } from '../database/tables/organizations.ts'
import type { Deps } from '../deps.ts'
import { eventsAfter, type LoggedEvent } from '../events/events.ts'
import { amongText, isAmong, isHeld, startHeldLoop } from '../jobs/held.ts'
import { createErrorLog, type Loop } from '../loop.ts'

/** Events of one run, which also limits what one unit writes. */
const EVENTS_PER_RUN = 500
/** Events within this time are handled in one run. */
const REST_MS = 100
/** At most this many events without an effect are read again after a restart. */
const MAX_UNSAVED = 10_000

/** Something the server does because of events. */
export interface Reaction {
  types: readonly LogEvent[]
  /**
   * Reads what it needs, and returns what to write because of these events, oldest first. That is written once, even after
   * a crash: in the unit that moves the cursor. Undefined for nothing. What the effect returns is called after the commit.
   */
  effectOf(orgId: string, events: LoggedEvent[]): Promise<Effect | undefined>
}

export type Effect = (tx: Transaction) => Promise<(() => void) | undefined>

interface Progress {
  orgId: string
  logId: string
  /** The stored cursor. */
  saved: number
  /** The last event that was read. */
  cursor: number
  /** As far as it is known, the last event of all. */
  newest: number
}

/**
 * Follows the log of every organization, and applies the reactions in their order. No request waits for it. The cursor
 * is stored with the effects; events without one only move it in memory, so that they cost no commit.
 */
export function startReacting(deps: Deps, reactions: readonly Reaction[]): Loop {
  const logError = createErrorLog(deps, 'reaction_failed')
  const { partitions } = deps.cluster
  /** Up to where a log was read, by organization. Ahead of the stored cursor while events have no effect. */
  const readTo = new Map<string, { logId: string; number: number }>()
  /** The stored cursors of those that no other node can have moved since they were read. */
  const savedOf = new Map<string, { logId: string; saved: number }>()
  let nextAt = deps.clock.monotonic()

  return startHeldLoop(deps, 'reactions', [events, installation], async (orgIds) => {
    const wait = nextAt - deps.clock.monotonic()
    if (wait > 0) return wait
    let hasMore = false
    for (const progress of await findBehind(orgIds)) {
      const { orgId } = progress
      const hasMoreOfOne = await withFence(partitions.fenceOf([orgId]), () => react(orgId, progress)).catch(
        (error) => {
          savedOf.delete(orgId)
          if (!(error instanceof PartitionLost)) logError({ orgId, error })
          return true
        },
      )
      hasMore ||= hasMoreOfOne
    }
    nextAt = deps.clock.monotonic() + REST_MS
    return hasMore ? REST_MS : Number.POSITIVE_INFINITY
  })

  /** Those with new events: of these organizations, or of all. */
  async function findBehind(orgIds: ReadonlySet<string> | undefined): Promise<Progress[]> {
    const known = [...(orgIds ?? [])].flatMap((orgId) => {
      const stored = savedOf.get(orgId)
      if (!stored) return []
      const cursor = cursorOf(orgId, stored)
      return [{ orgId, ...stored, cursor, newest: cursor }]
    })
    if (known.length > 0 && known.length === orgIds?.size) return known
    if (!orgIds) savedOf.clear()
    const held = partitions.held()
    const found = await organizationsBehind(deps.database.read, { held, among: amongText(orgIds) })
    return found.flatMap(({ orgId, newest, ...stored }) => {
      savedOf.set(orgId, stored)
      const cursor = cursorOf(orgId, stored)
      return cursor < newest ? [{ orgId, ...stored, cursor, newest }] : []
    })
  }

  /** Events of a new log may have numbers that were read in the one before. */
  function cursorOf(orgId: string, { logId, saved }: { logId: string; saved: number }): number {
    const known = readTo.get(orgId)
    return known?.logId === logId ? Math.max(saved, known.number) : saved
  }

  /** Returns whether there may be more events. */
  async function react(
    orgId: string,
    { logId, saved, cursor, newest }: Omit<Progress, 'orgId'>,
  ): Promise<boolean> {
    const logged = await eventsAfter(deps.database.read, orgId, cursor, EVENTS_PER_RUN)
    // The log no longer has the events that are older than it keeps.
    const last = logged.at(-1)?.number ?? newest
    const effects: Effect[] = []
    for (const reaction of reactions) {
      const own = logged.filter(({ type }) => reaction.types.includes(type))
      const effect = own.length > 0 && (await reaction.effectOf(orgId, own))
      if (effect) effects.push(effect)
    }
    if (effects.length > 0 || last - saved > MAX_UNSAVED) {
      const shows = await deps.database.write(orgId, async (tx) => {
        const moved = await moveCursor(tx, { orgId, from: saved, to: last })
        if (moved.length === 0) return undefined
        const committed: (() => void)[] = []
        for (const effect of effects) committed.push((await effect(tx)) ?? (() => {}))
        return committed
      })
      if (!shows) {
        savedOf.delete(orgId)
        return true
      }
      savedOf.set(orgId, { logId, saved: last })
      for (const show of shows) show()
    }
    readTo.set(orgId, { logId, number: last })
    return logged.length === EVENTS_PER_RUN
  }
}

const cursor = sql<number>`coalesce(${reactionCursors.eventNumber}, 0)`.mapWith(Number)

const organizationsBehind = statement('reactions_behind', { held: text, among: text }, (read: Reader, p) =>
  read
    .select({
      orgId: organizations.id,
      logId: organizations.logId,
      newest: organizations.lastEvent,
      saved: cursor,
    })
    .from(organizations)
    .leftJoin(reactionCursors, eq(reactionCursors.orgId, organizations.id))
    .where(
      and(
        gt(organizations.lastEvent, cursor),
        isHeld(organizations.id, p.held),
        isAmong(organizations.id, p.among),
      ),
    ),
)

/** Returns nothing if the cursor isn't at `from`: someone else has moved it. */
const moveCursor = statement('reactions_move', { orgId: text, from: integer, to: integer }, (tx, p) =>
  tx
    .insert(reactionCursors)
    .values({ orgId: p.orgId, eventNumber: p.to })
    .onConflictDoUpdate({
      target: reactionCursors.orgId,
      set: { eventNumber: sql`excluded.event_number` },
      setWhere: sql`${reactionCursors.eventNumber} = ${p.from}`,
    })
    .returning({ orgId: reactionCursors.orgId }),
)

/** For an imported organization: another server has already reacted to the events in its log. */
export const startAtNewestEvent = command('reactions_start', { orgId: text }, (tx, p) =>
  tx
    .insert(reactionCursors)
    .select(
      tx
        .select({ orgId: organizations.id, eventNumber: organizations.lastEvent })
        .from(organizations)
        .where(eq(organizations.id, p.orgId)),
    ),
)
