/**
 * A part of a search: optional minus and key, then a value in quotes or up to the next space. In quotes two quotes stand
 * for one: `tag:"say ""hi"" now"`. web/inbox/search/query-terms.ts reads it the same way.
 */
const PART = /(-)?([a-z]+):(?=\s|$)|(-)?(?:([a-z]+):)?(?:"((?:[^"]|"")*)("?)|(\S+))/gi

/** One word of a search, or words in quotes, as they were typed. */
export interface Part {
  isNegated: boolean
  /** What stands before the colon, in lower case. */
  name: string | undefined
  value: string
  /** Without the minus, with name and quotes. */
  written: string
  isQuoted: boolean
  /** In quotes, and the second one is there. */
  isClosed: boolean
}

export function partsOf(text: string): Part[] {
  return Array.from(text.matchAll(PART), partOf)
}

/** The text with some parts written in another way, or left out when it is empty; the rest stays letter by letter. */
export function withParts(text: string, write: (part: Part) => string | undefined): string {
  let written = ''
  let end = 0
  let isOther = false
  for (const match of text.matchAll(PART)) {
    const next = write(partOf(match)) ?? match[0]
    // A quote ends a part without a space; what stands for it now may not.
    const isTouching = match.index === end && (isOther || next !== match[0])
    if (next !== '') written += (isTouching ? ' ' : text.slice(end, match.index)) + next
    isOther = next !== match[0]
    end = match.index + match[0].length
  }
  return written.trim()
}

/** A value that `partsOf` reads again as it is. */
export function quoted(value: string): string {
  return /[\s"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

function partOf(match: RegExpExecArray): Part {
  const [whole, emptyMinus, emptyName, minus, name, quoted, closing, bare] = match
  const isNegated = (minus ?? emptyMinus) !== undefined
  return {
    isNegated,
    name: (name ?? emptyName)?.toLowerCase(),
    value: quoted?.replaceAll('""', '"') ?? bare ?? '',
    written: isNegated ? whole.slice(1) : whole,
    isQuoted: quoted !== undefined,
    isClosed: closing === '"',
  }
}
