import type { Deps } from '../deps.ts'
import { eventsAfter, type LoggedEvent, newestEvent } from '../events/events.ts'
import type { PageStream } from './page-stream.ts'
import { changedFrame, type Frame, helloFrame, resetFrame } from './sse-frames.ts'
import { paced } from './throttle.ts'

/** A longer gap is not told event by event. */
const LONGEST_GAP = 1_000
const EVENTS_AT_ONCE = 200
/** What is committed meanwhile goes to the pages together. */
const REST_MS = 25

/** Where a page begins: behind the last event it has seen, or with what happened in these last milliseconds. */
export type Start = { after: number } | { backMs: number }

/** Reads the log of one organization once and tells all of its open pages: every event, in order, once. */
export interface Feed {
  join(page: PageStream, start: Start): void
  leave(page: PageStream): void
  /** Something may have been committed. */
  wake(): void
  /** Tells everyone to read everything again. */
  resetFrame(): Frame
  stop(): Promise<void>
}

export function createFeed(deps: Deps, orgId: string): Feed {
  /** All events up to here were told to those in `members`. Below 0 before the first look. */
  let position = -1
  const members = new Set<PageStream>()
  const joining = new Map<PageStream, Start>()
  const { read } = deps.database

  async function turn(): Promise<void> {
    await moveOn()
    for (const [page, start] of joining) {
      const missed = 'after' in start ? await eventsBetween(start.after) : await eventsSince(start.backMs)
      // It may have left while the log was read.
      if (!joining.delete(page)) continue
      if (!missed) page.send(resetFrame(position))
      else if (missed.length > 0) page.send(changedFrame(missed))
      page.send(helloFrame(position))
      members.add(page)
    }
  }

  /** Tells what is new. */
  async function moveOn(): Promise<void> {
    const newest = await newestEvent(read, orgId)
    if (position < 0) position = newest
    if (newest - position > LONGEST_GAP) return startOver(newest)
    while (position < newest) {
      const found = await eventsAfter(read, orgId, position, EVENTS_AT_ONCE)
      if (!isWithoutGap(found, position)) return startOver(newest)
      position += found.length
      tell(changedFrame(found))
    }
  }

  /** What a page has missed until `position`; undefined when that cannot be told event by event. */
  async function eventsBetween(after: number): Promise<LoggedEvent[] | undefined> {
    const missing = position - after
    if (missing < 0 || missing > LONGEST_GAP) return undefined
    if (missing === 0) return []
    const found = await eventsAfter(read, orgId, after, missing)
    return found.length === missing && isWithoutGap(found, after) ? found : undefined
  }

  /** The same by time. */
  async function eventsSince(backMs: number): Promise<LoggedEvent[] | undefined> {
    if (backMs === 0) return []
    const since = deps.clock.now() - backMs
    const first = Math.max(position - EVENTS_AT_ONCE, 0)
    const found = (await eventsBetween(first)) ?? []
    const isWhole = first === 0 || (found[0]?.createdAt ?? since) < since
    return isWhole ? found.filter(({ createdAt }) => createdAt >= since) : undefined
  }

  function startOver(newest: number): void {
    position = newest
    tell(resetFrame(newest))
  }

  function tell(frame: Frame): void {
    for (const page of members) page.send(frame)
  }

  const { wake, stop } = paced(deps, 'feed', () => REST_MS, turn)
  return {
    join(page, start) {
      joining.set(page, start)
      wake()
    },
    leave(page) {
      joining.delete(page)
      members.delete(page)
    },
    wake,
    resetFrame: () => resetFrame(Math.max(position, 0)),
    stop,
  }
}

/** Numbers have no holes, except where old events are no longer kept. */
function isWithoutGap(found: LoggedEvent[], after: number): boolean {
  return found.length > 0 && found.at(-1)?.number === after + found.length
}
