const WORD_START = 8
const IN_A_ROW = 5
const EXACT_START = 12
/** Letters left out count a little against it, so that short names win. */
const LEFT_OUT = 0.1

/** How well the letters of `typed` are found in a text in their order; undefined when they are not. */
export function fuzzyScore(text: string, typed: string): number | undefined {
  const letters = text.toLowerCase()
  const wanted = typed.toLowerCase().replaceAll(' ', '')
  if (letters.startsWith(typed.toLowerCase()))
    return EXACT_START + wanted.length * WORD_START - letters.length * LEFT_OUT
  let score = 0
  let at = -1
  for (const letter of wanted) {
    const next = nextPlace(letters, letter, at)
    if (next < 0) return undefined
    score += 1 + (next === at + 1 ? IN_A_ROW : 0) + (isWordStart(letters, next) ? WORD_START : 0)
    at = next
  }
  return score - letters.length * LEFT_OUT
}

/** The letter right behind, else the next one that begins a word, else the next. */
function nextPlace(letters: string, letter: string, at: number): number {
  if (letters[at + 1] === letter) return at + 1
  const next = letters.indexOf(letter, at + 1)
  for (let place = next; place >= 0; place = letters.indexOf(letter, place + 1)) {
    if (isWordStart(letters, place)) return place
  }
  return next
}

function isWordStart(letters: string, place: number): boolean {
  return place === 0 || !/[\p{L}\p{N}]/u.test(letters[place - 1] ?? ' ')
}
