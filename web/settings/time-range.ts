const HOUR_MS = 3_600_000

/** Stretches of time that end now, and `exact` for a moment that is typed. */
const STRETCHES_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, month: 30 * 24 * HOUR_MS }

export type Stretch = keyof typeof STRETCHES_MS
export type Since = Stretch | 'exact'

export const STRETCHES: { value: Stretch; label: string }[] = [
  { value: 'hour', label: 'the last hour' },
  { value: 'day', label: 'the last 24 hours' },
  { value: 'week', label: 'the last 7 days' },
  { value: 'month', label: 'the last 30 days' },
]

export const SINCE_OPTIONS: { value: Since; label: string }[] = [
  ...STRETCHES,
  { value: 'exact', label: 'the time since…' },
]

export function isStretch(word: string | undefined): word is Stretch {
  return word !== undefined && word in STRETCHES_MS
}

/** When a stretch begins, ISO 8601, to the minute: the same question is not asked anew every second. */
export function startOf(stretch: Stretch): string {
  const start = Date.now() - STRETCHES_MS[stretch]
  return new Date(start - (start % 60_000)).toISOString()
}

/** The moment that was chosen; `exact` is the one that was typed. */
export function sinceTime(since: Since, exact: string | undefined): string {
  return since === 'exact' ? (exact ?? '') : startOf(since)
}

/** What `<input type="datetime-local">` holds, as ISO 8601 in UTC; nothing while it is empty or half typed. */
export function fromLocal(text: string): string | undefined {
  const time = new Date(text)
  return text === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** The same the other way round, in the time zone of this browser. */
export function toLocal(iso: string | undefined): string {
  if (!iso) return ''
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
