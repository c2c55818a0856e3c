import { installation } from '../database/tables/cluster.ts'
import { events } from '../database/tables/events.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { newestEvents } from '../events/events.ts'
import type { FeedStart } from './feed.ts'
import { createThrottle } from './throttle.ts'

const HEARTBEAT_EVERY_MS = 15_000
/** The interval is divided into this many parts, and the pages are spread over them: one beat to all would block the event loop. */
const SLOTS = 150
/** Who is still signed in is checked after changes, at most once per pause. */
const CHECK_PAUSE_MS = 1_000
/** Events committed during a pause are looked at together. */
const WAKE_PAUSE_MS = 10
/** What a page may be behind. Larger than the most missed events that are sent one by one. */
const MAX_BUFFERED_BYTES = 256 * 1024

/** Bytes of an event stream, encoded once for all pages. */
export type Frame = Uint8Array

const encoder = new TextEncoder()

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // Otherwise nginx buffers the events.
  'x-accel-buffering': 'no',
}

/** One event. `number` becomes its id, with which a page resumes. */
export function eventText(event: string, data: object, number?: number): string {
  const id = number === undefined ? '' : `id: ${number}\n`
  return `${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

export function frameOf(text: string): Frame {
  return encoder.encode(text)
}

interface PageStream {
  readonly body: ReadableStream<Uint8Array>
  isEnded(): boolean
  /** Sends a frame. While the page is too far behind, frames are dropped until it has read its buffer. */
  send(frame: Frame): void
  /** Closes the stream, after an optional last frame. */
  end(lastFrame?: Frame): void
}

/** An open page with its stream. */
export interface OpenPage {
  orgId: string
  stream: PageStream
}

/** The pages of one organization, and what they are shown. */
export interface Room<Page> {
  readonly pages: ReadonlySet<Page>
  add(page: Page, start: FeedStart): void
  remove(page: Page): void
  /** Checks for new events. */
  wake(): void
  /** All events up to this number were sent. */
  position(): number
  /** The frames for a page whose frames were dropped. */
  catchUp(): Frame[]
  stop(): Promise<void>
}

export interface Streams<Page extends OpenPage, PageRoom extends Room<Page>> {
  /** Opens the stream of a page. Throws 503 while the server stops. */
  open(orgId: string, start: FeedStart, toPage: (stream: PageStream) => Page): Page
  find(orgId: string): PageRoom | undefined
  /** Forgets a room that is empty. */
  close(room: PageRoom): void
  pages(): Page[]
  count(): number
  /** Checks soon whether these pages may still be open. */
  check(pages: Iterable<Page>): void
  /** Closes all streams. The pages reconnect to the next server. */
  stop(): Promise<void>
}

/** The open pages of all organizations: agents', or visitors'. */
export function createStreams<Page extends OpenPage, PageRoom extends Room<Page>>(
  deps: Deps,
  audience: {
    createRoom(orgId: string): PageRoom
    /** Keeps a proxy from closing an idle connection. */
    heartbeat(page: Page): Frame
    onEnd?(page: Page): void
    /** Ends those pages that may not be open anymore. */
    endVoid(pages: Page[]): Promise<void>
  },
): Streams<Page, PageRoom> {
  const rooms = new Map<string, PageRoom>()
  const slots = Array.from({ length: SLOTS }, () => new Set<Page>())
  const slotOf = new Map<Page, Set<Page>>()
  const unchecked = new Set<Page>()
  const throttle = createThrottle(deps, 'sessions', () => CHECK_PAUSE_MS, endVoid)
  let slot = 0
  let nextSlot = 0
  let cancelHeartbeat: (() => void) | undefined
  let isStopped = false

  const waking = createThrottle(deps, 'newest', () => WAKE_PAUSE_MS, wakeRooms)
  const stopListening = deps.pulse.listen(waking.wake, [events])
  // A new log can end with the number of the one before.
  const stopFollowing = deps.pulse.listen(() => {
    for (const room of rooms.values()) room.wake()
  }, [installation])

  /** Those with new events. A commit is one of any organization, on any node. */
  async function wakeRooms(): Promise<void> {
    const newest = rooms.size > 1 ? await newestEvents(deps.database.read, rooms.keys()) : undefined
    for (const [orgId, room] of rooms) if (newest?.get(orgId) !== room.position()) room.wake()
  }

  function startHeartbeat(): void {
    cancelHeartbeat = deps.clock.after(HEARTBEAT_EVERY_MS / SLOTS, () => {
      cancelHeartbeat = undefined
      slot = (slot + 1) % SLOTS
      for (const page of slots[slot] ?? []) page.stream.send(audience.heartbeat(page))
      if (slotOf.size > 0) startHeartbeat()
    })
  }

  /** Slots are assigned in turn, not by time: after a restart, all pages reconnect at once. */
  function addToSlot(page: Page): void {
    nextSlot = (nextSlot + 1) % SLOTS
    const own = slots[nextSlot]?.add(page)
    if (own) slotOf.set(page, own)
    if (!cancelHeartbeat) startHeartbeat()
  }

  async function endVoid(): Promise<void> {
    const pages = [...unchecked].filter(({ stream }) => !stream.isEnded())
    unchecked.clear()
    if (pages.length > 0) await audience.endVoid(pages)
  }

  function roomOf(orgId: string): PageRoom {
    const room = rooms.get(orgId) ?? audience.createRoom(orgId)
    rooms.set(orgId, room)
    return room
  }

  function onEnd(page: Page): void {
    slotOf.get(page)?.delete(page)
    slotOf.delete(page)
    unchecked.delete(page)
    rooms.get(page.orgId)?.remove(page)
    audience.onEnd?.(page)
  }

  return {
    open(orgId, start, toPage) {
      if (isStopped)
        throw new AppError(503, 'stopping', 'The server is restarting. Try again in a few seconds.')
      const room = roomOf(orgId)
      const page: Page = toPage(openPageStream({ catchUp: () => room.catchUp(), onEnd: () => onEnd(page) }))
      addToSlot(page)
      room.add(page, start)
      return page
    },
    find: (orgId) => rooms.get(orgId),
    close(room) {
      for (const [orgId, one] of rooms) if (one === room) rooms.delete(orgId)
    },
    pages: () => [...slotOf.keys()],
    count: () => slotOf.size,
    check(pages) {
      for (const page of pages) unchecked.add(page)
      if (unchecked.size > 0) throttle.wake()
    },
    async stop() {
      isStopped = true
      stopListening()
      stopFollowing()
      cancelHeartbeat?.()
      // A room may be forgotten with its last page.
      const all = [...rooms.values()]
      for (const { stream } of [...slotOf.keys()]) stream.end()
      await Promise.all([waking.stop(), throttle.stop(), ...all.map((room) => room.stop())])
    },
  }
}

/**
 * The event stream of one open page. `catchUp` returns the frames for a page whose frames were dropped. `onEnd` is
 * called once, no matter which side closed the stream.
 */
export function openPageStream(on: { catchUp: () => Frame[]; onEnd: () => void }): PageStream {
  let isEnded = false
  let isDropping = false
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined

  function finish(): void {
    if (isEnded) return
    isEnded = true
    on.onEnd()
  }

  const source: UnderlyingDefaultSource<Uint8Array> = {
    start(controller) {
      stream = controller
    },
    pull(controller) {
      if (!isDropping || isEnded) return
      isDropping = false
      for (const frame of on.catchUp()) controller.enqueue(frame)
    },
    cancel: finish,
  }
  return {
    body: new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: 1_024 })),
    isEnded: () => isEnded,
    send(frame) {
      if (isEnded || isDropping || !stream) return
      const bufferedBytes = -(stream.desiredSize ?? 0)
      if (bufferedBytes > MAX_BUFFERED_BYTES) isDropping = true
      else stream.enqueue(frame)
    },
    end(lastFrame) {
      if (isEnded || !stream) return
      if (lastFrame) stream.enqueue(lastFrame)
      stream.close()
      finish()
    },
  }
}
