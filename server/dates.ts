const DAY_MS = 86_400_000
const HOURS_AND_MINUTES = Array.from(
  { length: 1_440 },
  (_, at) => `${twoDigits(at / 60)}:${twoDigits(at % 60)}:`,
)
const SECONDS = Array.from({ length: 60 }, (_, at) => twoDigits(at))
const MILLISECONDS = Array.from({ length: 1_000 }, (_, at) => `.${String(at).padStart(3, '0')}Z`)
/** The last day that was written: times that are written together are mostly of one. */
let writtenDay = Number.NaN
let dayText = ''

/**
 * ISO 8601, UTC, with milliseconds and `Z`, as `toISOString` writes it, in a fifth of the time: a ticket has a time for
 * each message. Throws a `RangeError` for what isn't a time.
 */
export function isoTime(milliseconds: number): string {
  const time = Math.trunc(milliseconds)
  const day = Math.floor(time / DAY_MS)
  if (day !== writtenDay) {
    dayText = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length)
    writtenDay = day
  }
  const ofDay = time - day * DAY_MS
  const second = Math.floor(ofDay / 1_000)
  const minute = Math.floor(second / 60)
  return `${dayText}${HOURS_AND_MINUTES[minute]}${SECONDS[second - minute * 60]}${MILLISECONDS[ofDay - second * 1_000]}`
}

function twoDigits(number: number): string {
  return String(Math.floor(number)).padStart(2, '0')
}

export function isoTimeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds)
}

/** The milliseconds of a time that a schema with the format `date-time` has accepted. */
export function optionalTime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
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
