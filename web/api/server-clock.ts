/** The `date` of an answer has whole seconds: the server may be this much further. */
export const CLOCK_STEP_MS = 1_000

let aheadMs = 0

/** Learns from the `date` of an answer how far the server's clock is ahead of this browser's. */
export function observeServerDate(response: Response, now: number): void {
  const date = Date.parse(response.headers.get('date') ?? '')
  if (Number.isFinite(date)) aheadMs = date - now
}

/** The server's time for one of this browser (milliseconds since 1970). Up to `CLOCK_STEP_MS` early, and never late. */
export function toServerTime(local: number): number {
  return local + aheadMs
}

/** This browser's time for one of the server. Up to `CLOCK_STEP_MS` late, and never early. */
export function toLocalTime(atServer: number): number {
  return atServer - aheadMs
}
