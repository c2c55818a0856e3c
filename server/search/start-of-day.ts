const HOUR_MS = 3_600_000
/** Every start of a day lies between them: zones are up to 14 hours ahead and 12 behind, and some once skipped a day. */
const EARLIEST_MS = -15 * HOUR_MS
const LATEST_MS = 37 * HOUR_MS
const SECOND_MS = 1_000
/** About as many as there are zones. A client can write each in upper and lower case, so the number needs a limit. */
const MAX_CACHED_FORMATS = 600

const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * When a day (`2026-03-01`) begins in a time zone (`Europe/Lisbon`), milliseconds since 1970: its first second there,
 * also where clocks go forward at midnight. Returns undefined for an unknown zone.
 */
export function startOfDay(day: string, zone: string): number | undefined {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (zone === 'UTC') return midnight
  const format = formatOf(zone)
  if (!format) return undefined
  const target = Number(day.replaceAll('-', ''))
  let [before, at] = [midnight + EARLIEST_MS, midnight + LATEST_MS]
  while (at - before > SECOND_MS) {
    const middle = before + Math.floor((at - before) / 2 / SECOND_MS) * SECOND_MS
    if (dayAt(middle, format) < target) before = middle
    else at = middle
  }
  return at
}

/** 20260301. */
function dayAt(time: number, format: Intl.DateTimeFormat): number {
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
  return (parts.get('year') ?? 0) * 10_000 + (parts.get('month') ?? 0) * 100 + (parts.get('day') ?? 0)
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const cached = formats.get(timeZone)
  if (cached) return cached
  const format = newFormat(timeZone)
  if (!format) return undefined
  if (formats.size >= MAX_CACHED_FORMATS) formats.clear()
  formats.set(timeZone, format)
  return format
}

function newFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    })
  } catch {
    return undefined
  }
}
