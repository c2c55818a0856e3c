const LENGTH = 26

/** An id that this page makes, for a conversation or a message: the server stores a repeated one once. */
export function newClientId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(LENGTH)), (byte) => (byte & 31).toString(32)).join(
    '',
  )
}
