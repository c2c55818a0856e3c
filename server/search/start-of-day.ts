import { wrong } from './grammar.ts'

const HOUR_MS = 3_600_000
/** Between them lies every start of a day: zones are up to 14 hours ahead and 12 behind, and some have left a day out. */
const EARLIEST_MS = -15 * HOUR_MS
const LATEST_MS = 37 * HOUR_MS
const SECOND_MS = 1_000
/** As many as there are zones; each may be written with small and capital letters. */
const MOST_REMEMBERED = 600

const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * When a day (`2026-03-01`) begins in a time zone (`Europe/Lisbon`), milliseconds since 1970: its first second there,
 * also where clocks go forward at midnight. Throws 400 `invalid_query` for a zone that is not known.
 */
export function startOfDay(day: string, zone: string): number {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (zone === 'UTC') return midnight
  const format = formatOf(zone)
  const wanted = Number(day.replaceAll('-', ''))
  let [before, at] = [midnight + EARLIEST_MS, midnight + LATEST_MS]
  while (at - before > SECOND_MS) {
    const middle = before + Math.floor((at - before) / 2 / SECOND_MS) * SECOND_MS
    if (dayAt(middle, format) < wanted) before = middle
    else at = middle
  }
  return at
}

/** 20260301. */
function dayAt(time: number, format: Intl.DateTimeFormat): number {
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
  return (parts.get('year') ?? 0) * 10_000 + (parts.get('month') ?? 0) * 100 + (parts.get('day') ?? 0)
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const format = newFormat(timeZone)
  if (formats.size >= MOST_REMEMBERED) formats.clear()
  formats.set(timeZone, format)
  return format
}

function newFormat(timeZone: string): Intl.DateTimeFormat {
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
    throw wrong(`The time zone ${timeZone} is not known: days cannot be counted in it.`)
  }
}
