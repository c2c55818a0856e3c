import type { Row } from '../inbox-data.ts'

/** What of a row a search can ask about without the server. */
type Facts = Pick<
  Row,
  'status' | 'assignedTo' | 'tags' | 'channel' | 'isSpam' | 'hasFailedSend' | 'hasHeldReply'
>

interface Term {
  key: string
  value: string
  isNegated: boolean
}

/** As the server takes a search apart: server/search/query-language.ts. */
const PART =
  /(?:-?[a-z]+:(?=\s|$))|(?<minus>-)?(?:(?<key>[a-z]+):)?(?:"(?<quoted>(?:[^"]|"")*)"?|(?<bare>\S+))/gi

/** The `key:value` parts of a search; its other words are full text. */
export function termsOf(query: string): Term[] {
  return Array.from(query.matchAll(PART), ({ groups = {} }) => groups).flatMap(
    ({ minus, key, quoted, bare }) => {
      const value = quoted?.replaceAll('""', '"') ?? bare ?? ''
      if (key === undefined) return []
      return { key: key.toLowerCase(), value: value.trim(), isNegated: minus !== undefined }
    },
  )
}

/** Whether a search is for one ticket, by its id or handle (server/search/handle.ts): it is found whatever it holds. */
export function isForOneTicket(query: string): boolean {
  return /^\s*(?:#[0-9a-z]{6}|tkt_[0-9a-z]{26})\s*$/i.test(query)
}

/** The part at the very end that is still being typed, with an open quote if there is one. */
export function lastPart(query: string): string {
  const [last = ''] = [...query.matchAll(PART)].at(-1) ?? []
  return query.endsWith(last) ? last : ''
}

/**
 * Whether a row still belongs into a list after a change that the server has not confirmed yet. What only the server
 * can decide counts as yes: it says no soon enough.
 */
export function stillMatches(row: Facts, terms: readonly Term[], me: string): boolean {
  const isSpamAsked = terms.some(({ key, value }) => key === 'is' && value.toLowerCase() === 'spam')
  if (row.isSpam && !isSpamAsked) return false
  return terms.every((term) => answerTo(row, term, me) !== term.isNegated)
}

/** For what cannot be answered here the answer that lets the row stay. Tags alone are told apart by their case. */
function answerTo(row: Facts, { key, value, isNegated }: Term, me: string): boolean {
  const word = value.toLowerCase()
  if (key === 'status') return row.status === word
  if (key === 'channel') return row.channel === word
  if (key === 'tag') return row.tags.includes(value)
  if (key === 'assigned' && word === 'me') return row.assignedTo === me
  if (key === 'assigned' && word === 'none') return !row.assignedTo
  if (key === 'is' && word === 'spam') return row.isSpam
  if (key === 'is' && word === 'failed') return row.hasFailedSend
  if (key === 'is' && word === 'held') return row.hasHeldReply
  return !isNegated
}
