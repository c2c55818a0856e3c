/** A text cut where a searched word begins and ends. */
export interface Piece {
  text: string
  isHit: boolean
}

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g

/** Whether one of the searched words stands in it. */
export function hasHit(text: string, terms: readonly string[]): boolean {
  return highlighted(text, terms).some(({ isHit }) => isHit)
}

/** Marks words that begin with one of the terms, as the search finds them. */
export function highlighted(text: string, terms: readonly string[]): Piece[] {
  const wanted = terms.filter(Boolean).map((term) => term.replace(SYNTAX, '\\$&'))
  if (wanted.length === 0) return [{ text, isHit: false }]
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${wanted.join('|')})`, 'giu')
  const pieces = text.split(pattern)
  return pieces.flatMap((piece, at) => (piece ? [{ text: piece, isHit: at % 2 === 1 }] : []))
}
