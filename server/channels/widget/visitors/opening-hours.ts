import type { WidgetHours } from '../../../database/tables/widgets.ts'
import { startOfDay } from '../../../search/start-of-day.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Looks this far for the next opening: a week from now. */
const DAYS_AHEAD = 8

interface Opening {
  isOpen: boolean
  /** When it opens next, in milliseconds since 1970; null while it is open, and when it never opens. */
  opensAt: number | null
}

/** Whether someone answers at a time. Times of a day are the clock's in the zone, also when it goes forward or back. */
export function openingAt(hours: WidgetHours | null, now: number): Opening {
  if (!hours) return { isOpen: true, opensAt: null }
  const today = localDay(now, hours.timeZone)
  for (let ahead = 0; ahead < DAYS_AHEAD; ahead += 1) {
    const day = new Date(today + ahead * DAY_MS)
    // Sunday is 0 there, and the last of our week.
    const open = hours.days[(day.getUTCDay() + 6) % 7]
    if (!open) continue
    const date = day.toISOString().slice(0, 10)
    const [from, to] = [instantOf(date, open.from, hours.timeZone), instantOf(date, open.to, hours.timeZone)]
    if (from <= now && now < to) return { isOpen: true, opensAt: null }
    if (from > now) return { isOpen: false, opensAt: from }
  }
  return { isOpen: false, opensAt: null }
}

/** The date in a zone, as midnight UTC. */
function localDay(now: number, timeZone: string): number {
  return Math.floor(localTime(now, timeZone) / DAY_MS) * DAY_MS
}

/** What a clock in the zone shows, as if it were UTC. */
function localTime(now: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, Number(value)]))
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
}

/** `24:00` is the end of the day. A time that the clock skips is the one after it. */
function instantOf(date: string, time: string, timeZone: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const wanted = Date.parse(`${date}T00:00:00Z`) + (hour * 60 + minute) * MINUTE_MS
  const guess =
    (startOfDay(date, timeZone) ?? Date.parse(`${date}T00:00:00Z`)) + (hour * 60 + minute) * MINUTE_MS
  const instant = guess + (wanted - localTime(guess, timeZone))
  // After a skipped hour, the guess is as long after midnight as the clock would have shown.
  return localTime(instant, timeZone) === wanted ? instant : guess
}
