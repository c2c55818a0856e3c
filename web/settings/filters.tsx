import { type Option, Select } from '../ui/select.tsx'

const ANY = 'any'

interface FilterSelectProps<Value extends string> {
  /** For screen readers. The chosen value makes it clear to others. */
  label: string
  /** The option without a filter: "All events". */
  anyLabel: string
  options: readonly Option<Value>[]
  value: Value | undefined
  /** Null removes the filter. */
  onChange: (value: Value | null) => void
}

/** A select that filters a log. */
export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const options = (): Option<Value | typeof ANY>[] => [
    { value: ANY, label: props.anyLabel },
    ...props.options,
  ]
  return (
    <Select
      label={props.label}
      isLabelHidden
      options={options()}
      value={props.value ?? ANY}
      onChange={(value) => props.onChange(value === ANY ? null : value)}
    />
  )
}

/** The options with the chosen one, which may have been deleted: what was logged with it can still be read. */
export function withChosen(options: Option[], value: string | undefined, label = value): Option[] {
  const isMissing = value && !options.some((one) => one.value === value)
  return isMissing ? [...options, { value, label: label ?? '' }] : options
}

/** The parameter of the URL, if it is one of these words. */
export function wordIn<Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  return words.find((word) => word === value)
}

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

export function isTimeRange(word: unknown): word is TimeRange {
  return typeof word === 'string' && word in TIME_RANGES_MS
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
