import type { Row } from './inbox-data.ts'

/** What of a row a search can ask about without the server. */
type Facts = Pick<Row, 'status' | 'assignedTo' | 'tags' | 'channel' | 'isSpam' | 'hasFailedSend'>

interface Term {
  key: string
  value: string
  isNegated: boolean
}

const TERM = /(-?)([a-z]+):("[^"]*"|\S+)/gi

/** The `key:value` parts of a search; its other words are full text. */
export function termsOf(query: string): Term[] {
  return [...query.matchAll(TERM)].map(([, minus, key = '', value = '']) => ({
    key: key.toLowerCase(),
    value: value.replaceAll('"', ''),
    isNegated: minus === '-',
  }))
}

/**
 * Whether a row still belongs into a list after a change that the server has not confirmed yet. What only the server
 * can decide counts as yes: it says no soon enough.
 */
export function stillMatches(row: Facts, terms: readonly Term[], me: string): boolean {
  const isSpamAsked = terms.some(({ key, value }) => key === 'is' && value === 'spam')
  if (row.isSpam && !isSpamAsked) return false
  return terms.every((term) => answerTo(row, term, me) !== term.isNegated)
}

/** For what cannot be answered here the answer that lets the row stay. */
function answerTo(row: Facts, { key, value, isNegated }: Term, me: string): boolean {
  if (key === 'status') return row.status === value
  if (key === 'channel') return row.channel === value
  if (key === 'tag') return row.tags.some((tag) => tag.toLowerCase() === value.toLowerCase())
  if (key === 'assigned' && value === 'me') return row.assignedTo === me
  if (key === 'assigned' && value === 'none') return !row.assignedTo
  if (key === 'is' && value === 'spam') return row.isSpam
  if (key === 'is' && value === 'failed') return row.hasFailedSend
  return !isNegated
}
