import { timeOfId } from './create-id.ts'

/** The `date` header has whole seconds, so the server's clock may be ahead of it by this much. */
const CLOCK_STEP_MS = 1_000
/** The longest time for Undo that an organization can set. */
const MAX_UNDO_MS = 30_000

let aheadMs = 0

/** The id of a request has the time when it arrived, unless a proxy replaced it. */
const REQUEST_ID = /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/**
 * Computes from the headers of a response how far the server's clock is ahead of this browser's. Takes the later of the
 * two times: after a slow response the date is later, after a fast one the request id, which has milliseconds.
 */
export function observeServerTime({ headers }: Response, now: number): void {
  const date = Date.parse(headers.get('date') ?? '')
  if (!Number.isFinite(date)) return
  const id = headers.get('x-request-id') ?? ''
  const arrivedAt = REQUEST_ID.test(id) ? timeOfId(id) : date
  // A server may update its date late. An id further ahead than that isn't ours.
  const isOurs = arrivedAt <= date + 2 * CLOCK_STEP_MS
  aheadMs = (isOurs ? Math.max(arrivedAt, date) : date) - now
}

/** Converts a time of this browser to the server's clock (milliseconds since 1970). Up to `CLOCK_STEP_MS` early, and never late. */
export function toServerTime(local: number): number {
  return local + aheadMs
}

/** Converts a time of the server to this browser's clock. Up to `CLOCK_STEP_MS` late, and never early. */
export function toLocalTime(atServer: number): number {
  return atServer - aheadMs
}

/** When a message that can be undone is sent, by this browser's clock. Clocks differ: never later than the server waits. */
export function undoEndsAt({ sendAt }: { sendAt: string }): number {
  return Math.min(toLocalTime(Date.parse(sendAt)), Date.now() + MAX_UNDO_MS)
}

/** A time of this browser as the server is asked for it (ISO 8601). Never early. */
export function atServer(local: number): string {
  return new Date(toServerTime(local) + CLOCK_STEP_MS).toISOString()
}

/** Undefined for no time of the server, or one that has passed. */
export function timeToCome(time: string | undefined): string | undefined {
  return time && toLocalTime(Date.parse(time)) > Date.now() ? time : undefined
}
