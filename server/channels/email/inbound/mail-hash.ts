/** SHA-256 in hexadecimal, of a `Message-ID` or an address: what is kept of an erased mail to know it again. */
export function hashOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}
