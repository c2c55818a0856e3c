/** A word, or a character of a script that writes words without spaces between them. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu

/**
 * How much two texts have in common, from 0 to 1, with two decimals: the words of both, each as often as it is in both
 * (Sørensen–Dice). Their order doesn't count, nor do case and punctuation. Linear in the lengths.
 */
export function similarityOf(one: string, other: string): number {
  const [words, others] = [wordsIn(one), wordsIn(other)]
  const all = words.length + others.length
  if (all === 0) return one.trim() === other.trim() ? 1 : 0
  const left = new Map<string, number>()
  for (const word of words) left.set(word, (left.get(word) ?? 0) + 1)
  let inBoth = 0
  for (const word of others) {
    const times = left.get(word) ?? 0
    if (times === 0) continue
    left.set(word, times - 1)
    inBoth += 1
  }
  return Math.round((200 * inBoth) / all) / 100
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? []
}
