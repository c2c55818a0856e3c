/**
 * SHA-256, in hexadecimal, of a `Message-ID` or an address. It is kept after a mail is erased, to recognize the same
 * mail.
 */
export function hashOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}
