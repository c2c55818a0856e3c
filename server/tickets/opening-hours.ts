import type { WidgetHours } from '../database/tables/widgets.ts'

/** Looks this far for the next opening: a week from now. */
const DAYS_AHEAD = 8
const DAY_MS = 24 * 60 * 60_000

interface Opening {
  isOpen: boolean
  /** When it opens next, in milliseconds since 1970; null while it is open, and when it never opens. */
  opensAt: number | null
}

/** Whether someone answers at a time. Times of a day are the clock's in the zone, also when it goes forward or back. */
export function openingAt(hours: WidgetHours | null, now: number): Opening {
  if (!hours) return { isOpen: true, opensAt: null }
  for (const { from, to } of openingsFrom(hours, now)) {
    if (from <= now && now < to) return { isOpen: true, opensAt: null }
    if (from > now) return { isOpen: false, opensAt: from }
  }
  return { isOpen: false, opensAt: null }
}

/**
 * When it will have been open for a length of time, in milliseconds, since a time in milliseconds since 1970. At the
 * latest a week after it opens next, however rarely it does.
 */
export function afterOpenTime(hours: WidgetHours | null, since: number, length: number): number {
  if (!hours) return since + length
  let left = length
  for (const { from, to } of openingsFrom(hours, since)) {
    const start = Math.max(from, since)
    if (to - start >= left) return start + left
    left -= Math.max(to - start, 0)
  }
  return since + DAYS_AHEAD * DAY_MS
}

/** The times in which it is open, from the day of a time on. */
function* openingsFrom(
  { timeZone, days }: WidgetHours,
  time: number,
): Generator<{ from: number; to: number }> {
  const today = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone).toPlainDate()
  for (let ahead = 0; ahead < DAYS_AHEAD; ahead += 1) {
    const day = today.add({ days: ahead })
    const open = days[day.dayOfWeek - 1]
    if (open) yield { from: instantOf(day, open.from, timeZone), to: instantOf(day, open.to, timeZone) }
  }
}

/** `24:00` is the end of the day. A time that the clock skips is the one after it. */
function instantOf(day: Temporal.PlainDate, time: string, timeZone: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return day.toPlainDateTime().add({ hours, minutes }).toZonedDateTime(timeZone).epochMilliseconds
}
