/** Code points of what strangers wrote in one answer. A model reads all of an answer, and pays for it. */
export const MAX_TEXT_LENGTH = 20_000

/** Up to so many code points of a text from a place on, and where the next piece begins; undefined at the end. */
export function pieceOf(
  text: string,
  from = 0,
  most = MAX_TEXT_LENGTH,
): { text: string; length: number; next: number | undefined } {
  // Nearly all texts are short, and none has more code points than units.
  if (from === 0 && text.length <= most) return { text, length: text.length, next: undefined }
  const points = [...text]
  const piece = points.slice(from, from + most)
  const end = from + piece.length
  return { text: piece.join(''), length: piece.length, next: end < points.length ? end : undefined }
}
