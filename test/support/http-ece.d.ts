/** Encrypted content encoding (RFC 8188), implemented independently of Bellhop. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  export function decrypt(
    encrypted: Buffer,
    keys: { version: 'aes128gcm'; privateKey: ECDH; authSecret: string },
  ): Buffer
}
