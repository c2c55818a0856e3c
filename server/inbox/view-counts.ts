import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { newestEvent } from '../events/events.ts'
import { listViews } from '../saved-views/saved-views.ts'
import { type Count, countTickets, readCount } from '../search/count-tickets.ts'
import { readSearch, type Search } from '../search/read-search.ts'

/** What is counted sooner is counted each time; otherwise the answer is kept for a multiple of what it cost. */
const CHEAP_MS = 5
const KEEP_FACTOR = 100
const LONGEST_KEEP_MS = 5_000
const MOST_REMEMBERED = 2_000

export interface ViewCounts {
  saved: { id: string; count: number; isAtLeast?: true }[]
  /** Something may have changed since it was counted; behind so many milliseconds it is counted again. */
  askAgainMs?: number
}
export type ViewCounter = (deps: Deps, orgId: string, me: string, zone?: string) => Promise<ViewCounts>

interface Counted extends Count {
  /** The newest event when the counting began. */
  event: number
  keepUntil: number
}

interface Asked {
  orgId: string
  me: string
  search: Search
  newest: number
}

/**
 * Counts saved views for however many pages: one count of a query serves all who ask for it, an organization has one
 * running at a time, and what was dear is kept for some seconds, or until something happens in the organization. Days are
 * counted in the zone of the page.
 */
export function createViewCounter(): ViewCounter {
  const known = new Map<string, Counted>()
  const running = new Map<string, Promise<Counted>>()
  const queues = new Map<string, Promise<unknown>>()

  function start(deps: Deps, key: string, asked: Asked): Promise<Counted> {
    const before = queues.get(asked.orgId)
    const counting = countInTurn(deps, asked, before).then((counted) => {
      known.delete(key)
      known.set(key, counted)
      const [oldest] = known.keys()
      if (known.size > MOST_REMEMBERED && oldest !== undefined) known.delete(oldest)
      return counted
    })
    const settled = counting
      .catch(() => {})
      .then(() => {
        running.delete(key)
        if (queues.get(asked.orgId) === settled) queues.delete(asked.orgId)
      })
    queues.set(asked.orgId, settled)
    running.set(key, counting)
    return counting
  }

  async function countOf(deps: Deps, asked: Asked): Promise<Count & { oldUntil?: number }> {
    const counter = await readCount(deps.database.read, asked.orgId, asked.search)
    if (counter) return counter
    const key = keyOf(asked)
    const kept = known.get(key)
    const isCurrent = (one: Counted) => one.event === asked.newest && followsLog(asked.search)
    const isKept = kept && (isCurrent(kept) || deps.clock.monotonic() < kept.keepUntil)
    const shared = isKept ? kept : await running.get(key)
    if (!shared) return start(deps, key, asked)
    return isCurrent(shared) ? shared : { ...shared, oldUntil: shared.keepUntil }
  }

  return async (deps, orgId, me, zone) => {
    const { read } = deps.database
    const newest = await newestEvent(read, orgId)
    const answer: ViewCounts = { saved: [] }
    let oldUntil = Number.POSITIVE_INFINITY
    for (const { id, query } of await listViews(read, { orgId, agentId: me })) {
      const search = await understood(readSearch(read, { orgId, me, text: query, zone }))
      if (!search) continue
      const { count, isAtLeast, ...known } = await countOf(deps, { orgId, me, search, newest })
      answer.saved.push({ id, count, ...(isAtLeast ? { isAtLeast } : {}) })
      oldUntil = Math.min(oldUntil, known.oldUntil ?? oldUntil)
    }
    if (oldUntil === Number.POSITIVE_INFINITY) return answer
    return { ...answer, askAgainMs: Math.ceil(Math.max(1, oldUntil - deps.clock.monotonic())) }
  }
}

/** Behind all counts of the organization that were begun before. */
async function countInTurn(
  { clock, database }: Deps,
  { orgId, me, search, newest }: Asked,
  before: Promise<unknown> | undefined,
): Promise<Counted> {
  await before
  const startedAt = clock.monotonic()
  const count = await countTickets(database.read, orgId, me, search)
  const endedAt = clock.monotonic()
  const cost = endedAt - startedAt
  const keep = cost < CHEAP_MS ? 0 : Math.min(cost * KEEP_FACTOR, LONGEST_KEEP_MS)
  return { ...count, event: newest, keepUntil: endedAt + keep }
}

/** The same for every agent, unless it asks what this one has read or begun to write. */
function keyOf({ orgId, me, search: { filters, indexQuery, ticketReference } }: Asked): string {
  const isMine = filters.some(({ kind }) => kind === 'unread' || kind === 'draft' || kind === 'held')
  return JSON.stringify([orgId, isMine ? me : '', filters, indexQuery, ticketReference])
}

/** Whether its count changes only with an event: not with what was read, begun or put into the index. */
function followsLog({ filters, indexQuery }: Search): boolean {
  return (
    !indexQuery && !filters.some(({ kind }) => kind === 'unread' || kind === 'draft' || kind === 'failed')
  )
}

/** A view may name an agent who is called something else by now. */
async function understood(search: Promise<Search>): Promise<Search | undefined> {
  try {
    return await search
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
