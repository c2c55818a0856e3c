/** The `date` header has whole seconds, so the server's clock may be ahead of it by this much. */
export const CLOCK_STEP_MS = 1_000

let aheadMs = 0

/** Computes from the `date` header of a response how far the server's clock is ahead of this browser's. */
export function observeServerDate(response: Response, now: number): void {
  const date = Date.parse(response.headers.get('date') ?? '')
  if (Number.isFinite(date)) aheadMs = date - now
}

/** Converts a time of this browser to the server's clock (milliseconds since 1970). Up to `CLOCK_STEP_MS` early, and never late. */
export function toServerTime(local: number): number {
  return local + aheadMs
}

/** Converts a time of the server to this browser's clock. Up to `CLOCK_STEP_MS` late, and never early. */
export function toLocalTime(atServer: number): number {
  return atServer - aheadMs
}
