import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { matches } from '../../../database/matches.ts'
import { command, integer, orNull, text } from '../../../database/statement.ts'
import { visitors, widgetConversations } from '../../../database/tables/widgets.ts'
import { writeQuietly } from '../../../database/unit.ts'
import type { Deps } from '../../../deps.ts'
import { forgetVisitors, forgetVisitorsHere, type SignedInVisitor, TOKEN_LIFETIME_MS } from './visitors.ts'

const DAY_MS = 86_400_000
const SAVE_EVERY_MS = 5_000
/** Agents see it when a visitor goes to another page. */
const SAVE_CHANGED_MS = 1_000
/** At most one write for each visitor in this time, unless they went to another page. */
const EACH_VISITOR_MS = 60_000
/** How many are saved in one unit, which holds the writer for a few milliseconds. */
const MAX_PER_UNIT = 200
/** Of the tickets whose visitors have changed at once, agents see so many change now, and the others when they look. */
const MAX_SHOWN_TICKETS = 1_000
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
  /** Agents see something else now. */
  isChanged: boolean
}

interface Seen {
  address: string
  page?: VisitedPage | undefined
  /** Whether a request also changes what is known of them. */
  isChanged?: boolean
}

/**
 * Collects when and on which page visitors were last seen, and saves many at once: a request costs no write of its own. A
 * token that is used is valid for another 90 days, moved once a day. `onChanged` gets the tickets of visitors who have
 * changed, or are on another page.
 */
export function createLastSeen(deps: Deps, onChanged: (orgId: string, ticketIds: string[]) => void) {
  const unsaved = new Map<string, Sighting>()
  const savedAt = new Map<string, number>()
  let timer: { dueAt: number; cancel(): void } | undefined
  let isStopped = false

  async function save(): Promise<void> {
    timer?.cancel()
    timer = undefined
    while (unsaved.size > 0) {
      // In one order on all nodes: each locks the rows until its commit.
      const some = [...unsaved].slice(0, MAX_PER_UNIT).sort(([one], [other]) => (one < other ? -1 : 1))
      await deps.database.write(undefined, async (tx) => {
        writeQuietly()
        for (const [id, sighting] of some) await see(tx, rowOf(id, sighting))
      })
      // After the write, so that a failed one is repeated. A visitor seen since then stays.
      for (const [id, sighting] of some) if (unsaved.get(id) === sighting) unsaved.delete(id)
      const changed = some.flatMap(([, { visitor, isChanged }]) => (isChanged ? [visitor] : []))
      forgetVisitorsHere(
        deps,
        some.map(([, { visitor }]) => visitor.tokenHash),
      )
      forgetVisitors(
        deps,
        changed.map(({ tokenHash }) => tokenHash),
      )
      for (const [orgId, them] of Map.groupBy(changed, (one) => one.orgId)) await showChanged(orgId, them)
    }
  }

  async function showChanged(orgId: string, them: SignedInVisitor[]): Promise<void> {
    const ids = them.map(({ id }) => id)
    const written = await deps.database.read
      .select({ ticketId: widgetConversations.ticketId })
      .from(widgetConversations)
      .where(and(eq(widgetConversations.orgId, orgId), inArray(widgetConversations.visitorId, ids)))
      .orderBy(desc(widgetConversations.createdAt))
      .limit(MAX_SHOWN_TICKETS)
    if (written.length === 0) return
    onChanged(
      orgId,
      written.map(({ ticketId }) => ticketId),
    )
  }

  function saveIn(milliseconds: number): void {
    const dueAt = deps.clock.monotonic() + milliseconds
    if (timer && timer.dueAt <= dueAt) return
    timer?.cancel()
    const cancel = deps.clock.after(milliseconds, () => {
      timer = undefined
      void tryToSave()
    })
    timer = { dueAt, cancel }
  }

  async function tryToSave(): Promise<void> {
    try {
      await save()
    } catch (error) {
      deps.log.warn('last_seen_not_saved', { error })
      if (!isStopped) saveIn(SAVE_EVERY_MS)
    }
  }

  return {
    record(visitor: SignedInVisitor, { address, page, isChanged: isTyped = false }: Seen): void {
      const now = deps.clock.monotonic()
      const last = savedAt.get(visitor.id)
      const known = unsaved.get(visitor.id)
      const isElsewhere = page && (page.url !== visitor.pageUrl || page.title !== visitor.pageTitle)
      const isChanged = isTyped || isElsewhere === true
      if (!known && !isChanged && last !== undefined && now - last < EACH_VISITOR_MS) return
      if (savedAt.size >= SWEEP_AT) savedAt.clear()
      if (!known) savedAt.set(visitor.id, now)
      unsaved.set(visitor.id, {
        visitor,
        lastSeenAt: deps.clock.now(),
        address,
        page: page ?? known?.page,
        isChanged: isChanged || known?.isChanged === true,
      })
      saveIn(isChanged ? SAVE_CHANGED_MS : SAVE_EVERY_MS)
    },
    /** Saves what hasn't been saved yet, if it can. */
    stop(): Promise<void> {
      isStopped = true
      return tryToSave()
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

function isLater({ lastSeenAt }: { lastSeenAt: SQL<number> }): SQL {
  return sql`${lastSeenAt} > ${visitors.lastSeenAt}`
}

const see = command(
  'visitors_see',
  {
    id: text,
    orgId: text,
    lastSeenAt: integer,
    address: text,
    pageUrl: orNull(text),
    pageTitle: orNull(text),
    tokenExpiresAt: orNull(integer),
  },
  (tx, p) =>
    tx
      .update(visitors)
      .set({
        // Another node may have saved a later time.
        lastSeenAt: sql`case when ${isLater(p)} then ${p.lastSeenAt} else ${visitors.lastSeenAt} end`,
        address: sql`case when ${isLater(p)} then ${p.address} else ${visitors.address} end`,
        pageUrl: sql`coalesce(${p.pageUrl}, ${visitors.pageUrl})`,
        pageTitle: sql`coalesce(${p.pageTitle}, ${visitors.pageTitle})`,
        tokenExpiresAt: sql`case when ${p.tokenExpiresAt} > ${visitors.tokenExpiresAt} then ${p.tokenExpiresAt} else ${visitors.tokenExpiresAt} end`,
      })
      .where(matches(visitors, { orgId: p.orgId, id: p.id })),
)
