import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const FORMAT = 1

/** Encrypts small secrets that must be read again, such as signing secrets. AES-256-GCM, a random nonce each. */
export interface Sealer {
  /** `owner` (an id) is bound in: a sealed secret copied to another row does not open. */
  seal(plain: string, owner: string): Uint8Array
  /** Throws when the key is another one, the bytes were changed, or they belong to another owner. */
  open(sealed: Uint8Array, owner: string): string
}

/** A shorter secret could be guessed. Characters. */
export const SHORTEST_SECRET = 16

/** `secret` is the operator's or the data folder's. Throws when it is shorter than `SHORTEST_SECRET`. */
export function createSealer(secret: string): Sealer {
  if (secret.length < SHORTEST_SECRET) throw new Error('The secret for secrets at rest is too short.')
  const key = new Uint8Array(hkdfSync('sha256', secret, 'bellhop', 'secrets at rest', 32))
  return {
    seal(plain, owner) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([FORMAT]), nonce, cipher.getAuthTag(), body])
    },
    open(sealed, owner) {
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
      const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
      const cipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner)).setAuthTag(tag)
      const body = sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)
      return Buffer.concat([cipher.update(body), cipher.final()]).toString('utf8')
    },
  }
}
