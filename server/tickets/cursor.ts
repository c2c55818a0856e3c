import { type IdPrefix, isId } from '../ids.ts'

/** A position in a list: after (or, going backwards, before) the ticket or message with this sort time and id. */
export interface Cursor {
  direction: 'next' | 'previous'
  /** Sort and filters of the list it belongs to. It works for no other list. */
  list: string
  /** Milliseconds. */
  at: number
  id: string
  /** Number of the page it leads to. */
  page: number
}

/** Where a page is in its list. */
export interface PageRequest {
  perPage: number
  /** From 1; ignored with a cursor. */
  page: number
  cursor?: Cursor | undefined
}

/** One more than the highest page number that query.ts accepts: 15 digits. */
const MAX_PAGE = 1e15

const DIRECTIONS = { n: 'next', p: 'previous' } as const

/** Opaque to clients: base64url over a small JSON array. */
export function encodeCursor({ direction, list, at, id, page }: Cursor): string {
  return Buffer.from(JSON.stringify([direction === 'next' ? 'n' : 'p', list, at, id, page])).toString(
    'base64url',
  )
}

/** Undefined for anything that `encodeCursor` did not make. */
export function decodeCursor(text: string, prefix: IdPrefix): Cursor | undefined {
  const parts = parse(text)
  if (!Array.isArray(parts) || parts.length !== 5) return undefined
  const [letter, list, at, id, page]: unknown[] = parts
  const direction = letter === 'n' || letter === 'p' ? DIRECTIONS[letter] : undefined
  if (!direction || typeof list !== 'string' || typeof id !== 'string' || !isId(prefix, id)) return undefined
  if (!isWhole(at) || !isWhole(page) || page < 1 || page > MAX_PAGE) return undefined
  return { direction, list, at, id, page }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
