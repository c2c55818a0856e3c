const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' })
const DAY_OF_YEAR = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})
const DATE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})
const DAY_MS = 24 * 60 * 60_000

/** "09:31", in the time zone of this browser. */
export function clockTime(at: string): string {
  return CLOCK.format(new Date(at))
}

/** "3 Mar 2026, 09:31" */
export function dateTime(at: string): string {
  return DATE.format(new Date(at))
}

/** "Today", "Yesterday", "Tuesday 3 March", with the year when it is another one. */
export function dayName(at: string): string {
  const then = new Date(at)
  const now = new Date()
  if (then.toDateString() === now.toDateString()) return 'Today'
  if (then.toDateString() === new Date(now.getTime() - DAY_MS).toDateString()) return 'Yesterday'
  return (then.getFullYear() === now.getFullYear() ? DAY : DAY_OF_YEAR).format(then)
}
