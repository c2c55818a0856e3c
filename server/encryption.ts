import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const FORMAT = 1
/** Crockford's base 32, as in ids: safe where upper and lower case are confused, as in email addresses. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** 80 bits: no one can guess it through a mail server. */
const SIGNATURE_LENGTH = 16

/** Uses of a signature. Each has its own key, so that a signature made for one is worthless for another. */
type SignatureUse =
  | 'reply address'
  | 'message id'
  | 'notification id'
  | 'notification address'
  | 'subject'
  | 'remote image'
  | 'telegram link'
  | 'known device'
  | 'node'
  | 'setup link'
  | 'sign-in attempts'

/**
 * Encrypts small secrets at rest, such as signing secrets, with AES-256-GCM and a random nonce, and signs what the
 * server gives away and gets back.
 */
export interface Encryption {
  /** `owner` is an id bound to the ciphertext, so that it can't be decrypted when copied to another row. */
  encrypt(plain: string, owner: string): Uint8Array
  /** Throws for another key, changed bytes, or another owner. */
  decrypt(encrypted: Uint8Array, owner: string): string
  /** 16 lowercase letters and digits from an HMAC-SHA256 of the text (RFC 2104). */
  sign(use: SignatureUse, text: string): string
  /** 43 characters of an HMAC-SHA256, for a secret that all servers can make. */
  token(use: SignatureUse): string
  /** Whether `sign` made the signature. Takes the same time for every wrong one. */
  isSigned(use: SignatureUse, text: string, signature: string): boolean
}

/** Characters. A shorter secret could be guessed. */
export const MIN_SECRET_LENGTH = 16

/** `secret` comes from the operator or the data folder. Throws when it is shorter than `MIN_SECRET_LENGTH`. */
export function createEncryption(secret: string): Encryption {
  if (secret.length < MIN_SECRET_LENGTH) throw new Error('The encryption secret is too short.')
  const keyFor = (use: string) => new Uint8Array(hkdfSync('sha256', secret, 'bellhop', use, 32))
  const key = keyFor('secrets at rest')
  const signingKeys = new Map<SignatureUse, Uint8Array>()

  function macOf(use: SignatureUse, text: string): Buffer {
    const signingKey = signingKeys.get(use) ?? keyFor(use)
    signingKeys.set(use, signingKey)
    return createHmac('sha256', signingKey).update(text).digest()
  }

  function sign(use: SignatureUse, text: string): string {
    const mac = macOf(use, text)
    return Array.from(mac.subarray(0, SIGNATURE_LENGTH), (byte) => ALPHABET[byte & 31]).join('')
  }

  return {
    sign,
    token: (use) => macOf(use, '').toString('base64url'),
    isSigned(use, text, signature) {
      const [expected, given] = [Buffer.from(sign(use, text)), Buffer.from(signature)]
      return expected.length === given.length && timingSafeEqual(expected, given)
    },
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

const TOKEN_BYTES = 32

/** 256 random bits. It can't be guessed, so a fast hash is enough to protect it. */
export function newToken(deps: { randomBytes: (size: number) => Uint8Array }): string {
  return Buffer.from(deps.randomBytes(TOKEN_BYTES)).toString('base64url')
}

/** The SHA-256 that is stored instead of a token. */
export function hashToken(token: string): string {
  return Bun.SHA256.hash(token, 'hex')
}
