import { partsOf, replaceParts } from '../search/query-language.ts'
import type { ViewText } from './rewrite.ts'

/**
 * The query of a saved view without the address of a customer who is gone. A view that looked for them finds nothing
 * more, and goes; so does one that is called like the address, or would find everything from now on.
 */
export function withoutAddress({ name, query }: ViewText, address: string): string | undefined {
  if (isIn(name, address)) return undefined
  const naming = partsOf(query).filter(({ value }) => isIn(value, address))
  if (naming.length === 0) return query
  if (naming.some(({ isNegated }) => !isNegated)) return undefined
  return replaceParts(query, ({ value }) => (isIn(value, address) ? '' : undefined)) || undefined
}

/** Whether the address stands in a text, and not as a piece of a longer one. */
function isIn(text: string, address: string): boolean {
  const [whole, wanted] = [text.toLowerCase(), address.toLowerCase()]
  for (let at = whole.indexOf(wanted); at >= 0; at = whole.indexOf(wanted, at + 1)) {
    const before = whole.slice(0, at)
    const after = whole.slice(at + wanted.length)
    if (!/[\p{L}\p{N}._%+@-]$/u.test(before) && !/^\.?[\p{L}\p{N}_%+@-]/u.test(after)) return true
  }
  return false
}
