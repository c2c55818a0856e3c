const NOT_LATIN = /^[\p{L}\p{M}]+$/u
const LATIN = /\p{Script=Latin}/u
/** What a keyboard for English has there, alone and with shift. */
const SIGNS: Record<string, [string, string]> = {
  Slash: ['/', '?'],
  Period: ['.', '>'],
  BracketLeft: ['[', '{'],
  BracketRight: [']', '}'],
}

/** Whether the last letter was typed on a layout without Latin letters: signs do not tell it by themselves. */
let isElsewhere = false

/**
 * What a key means to commands: the letter it types. Where it types none of the Latin alphabet (Cyrillic, Greek, Arabic),
 * that of its place on the keyboard, which is the only way to press it there. AZERTY and Dvorak have Latin letters.
 */
export function keyOf({ key, code, shiftKey }: KeyboardEvent): string {
  const isOther = NOT_LATIN.test(key) && !LATIN.test(key)
  if (isOther) isElsewhere = true
  else if (key.length === 1 && LATIN.test(key)) isElsewhere = false
  const signs = isElsewhere && key.length === 1 ? SIGNS[code] : undefined
  if (signs) return signs[shiftKey ? 1 : 0]
  return isOther && code.startsWith('Key') ? code.slice('Key'.length).toLowerCase() : key
}
