/**
 * Embeddings, overrides, and isolates (Unicode UAX 9) reorder the text that follows: `gpj.exe` reads as `exe.jpg`, and
 * a name can change how the line around it reads. Marks (U+061C, U+200E, U+200F) move what is beside them, such as the dot
 * before an ending. The texts of messages keep them all: right-to-left languages need them, and a line of its own.
 */
const DIRECTION_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Removes these characters from a name or a line. */
export function withoutDirectionControls(text: string): string {
  return text.replace(DIRECTION_CONTROLS, '')
}

/** Whether `withoutDirectionControls` would change the text. */
export function hasDirectionControls(text: string): boolean {
  return text.search(DIRECTION_CONTROLS) >= 0
}

/** Percent-encodes these characters in a URL, which still leads to the same place. */
export function encodeDirectionControls(address: string): string {
  return address.replace(DIRECTION_CONTROLS, encodeURIComponent)
}
