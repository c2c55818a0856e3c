import type { WidgetHours } from '../../../database/tables/widgets.ts'

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
  const { timeZone, days } = hours
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate()
  for (let ahead = 0; ahead < DAYS_AHEAD; ahead += 1) {
    const day = today.add({ days: ahead })
    const open = days[day.dayOfWeek - 1]
    if (!open) continue
    const [from, to] = [instantOf(day, open.from, timeZone), instantOf(day, open.to, timeZone)]
    if (from <= now && now < to) return { isOpen: true, opensAt: null }
    if (from > now) return { isOpen: false, opensAt: from }
  }
  return { isOpen: false, opensAt: null }
}

/** `24:00` is the end of the day. A time that the clock skips is the one after it. */
function instantOf(day: Temporal.PlainDate, time: string, timeZone: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return day.toPlainDateTime().add({ hours, minutes }).toZonedDateTime(timeZone).epochMilliseconds
}
