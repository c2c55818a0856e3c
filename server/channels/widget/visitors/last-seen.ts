import { and, eq, sql } from 'drizzle-orm'
import { command } from '../../../database/statement.ts'
import { visitors } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { forgetVisitors, type SignedInVisitor, TOKEN_LIFETIME_MS } from './visitors.ts'

const DAY_MS = 86_400_000
const SAVE_EVERY_MS = 5_000
/** At most one write for each visitor in this time, unless they went to another page. */
const EACH_VISITOR_MS = 60_000
/** How many are saved in one unit, which holds the writer for a few milliseconds. */
const MAX_PER_UNIT = 200
/** Above this many visitors, those who were saved long ago are forgotten. */
const SWEEP_AT = 20_000

/** The page that a visitor is on. */
export interface VisitedPage {
  url: string
  title: string
}

interface Sighting {
  visitor: SignedInVisitor
  lastSeenAt: number
  address: string
  page: VisitedPage | undefined
}

/**
 * Collects when and on which page visitors were last seen, and saves many at once: a request costs no write of its own. A
 * token that is used is valid for another 90 days, moved once a day.
 */
export function createLastSeen(deps: Deps) {
  const unsaved = new Map<string, Sighting>()
  const savedAt = new Map<string, number>()
  let cancelTimer: (() => void) | undefined
  let isStopped = false

  async function save(): Promise<void> {
    cancelTimer?.()
    cancelTimer = undefined
    while (unsaved.size > 0) {
      const some = [...unsaved].slice(0, MAX_PER_UNIT)
      await deps.database.write(async (tx) => {
        for (const [id, sighting] of some) await see(tx, rowOf(id, sighting))
      })
      // After the write, so that a failed one is repeated. A visitor seen since then stays.
      for (const [id, sighting] of some) if (unsaved.get(id) === sighting) unsaved.delete(id)
      forgetVisitors(
        deps,
        some.map(([, { visitor }]) => visitor.tokenHash),
      )
    }
  }

  function startTimer(): void {
    cancelTimer ??= deps.clock.after(SAVE_EVERY_MS, () => {
      cancelTimer = undefined
      save().catch((error) => {
        deps.log.warn('last_seen_not_saved', { error })
        if (!isStopped) startTimer()
      })
    })
  }

  return {
    record(
      visitor: SignedInVisitor,
      { address, page }: { address: string; page?: VisitedPage | undefined },
    ): void {
      const now = deps.clock.monotonic()
      const last = savedAt.get(visitor.id)
      const known = unsaved.get(visitor.id)
      if (!known && !page && last !== undefined && now - last < EACH_VISITOR_MS) return
      if (savedAt.size >= SWEEP_AT) savedAt.clear()
      if (!known) savedAt.set(visitor.id, now)
      unsaved.set(visitor.id, {
        visitor,
        lastSeenAt: deps.clock.now(),
        address,
        page: page ?? known?.page,
      })
      startTimer()
    },
    /** Saves what hasn't been saved yet. */
    stop(): Promise<void> {
      isStopped = true
      return save()
    },
  }
}

function rowOf(id: string, { visitor, lastSeenAt, address, page }: Sighting) {
  const renewed = lastSeenAt + TOKEN_LIFETIME_MS
  const isDue = visitor.tokenExpiresAt < renewed - DAY_MS
  return {
    id,
    orgId: visitor.orgId,
    lastSeenAt,
    address,
    pageUrl: page?.url ?? null,
    pageTitle: page?.title ?? null,
    tokenExpiresAt: isDue ? renewed : null,
  }
}

const see = command<ReturnType<typeof rowOf>>('visitors_see', (tx, p) =>
  tx
    .update(visitors)
    .set({
      lastSeenAt: sql`${p.lastSeenAt}`,
      address: sql`${p.address}`,
      pageUrl: sql`coalesce(${p.pageUrl}, ${visitors.pageUrl})`,
      pageTitle: sql`coalesce(${p.pageTitle}, ${visitors.pageTitle})`,
      tokenExpiresAt: sql`coalesce(${p.tokenExpiresAt}, ${visitors.tokenExpiresAt})`,
    })
    .where(and(eq(visitors.orgId, p.orgId), eq(visitors.id, p.id))),
)
