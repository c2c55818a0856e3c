import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const FORMAT = 1

/** Encrypts small secrets at rest, such as signing secrets, with AES-256-GCM and a random nonce. */
export interface Encryption {
  /** `owner` is an id bound to the ciphertext, so that it can't be decrypted when copied to another row. */
  encrypt(plain: string, owner: string): Uint8Array
  /** Throws for another key, changed bytes, or another owner. */
  decrypt(encrypted: Uint8Array, owner: string): string
}

/** Characters. A shorter secret could be guessed. */
export const SHORTEST_SECRET = 16

/** `secret` comes from the operator or the data folder. Throws when it is shorter than `SHORTEST_SECRET`. */
export function createEncryption(secret: string): Encryption {
  if (secret.length < SHORTEST_SECRET) throw new Error('The encryption secret is too short.')
  const key = new Uint8Array(hkdfSync('sha256', secret, 'bellhop', 'secrets at rest', 32))
  return {
    encrypt(plain, owner) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([FORMAT]), nonce, cipher.getAuthTag(), body])
    },
    decrypt(encrypted, owner) {
      const nonce = encrypted.subarray(1, 1 + NONCE_BYTES)
      const tag = encrypted.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
      const cipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner)).setAuthTag(tag)
      const body = encrypted.subarray(1 + NONCE_BYTES + TAG_BYTES)
      return Buffer.concat([cipher.update(body), cipher.final()]).toString('utf8')
    },
  }
}
