// Times as people type them: "fri 10", "tomorrow 9:30", "in 2 hours", "3 dec", "2026-12-03 14:00". In the time zone of the
// browser, and always in the future.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** A day without a time means this hour. */
const MORNING = 9

const WEEKDAYS = namesOf({ weekday: 'long' }, 7, (day) => new Date(2023, 0, 1 + day))
const MONTHS = namesOf({ month: 'long' }, 12, (month) => new Date(2023, month, 1))

const AMOUNT = /^(?:in |\+)?\s*(\d{1,3}|an?|one|two|three)\s*([a-z]+)$/
const AMOUNTS: Record<string, number> = { a: 1, an: 1, one: 1, two: 2, three: 3 }
const CLOCK = /^(?:at )?(\d{1,2})(?:[:.h]([0-5]\d))?\s*(am|pm)?$/
const ISO_DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[t ]+|$)/
const DAY_AND_MONTH = /^(\d{1,2})(?:st|nd|rd|th|\.)? (\p{L}{3,})\.?(?: (\d{4}))?(?: |$)/u
const MONTH_AND_DAY = /^(\p{L}{3,})\.? (\d{1,2})(?:st|nd|rd|th)?(?!\d|:| ?[ap]m)(?: (\d{4}))?(?: |$)/u

/** Undefined for a text that isn't understood, or a time that is past. */
export function typedTime(text: string, now = new Date()): Date | undefined {
  const typed = text.trim().toLowerCase().replaceAll(/,/g, ' ').replaceAll(/\s+/g, ' ')
  const time = typed === '' ? undefined : (afterAmount(typed, now) ?? onDay(typed, now))
  return time && time > now ? time : undefined
}

/** "3 hours", "in 2 days", "a week", "30m" */
function afterAmount(typed: string, now: Date): Date | undefined {
  const [, amount = '', unit = ''] = AMOUNT.exec(typed) ?? []
  const count = AMOUNTS[amount] ?? Number(amount)
  if (unit === '' || !(count > 0)) return undefined
  if (isUnit(unit, 'minutes', 'm', 'min')) return new Date(now.getTime() + count * MINUTE_MS)
  if (isUnit(unit, 'hours', 'h', 'hr')) return new Date(now.getTime() + count * HOUR_MS)
  if (isUnit(unit, 'days', 'd')) return daysLater(now, count)
  if (isUnit(unit, 'weeks', 'w', 'wk')) return daysLater(now, count * 7)
  if (isUnit(unit, 'months', 'mo')) return sameDayInMonths(now, count)
  return undefined
}

function isUnit(unit: string, name: string, ...short: string[]): boolean {
  return (
    unit === name || unit === name.slice(0, -1) || short.some((one) => unit === one || unit === `${one}s`)
  )
}

/** A day with or without a time, or a time alone. */
function onDay(typed: string, now: Date): Date | undefined {
  const clock = clockOf(typed)
  if (clock) {
    const today = atClock(now, clock)
    return today > now ? today : atClock(daysLater(now, 1), clock)
  }
  const day = dayOf(typed, now)
  if (!day) return undefined
  const time = day.rest === '' ? { hour: MORNING, minute: 0 } : clockOf(day.rest)
  if (!time) return undefined
  const found = atClock(day.first, time)
  return found > now || !day.next ? found : atClock(day.next, time)
}

interface Day {
  first: Date
  /** Taken instead if the time on the first is past. */
  next?: Date | undefined
  /** What follows in the text. */
  rest: string
}

function dayOf(typed: string, now: Date): Day | undefined {
  const date = dateOf(typed, now)
  if (date) return date
  const [word = '', ...others] = typed.replace(/^(?:on|next) /, '').split(' ')
  const rest = others.join(' ')
  if (word === 'today') return { first: now, rest }
  if (word === 'tomorrow' || word === 'tmr' || word === 'tom') return { first: daysLater(now, 1), rest }
  const weekday = placeOf(word.replace(/\.$/, ''), WEEKDAYS, 2)
  if (weekday === undefined) return undefined
  const days = (weekday - now.getDay() + 7) % 7
  const nextWeek = days === 0 ? daysLater(now, 7) : undefined
  if (nextWeek && typed.startsWith('next ')) return { first: nextWeek, rest }
  return { first: daysLater(now, days), next: nextWeek, rest }
}

function dateOf(typed: string, now: Date): Day | undefined {
  const iso = ISO_DATE.exec(typed)
  if (iso) {
    const [whole, year, month, day] = iso
    return withDate(Number(year), Number(month) - 1, Number(day), typed.slice(whole.length))
  }
  const dayFirst = DAY_AND_MONTH.exec(typed)
  const monthFirst = dayFirst ? null : MONTH_AND_DAY.exec(typed)
  const [whole = '', one = '', other = '', year] = dayFirst ?? monthFirst ?? []
  const month = placeOf(dayFirst ? other : one, MONTHS, 3)
  if (month === undefined) return undefined
  const day = Number(dayFirst ? one : other)
  const rest = typed.slice(whole.length)
  if (year) return withDate(Number(year), month, day, rest)
  const found = withDate(now.getFullYear(), month, day, rest)
  return found && { ...found, next: withDate(now.getFullYear() + 1, month, day, rest)?.first }
}

/** Undefined for a date that doesn't exist, such as 31 June. */
function withDate(year: number, month: number, day: number, rest: string): Day | undefined {
  const first = new Date(year, month, day)
  return first.getMonth() === month && first.getDate() === day ? { first, rest: rest.trim() } : undefined
}

interface Clock {
  hour: number
  minute: number
}

/** "10", "10:30", "10.30", "5pm", "noon" */
function clockOf(typed: string): Clock | undefined {
  if (typed === 'noon') return { hour: 12, minute: 0 }
  const [found, hours = '', minutes = '0', half] = CLOCK.exec(typed) ?? []
  const hour = Number(hours)
  if (found === undefined || hour > 23) return undefined
  if (half === undefined) return { hour, minute: Number(minutes) }
  if (hour < 1 || hour > 12) return undefined
  return { hour: (hour % 12) + (half === 'pm' ? 12 : 0), minute: Number(minutes) }
}

function atClock(day: Date, { hour, minute }: Clock): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour, minute)
}

/** At the same time of day, even if the clocks change in between. */
function daysLater(day: Date, count: number): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + count, day.getHours(), day.getMinutes())
}

function sameDayInMonths(day: Date, count: number): Date {
  const last = new Date(day.getFullYear(), day.getMonth() + count + 1, 0).getDate()
  const date = Math.min(day.getDate(), last)
  return new Date(day.getFullYear(), day.getMonth() + count, date, day.getHours(), day.getMinutes())
}

/** The one name in English or the browser's language that begins like the word. */
function placeOf(word: string, names: string[][], minLetters: number): number | undefined {
  if (word.length < minLetters) return undefined
  const places = names.flatMap((all, place) => (all.some((name) => name.startsWith(word)) ? [place] : []))
  return places.length === 1 ? places[0] : undefined
}

function namesOf(
  format: Intl.DateTimeFormatOptions,
  count: number,
  dateOf: (place: number) => Date,
): string[][] {
  const languages = ['en', undefined].map((language) => new Intl.DateTimeFormat(language, format))
  return Array.from({ length: count }, (_, place) =>
    languages.map((language) => language.format(dateOf(place)).toLowerCase()),
  )
}
