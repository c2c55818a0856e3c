/** Letters that Unicode does not decompose although people type them without their stroke, or as two letters. */
const PLAIN_LETTERS: Record<string, string> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}
const ASCII = /^[\0-\x7f]*$/

/** Text as it is compared in searches and pickers: without case, accents and width. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[øłđıßæœþ]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
}
