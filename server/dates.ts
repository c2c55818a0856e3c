/** ISO 8601, UTC, with milliseconds and `Z`. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

export function isoTimeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds)
}

/** Whether a `YYYY-MM-DD` date exists. `Date.parse` reads February 31 as March 3. */
export function isCalendarDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return Number.isFinite(time) && isoTime(time).startsWith(day)
}

const UNITS_MS = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** Parses a duration such as `250ms`, `30s`, `5m`, `1h` or `2d` to milliseconds. Throws an `Error` with the value. */
export function parseDuration(value: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(value.trim()) ?? []
  const unitMs = UNITS_MS.get(unit)
  if (!unitMs) throw new Error(`"${value}" isn't a duration like 250ms, 30s, 5m, 1h or 2d.`)
  return Number(digits) * unitMs
}

/** Parses a comma-separated list of one or more durations, such as `30s,5m,30m`, to milliseconds. Throws like `parseDuration`. */
export function parseDurations(value: string): number[] {
  return value.split(',').map(parseDuration)
}
