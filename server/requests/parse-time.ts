import { isCalendarDay } from '../dates.ts'
import { type Fault, invalid } from '../errors.ts'

/** Parses a `date-time` to milliseconds since 1970. Throws 400 for dates that don't exist, which the schema accepts. */
export function parseTime(text: string, where: Pick<Fault, 'pointer' | 'parameter'>): number {
  const time = Date.parse(text)
  if (Number.isFinite(time) && isCalendarDay(text.slice(0, 10))) return time
  throw invalid([{ ...where, code: 'invalid_format', detail: 'This date or time does not exist.' }])
}
