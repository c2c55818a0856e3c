// Dates and times are written as the browser's language writes them.

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const COMING_PARTS = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
} as const
const COMING = new Intl.DateTimeFormat(undefined, COMING_PARTS)
const COMING_YEAR = new Intl.DateTimeFormat(undefined, { ...COMING_PARTS, year: 'numeric' })
const DATE_ONLY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** "09:31" or "9:31 AM", in the time zone of the browser. */
export function clockTime(at: string): string {
  return CLOCK.format(new Date(at))
}

/** "3 Mar 2026, 09:31" */
export function dateTime(at: string): string {
  return DATE.format(new Date(at))
}

/** "3 Mar 2026" */
export function dateOnly(at: string): string {
  return DATE_ONLY.format(new Date(at))
}

/** "Today", "Yesterday" or "Tuesday 3 March", with the year unless it is this year. */
export function dayName(at: string): string {
  const then = new Date(at)
  const today = new Date()
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)
  if (then.toDateString() === today.toDateString()) return 'Today'
  if (then.toDateString() === yesterday.toDateString()) return 'Yesterday'
  return (then.getFullYear() === today.getFullYear() ? DAY : DAY_OF_YEAR).format(then)
}

/** "today, 17:00", "tomorrow, 9:00" or "Fri, 27 Nov, 10:00", with the year unless it is this year. */
export function comingTime(at: Date): string {
  const today = new Date()
  const tomorrow = new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1)
  if (at.toDateString() === today.toDateString()) return `today, ${CLOCK.format(at)}`
  if (at.toDateString() === tomorrow.toDateString()) return `tomorrow, ${CLOCK.format(at)}`
  return (at.getFullYear() === today.getFullYear() ? COMING : COMING_YEAR).format(at)
}
