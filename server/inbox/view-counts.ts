import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { newestEvent } from '../events/events.ts'
import { listViews } from '../saved-views/saved-views.ts'
import { type Count, countTickets, readCount } from '../search/count-tickets.ts'
import { readSearch, type Search } from '../search/read-search.ts'

/** Counts that take less are not kept; others are kept for a multiple of what they took. */
const CHEAP_MS = 5
const KEEP_FACTOR = 100
const MAX_KEEP_MS = 5_000
const MAX_CACHED = 2_000

interface ViewCounts {
  saved: { id: string; count: number; isAtLeast?: true }[]
  /** The counts may be out of date; after this many milliseconds they are counted again. */
  askAgainMs?: number
}
export type ViewCounter = (deps: Deps, orgId: string, me: string, zone?: string) => Promise<ViewCounts>

interface CachedCount extends Count {
  /** The newest event when the counting began. */
  event: number
  keepUntil: number
}

interface CountRequest {
  orgId: string
  me: string
  search: Search
  newestEvent: number
}

/**
 * Counts saved views for any number of pages. Everyone who asks for the same query gets the same count, an organization
 * counts one query at a time, and an expensive count is kept for some seconds, or until something happens in the
 * organization. Dates are in the time zone of the page.
 */
export function createViewCounter(): ViewCounter {
  const cached = new Map<string, CachedCount>()
  const running = new Map<string, Promise<CachedCount>>()
  const queues = new Map<string, Promise<unknown>>()

  function start(deps: Deps, key: string, request: CountRequest): Promise<CachedCount> {
    const previous = queues.get(request.orgId)
    const counting = countAfter(previous, deps, request).then((count) => {
      cached.delete(key)
      cached.set(key, count)
      const [oldest] = cached.keys()
      if (cached.size > MAX_CACHED && oldest !== undefined) cached.delete(oldest)
      return count
    })
    const settled = counting
      .catch(() => {})
      .then(() => {
        running.delete(key)
        if (queues.get(request.orgId) === settled) queues.delete(request.orgId)
      })
    queues.set(request.orgId, settled)
    running.set(key, counting)
    return counting
  }

  async function countOf(deps: Deps, request: CountRequest): Promise<Count & { staleUntil?: number }> {
    const exact = await readCount(deps.database.read, request.orgId, request.search)
    if (exact) return exact
    const key = keyOf(request)
    const known = cached.get(key)
    const isCurrent = (count: CachedCount) =>
      count.event === request.newestEvent && dependsOnEventsOnly(request.search)
    const isUsable = known && (isCurrent(known) || deps.clock.monotonic() < known.keepUntil)
    const shared = isUsable ? known : running.get(key)
    // Without a pause in between, or several that ask at the same moment would each count.
    if (!shared) return start(deps, key, request)
    const count = await shared
    return isCurrent(count) ? count : { ...count, staleUntil: count.keepUntil }
  }

  return async (deps, orgId, me, zone) => {
    const { read } = deps.database
    const newest = await newestEvent(read, orgId)
    const counts: ViewCounts = { saved: [] }
    let staleUntil = Number.POSITIVE_INFINITY
    for (const { id, query } of await listViews(read, { orgId, agentId: me })) {
      const search = await validSearch(readSearch(read, { orgId, me, text: query, zone }))
      if (!search) continue
      const { count, isAtLeast, ...age } = await countOf(deps, { orgId, me, search, newestEvent: newest })
      counts.saved.push({ id, count, ...(isAtLeast ? { isAtLeast } : {}) })
      staleUntil = Math.min(staleUntil, age.staleUntil ?? staleUntil)
    }
    if (staleUntil === Number.POSITIVE_INFINITY) return counts
    return { ...counts, askAgainMs: Math.ceil(Math.max(1, staleUntil - deps.clock.monotonic())) }
  }
}

/** Waits for the organization's counts that began before. */
async function countAfter(
  previous: Promise<unknown> | undefined,
  deps: Deps,
  { orgId, me, search, newestEvent }: CountRequest,
): Promise<CachedCount> {
  await previous
  const startedAt = deps.clock.monotonic()
  const count = await countTickets(deps, orgId, me, search)
  const endedAt = deps.clock.monotonic()
  const cost = endedAt - startedAt
  const keep = cost < CHEAP_MS ? 0 : Math.min(cost * KEEP_FACTOR, MAX_KEEP_MS)
  return { ...count, event: newestEvent, keepUntil: endedAt + keep }
}

/** The same for every agent, unless the count depends on what the agent has read or drafted. */
function keyOf({ orgId, me, search: { filters, indexQuery, ticketReference } }: CountRequest): string {
  const isPersonal = filters.some(({ kind }) => kind === 'unread' || kind === 'draft' || kind === 'held')
  return JSON.stringify([orgId, isPersonal ? me : '', filters, indexQuery, ticketReference])
}

/** Whether the count changes only with an event, and not with reading, drafting or indexing. */
function dependsOnEventsOnly({ filters, indexQuery }: Search): boolean {
  return (
    !indexQuery && !filters.some(({ kind }) => kind === 'unread' || kind === 'draft' || kind === 'failed')
  )
}

/** A view may name an agent who has been renamed since. */
async function validSearch(search: Promise<Search>): Promise<Search | undefined> {
  try {
    return await search
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
