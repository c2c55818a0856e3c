import type { Deps } from './deps.ts'

const TOKEN_BYTES = 32

/** 256 random bits: no slow hash is needed to protect it, and nobody guesses it. */
export function newToken(deps: Pick<Deps, 'randomBytes'>): string {
  return Buffer.from(deps.randomBytes(TOKEN_BYTES)).toString('base64url')
}

/** What is stored of a token. */
export function hashToken(token: string): string {
  return new Bun.CryptoHasher('sha256').update(token).digest('hex')
}
