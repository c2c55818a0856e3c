import { isCalendarDay } from '../dates.ts'
import { type Fault, invalid } from '../errors.ts'

/** `Date.parse` reads it as the next midnight. */
const HOUR_24 = /t24/i
const HAS_OFFSET = /(?:z|[+-]\d\d:?\d\d)$/i

/** Parses a `date-time` to milliseconds since 1970. Throws 400 for dates that don't exist, which the schema accepts. */
export function parseTime(text: string, where: Pick<Fault, 'pointer' | 'parameter'>): number {
  const time = Date.parse(text)
  if (Number.isFinite(time) && isCalendarDay(text.slice(0, 10)) && !HOUR_24.test(text)) return time
  throw invalid([{ ...where, code: 'invalid_format', detail: 'This date or time does not exist.' }])
}

/** The same of a time that has to say how far it is from UTC: without that, it would depend on the server's time zone. */
export function parseInstant(text: string, where: Pick<Fault, 'pointer' | 'parameter'>): number {
  if (HAS_OFFSET.test(text)) return parseTime(text, where)
  const detail = 'Must end with Z or an offset, such as 2026-03-01T09:30:00Z or 2026-03-01T09:30:00+01:00.'
  throw invalid([{ ...where, code: 'invalid_format', detail }])
}
