/**
 * Embeddings, overrides, and isolates (Unicode UAX 9) reorder the text that follows: `gpj.exe` reads as `exe.jpg`, and
 * a name can change how the line around it reads. Marks that affect a single place are harmless.
 */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g

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
