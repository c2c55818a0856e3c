import { isCalendarDay } from '../dates.ts'
import { type Fault, invalid } from '../errors.ts'

/** Milliseconds since 1970 of a text whose schema has the format `date-time`, which knows no calendar. Throws 400. */
export function parseTime(text: string, where: Pick<Fault, 'pointer' | 'parameter'>): number {
  const time = Date.parse(text)
  if (Number.isFinite(time) && isCalendarDay(text.slice(0, 10))) return time
  throw invalid([{ ...where, code: 'invalid_format', detail: 'This date or time does not exist.' }])
}
