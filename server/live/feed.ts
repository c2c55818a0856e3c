import type { Deps } from '../deps.ts'
import { eventsAfter, type LoggedEvent, newestEvent } from '../events/events.ts'
import { changedFrame, type Frame, helloFrame, resetFrame } from './frames.ts'
import { paced } from './paced.ts'
import type { PageStream } from './page-stream.ts'

/** A longer gap is not told event by event. */
const LONGEST_GAP = 1_000
const EVENTS_AT_ONCE = 200
/** What is committed meanwhile goes to the pages together. */
const REST_MS = 25

/** Reads the log of one organization once and tells all of its open pages: every event, in order, once. */
export interface Feed {
  /** `after` is the number of the last event the page has seen; without it the page starts with what comes. */
  join(page: PageStream, after: number | undefined): void
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
  const joining = new Map<PageStream, number | undefined>()
  const { read } = deps.database

  async function turn(): Promise<void> {
    await moveOn()
    for (const [page, after] of joining) {
      const missed = after === undefined ? [] : await eventsBetween(after)
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

  function startOver(newest: number): void {
    position = newest
    tell(resetFrame(newest))
  }

  function tell(frame: Frame): void {
    for (const page of members) page.send(frame)
  }

  const { wake, stop } = paced(deps, 'feed', () => REST_MS, turn)
  return {
    join(page, after) {
      joining.set(page, after)
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
