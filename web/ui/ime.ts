/** The key code of browsers while an input method is composing. */
const COMPOSING_KEY_CODE = 229

/**
 * Whether the key belongs to an input method that is composing a word. For the Enter that ends the word, Safari says so
 * only through the old key code.
 */
export function isComposing({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === COMPOSING_KEY_CODE
}
