/**
 * Embeddings, overrides, and isolates (Unicode UAX 9): they turn the text that follows, so that `gpj.exe` reads as
 * `exe.jpg` and a name can rewrite the line around it. The marks that affect a single place are harmless.
 */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g

/** A name or a line that stays as it reads, whatever is beside it. */
export function withoutDirectionControls(text: string): string {
  return text.replace(DIRECTION_CONTROLS, '')
}

/** Whether `withoutDirectionControls` would change the text. */
export function hasDirectionControls(text: string): boolean {
  return text.search(DIRECTION_CONTROLS) >= 0
}

/** The same for an address, which keeps leading to the same place. */
export function encodeDirectionControls(address: string): string {
  return address.replace(DIRECTION_CONTROLS, encodeURIComponent)
}
