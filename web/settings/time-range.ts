const HOUR_MS = 3_600_000

/** Time ranges that end now. */
const TIME_RANGES_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, month: 30 * 24 * HOUR_MS }

export type TimeRange = keyof typeof TIME_RANGES_MS
export type Since = TimeRange | 'exact'

export const TIME_RANGES: { value: TimeRange; label: string }[] = [
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last 24 hours' },
  { value: 'week', label: 'Last 7 days' },
  { value: 'month', label: 'Last 30 days' },
]

export const SINCE_OPTIONS: { value: Since; label: string }[] = [
  ...TIME_RANGES,
  { value: 'exact', label: 'Since…' },
]

export function isTimeRange(word: string | undefined): word is TimeRange {
  return word !== undefined && word in TIME_RANGES_MS
}

/** Start of a range that ends now, ISO 8601. Rounded to the minute, so that the query key does not change every second. */
export function startOf(range: TimeRange): string {
  const start = Date.now() - TIME_RANGES_MS[range]
  return new Date(start - (start % 60_000)).toISOString()
}

/** The chosen start. `exact` is the typed one, used when `since` is "exact". */
export function sinceTime(since: Since, exact: string | undefined): string {
  return since === 'exact' ? (exact ?? '') : startOf(since)
}

/** The value of `<input type="datetime-local">` as ISO 8601 in UTC. Undefined while empty or incomplete. */
export function fromLocal(text: string): string | undefined {
  const time = new Date(text)
  return text === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** ISO 8601 as the value of `<input type="datetime-local">`, in the time zone of this browser. */
export function toLocal(iso: string | undefined): string {
  if (!iso) return ''
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
