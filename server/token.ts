import type { Deps } from './deps.ts'

const TOKEN_BYTES = 32

/** 256 random bits. It can't be guessed, so a fast hash is enough to protect it. */
export function newToken(deps: Pick<Deps, 'randomBytes'>): string {
  return Buffer.from(deps.randomBytes(TOKEN_BYTES)).toString('base64url')
}

/** The SHA-256 that is stored instead of a token. */
export function hashToken(token: string): string {
  return new Bun.CryptoHasher('sha256').update(token).digest('hex')
}
