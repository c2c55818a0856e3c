import {
  OWN_STATES,
  parseQuery,
  type Query,
  QueryError,
  type Term,
} from '../../../server/search/query-language.ts'
import type { Row } from '../inbox-data.ts'

/** The facts of a row that a query can ask about without the server. */
type Facts = Pick<
  Row,
  | 'status'
  | 'assignedTo'
  | 'tags'
  | 'channel'
  | 'isSpam'
  | 'hasFailedSend'
  | 'hasHeldReply'
  | 'hasScheduledReply'
  | 'waitingSince'
  | 'snoozedUntil'
>

const EMPTY_QUERY: Query = { terms: [], phrases: [], isSymbolsOnly: false, ticketReference: undefined }

/** The query of a list. One that can't be read is empty here: the server says what is wrong with it. */
export function readQuery(text: string): Query {
  try {
    return parseQuery(text)
  } catch (error) {
    if (error instanceof QueryError) return EMPTY_QUERY
    throw error
  }
}

/**
 * Whether a row still belongs in a list after a change that the server has not confirmed yet. What only the server can
 * decide counts as a match: its answer follows shortly. A ticket that was searched for by its id always matches.
 */
export function matchesQuery(row: Facts, { terms, phrases, ticketReference }: Query, me: string): boolean {
  if (ticketReference !== undefined) return true
  const includesSnoozed = phrases.length > 0 || terms.some(isFoundSnoozed)
  if (row.snoozedUntil && !includesSnoozed) return false
  const includesSpam = terms.some(({ key, value }) => key === 'is' && value === 'spam')
  if (row.isSpam && !includesSpam) return false
  return terms.every((term) => (matchesTerm(row, term, me) ?? !term.isNegated) !== term.isNegated)
}

/** As in `placesOf` of server/search/conditions.ts. */
function isFoundSnoozed({ key, value, isNegated }: Term): boolean {
  const isOwn = value === 'snoozed' || OWN_STATES.some((state) => state === value)
  return !isNegated && (key === 'from' || (key === 'is' && isOwn))
}

/** Undefined for what only the server knows. */
function matchesTerm(row: Facts, { key, value }: Term, me: string): boolean | undefined {
  if (key === 'status') return row.status === value
  if (key === 'channel') return row.channel === value
  if (key === 'tag') return row.tags.includes(value)
  if (key === 'assigned' && value.toLowerCase() === 'me') return row.assignedTo === me
  if (key === 'assigned' && value.toLowerCase() === 'none') return !row.assignedTo
  if (key === 'is' && value === 'spam') return row.isSpam
  if (key === 'is' && value === 'failed') return row.hasFailedSend
  if (key === 'is' && value === 'held') return row.hasHeldReply
  if (key === 'is' && value === 'snoozed') return row.snoozedUntil !== undefined
  if (key === 'is' && value === 'waiting') return row.waitingSince !== undefined
  if (key === 'is' && value === 'scheduled') return row.hasScheduledReply
  return undefined
}
