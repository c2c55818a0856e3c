import type { Deps } from '../deps.ts'
import { eventsAfter, type LoggedEvent } from '../events/events.ts'
import { endOfLog } from '../events/positions.ts'
import { yieldToEventLoop } from '../loop.ts'
import { createThrottle } from './throttle.ts'

/** Events that are kept for pages that reconnect. A page that missed more reads everything again. */
const MAX_KEPT_EVENTS = 2_000
const BATCH_SIZE = 200
/** Events committed during a pause are sent together. */
const PAUSE_MS = 25
/** How long pages can join before other work gets its turn. */
const JOIN_SLICE_MS = 8

/**
 * The first event a page gets: the one after the last it has seen, or the first of the last milliseconds. `after` is
 * undefined for a page that has just read everything.
 */
export type FeedStart = { after: number | undefined } | { lastMs: number }

/** Who reads the log of an organization, and what of it they get. */
interface Audience<Page> {
  /** Sends new events to the pages that were let in. */
  show(events: LoggedEvent[]): Promise<void> | void
  /** Sends what isn't in the log. */
  showMore?(): Promise<void>
  /**
   * Lets a page in. `missed` are the events it has missed until `position`, undefined when that isn't known. It may have been
   * closed, also meanwhile.
   */
  letIn(page: Page, missed: LoggedEvent[] | undefined, start: FeedStart): Promise<void> | void
  /** Tells all pages to read everything again. */
  reset(): void
}

/** Reads the event log of one organization for its open pages: each gets every event in order, once. */
interface Feed<Page> {
  join(page: Page, start: FeedStart): void
  /** Checks for new events. */
  wake(): void
  /** All events up to this number were sent. */
  position(): number
  stop(): Promise<void>
}

export function createFeed<Page>(deps: Deps, orgId: string, audience: Audience<Page>): Feed<Page> {
  /** Below 0 before the first read. */
  let position = -1
  let logOfPosition = ''
  let kept: LoggedEvent[] = []
  const joining = new Map<Page, FeedStart>()
  const { read } = deps.database

  async function update(): Promise<void> {
    await sendNewEvents()
    await audience.showMore?.()
    await letIn()
  }

  async function sendNewEvents(): Promise<void> {
    const { logId, newest } = await endOfLog(read, orgId)
    if (position >= 0 && logId !== logOfPosition) {
      // Of the new log, other events have the same numbers.
      position = newest
      kept = []
      audience.reset()
    }
    logOfPosition = logId
    if (position < 0) {
      kept = await eventsAfter(read, orgId, Math.max(newest - MAX_KEPT_EVENTS, 0), MAX_KEPT_EVENTS)
      // More may have been committed between the two reads.
      position = kept.at(-1)?.number ?? newest
    }
    while (position < newest) {
      const events = await eventsAfter(read, orgId, position, BATCH_SIZE)
      const last = events.at(-1)?.number
      // Numbers have no gaps, except where old events were deleted.
      if (last === undefined || last !== position + events.length) {
        position = newest
        kept = []
        audience.reset()
        return
      }
      kept.push(...events)
      if (kept.length > 2 * MAX_KEPT_EVENTS) kept = kept.slice(-MAX_KEPT_EVENTS)
      await audience.show(events)
      position = last
      await yieldToEventLoop()
    }
  }

  async function letIn(): Promise<void> {
    const startedAt = deps.clock.monotonic()
    for (const [page, start] of joining) {
      joining.delete(page)
      await audience.letIn(page, missedSince(start), start)
      if (deps.clock.monotonic() - startedAt > JOIN_SLICE_MS) break
    }
    if (joining.size > 0) throttle.wake()
  }

  /** The events since then, or undefined when some of them aren't kept. */
  function missedSince(start: FeedStart): LoggedEvent[] | undefined {
    if ('lastMs' in start) {
      if (start.lastMs === 0) return []
      const since = deps.clock.now() - start.lastMs
      const [oldest] = kept
      const isWhole = (oldest?.number ?? position + 1) <= 1 || (oldest?.createdAt ?? since) < since
      return isWhole ? kept.filter(({ createdAt }) => createdAt >= since) : undefined
    }
    const { after = position } = start
    if (after === position) return []
    const missed = after < position ? kept.slice(Math.max(after - position, -kept.length)) : []
    return after < position && missed.length === position - after ? missed : undefined
  }

  const throttle = createThrottle(deps, 'feed', () => PAUSE_MS, update)
  return {
    join(page, start) {
      joining.set(page, start)
      throttle.wake()
    },
    wake: throttle.wake,
    position: () => Math.max(position, 0),
    stop: throttle.stop,
  }
}
