/** What browsers call the key while an input method has it. */
const OF_INPUT_METHOD = 229

/**
 * Whether an input method takes the key for a word it is composing. Of the Enter that ends the word Safari says so by
 * the old code only.
 */
export function isComposing({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === OF_INPUT_METHOD
}
