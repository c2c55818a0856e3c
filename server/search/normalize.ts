/** Longer ones are cut, in the index and in a query alike. */
const MOST_WORD_LENGTH = 64

/** Letters that Unicode does not take apart although people type them without their stroke, or as two. */
const PLAIN: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ı: 'i', ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th' }
/** Written without spaces: each sign is a word, and words that stand together are looked for as a phrase. */
const SIGNS = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]'
const WORD = new RegExp(`${SIGNS}|(?:(?!${SIGNS})[\\p{L}\\p{N}])+`, 'gu')
/** The same in text as it was written, where marks still stand behind their letters. */
const WRITTEN_WORD = new RegExp(`${SIGNS}\\p{M}*|(?:(?!${SIGNS})[\\p{L}\\p{N}\\p{M}])+`, 'gu')
const ASCII = /^[\0-\x7f]*$/
const ASCII_WORD = /[a-z0-9]+/g

/** The words of a text as both engines keep and look for them: compared without regard to case, accents and width. */
export function wordsOf(text: string): string[] {
  const plain = fold(text)
  const found = plain.match(ASCII.test(plain) ? ASCII_WORD : WORD) ?? []
  return found.map((word) => (word.length > MOST_WORD_LENGTH ? word.slice(0, MOST_WORD_LENGTH) : word))
}

export interface WrittenWord {
  word: string
  /** Where it begins and ends in the text. */
  start: number
  end: number
}

/** Words with their places in the text as it was written. */
export function* writtenWords(text: string): Generator<WrittenWord> {
  for (const match of text.matchAll(WRITTEN_WORD)) {
    const [word] = wordsOf(match[0])
    if (word) yield { word, start: match.index, end: match.index + match[0].length }
  }
}

function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[øłđıßæœþ]/g, (letter) => PLAIN[letter] ?? letter)
}
