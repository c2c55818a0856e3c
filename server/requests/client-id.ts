import { type Fault, invalid } from '../errors.ts'
import { type IdPrefix, isId, timeOfId } from '../ids.ts'

/** How far the time in a client's id can be from ours. */
const MAX_SKEW_MS = 24 * 60 * 60 * 1000

/** Checks an id that a client generated: its prefix, and that its time is close to now. */
export function clientIdFault(
  prefix: IdPrefix,
  id: string,
  { now, parameter }: { now: number; parameter: string },
): Fault | undefined {
  if (!isId(prefix, id)) {
    const detail = `Must be ${prefix}_ and 26 characters: a UUIDv7 in Crockford’s base 32, in lower case.`
    return { parameter, code: 'invalid_id', detail }
  }
  if (Math.abs(timeOfId(id) - now) <= MAX_SKEW_MS) return undefined
  const detail = 'The time in the id must be within a day of now.'
  return { parameter, code: 'id_out_of_time', detail }
}

/** Throws 400. */
export function requireFreshId(
  prefix: IdPrefix,
  id: string,
  where: { now: number; parameter: string },
): void {
  const fault = clientIdFault(prefix, id, where)
  if (fault) throw invalid([fault])
}
