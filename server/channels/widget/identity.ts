import { createHmac, timingSafeEqual } from 'node:crypto'
import type { JWTPayload, JWTVerifyResult } from 'jose'
import type { widgets } from '../../database/tables/widgets.ts'
import type { Deps } from '../../deps.ts'
import { isBlank, oneLine } from '../../text/text.ts'

/** A token is for one sign-in. A longer one would still be valid after its user signs out. */
const MAX_LIFETIME_SECONDS = 3_600
/** Allowed difference between the website's clock and ours. */
const CLOCK_TOLERANCE_SECONDS = 60
const MAX_TOKEN_LENGTH = 8_192
const MAX_USER_ID_LENGTH = 255
const MAX_NAME_LENGTH = 255
const MAX_EMAIL_LENGTH = 254
const EMAIL = /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;[\]\\]+\.[^\s@<>"(),:;[\]\\]+$/
const CONTROL = /\p{Cc}/u

type Signer = Pick<
  typeof widgets.$inferSelect,
  'id' | 'identitySecret' | 'previousIdentitySecret' | 'previousIdentitySecretUntil'
>

/** What a page sends to identify its user: a token, or the user's id with its HMAC. */
export type IdentityInput = { jwt: string } | { userId: string; userHash: string }

/**
 * A checked signature, or what is wrong in one sentence. `name` and `email` are empty when they aren't signed: an HMAC
 * covers only the user's id.
 */
export type IdentityResult =
  | { isValid: true; userId: string; name: string; email: string; isPreviousSecret: boolean }
  | { isValid: false; isExpired: boolean; detail: string }

/**
 * Checks the identity of a website's user: a JWT (RFC 7519) signed with HS256, or the hexadecimal HMAC-SHA256 of the user
 * id. The previous secret of the widget is accepted until its time is over.
 */
export async function verifyIdentity(
  deps: Deps,
  widget: Signer,
  input: IdentityInput,
): Promise<IdentityResult> {
  return 'jwt' in input
    ? verifyToken(deps, widget, input.jwt.trim())
    : verifyHash(deps, widget, { userId: input.userId, userHash: input.userHash.trim() })
}

async function verifyToken(deps: Deps, widget: Signer, token: string): Promise<IdentityResult> {
  if (token.length > MAX_TOKEN_LENGTH) {
    return refused(`The token is longer than ${MAX_TOKEN_LENGTH} characters.`)
  }
  const jose = await import('jose')
  const algorithm = algorithmOf(jose, token)
  if (algorithm === undefined) {
    return refused("This isn't a JWT: it must be three base64url parts with dots between them.")
  }
  if (algorithm !== 'HS256') {
    return refused(`The token's algorithm is "${algorithm.slice(0, 20)}". Sign it with HS256.`)
  }
  for (const { secret, isPrevious } of secretsOf(deps, widget)) {
    const options = {
      algorithms: ['HS256'],
      currentDate: new Date(deps.clock.now()),
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    }
    let verified: JWTVerifyResult
    try {
      verified = await jose.jwtVerify(token, new TextEncoder().encode(secret), options)
    } catch (error) {
      if (error instanceof jose.errors.JWSSignatureVerificationFailed) continue
      if (error instanceof jose.errors.JOSEError) return refusedByJose(jose, error)
      throw error
    }
    return checkClaims(verified.payload, { now: deps.clock.now(), isPrevious })
  }
  return refused(
    "The token's signature is wrong. Sign it with the identity secret of this widget, as text and not decoded.",
  )
}

function algorithmOf(jose: typeof import('jose'), token: string): string | undefined {
  if (token.split('.').length !== 3) return undefined
  try {
    return jose.decodeProtectedHeader(token).alg
  } catch {
    return undefined
  }
}

function refusedByJose(jose: typeof import('jose'), error: Error): IdentityResult {
  if (error instanceof jose.errors.JWTExpired) {
    return {
      isValid: false,
      isExpired: true,
      detail: `The token expired${timeOf(error.payload.exp, ' at')}. Create a new one for each page.`,
    }
  }
  if (error instanceof jose.errors.JWTClaimValidationFailed) {
    const { claim } = error
    if (claim === 'nbf')
      return refused("The token isn't valid yet. Check its nbf, and the clock of your server.")
    return refused(`The token's ${claim} must be a number of seconds since 1970.`)
  }
  return refused("This isn't a JWT: its parts can't be read.")
}

function checkClaims(
  payload: JWTPayload,
  { now, isPrevious }: { now: number; isPrevious: boolean },
): IdentityResult {
  const { exp, sub } = payload
  if (exp === undefined) return refused('The token has no exp. Let it expire within an hour.')
  if (exp > now / 1_000 + MAX_LIFETIME_SECONDS + CLOCK_TOLERANCE_SECONDS) {
    return refused(
      `The token is valid for too long${timeOf(exp, ', until')}. Set exp to at most an hour from now.`,
    )
  }
  if (sub === undefined) return refused("The token has no sub. Set it to the user's id.")
  const fault = faultOfUserId(sub, "The token's sub")
  if (fault) return refused(fault)
  const name = claimOf(payload, 'name')
  if (name === undefined) return refused("The token's name must be text.")
  const email = claimOf(payload, 'email')
  if (email === undefined) return refused("The token's email must be text.")
  if (email !== '' && (!EMAIL.test(email) || email.length > MAX_EMAIL_LENGTH)) {
    return refused("The token's email isn't an email address.")
  }
  return {
    isValid: true,
    userId: sub,
    name: [...name].slice(0, MAX_NAME_LENGTH).join(''),
    // As in OpenID Connect: the website says that it hasn't checked the address itself.
    email: payload.email_verified === false ? '' : email,
    isPreviousSecret: isPrevious,
  }
}

/** Empty when it is missing or null; undefined when it isn't text. */
function claimOf(payload: JWTPayload, claim: 'name' | 'email'): string | undefined {
  const value = payload[claim] ?? ''
  return typeof value === 'string' ? oneLine(value) : undefined
}

function verifyHash(
  deps: Deps,
  widget: Signer,
  { userId, userHash }: { userId: string; userHash: string },
): IdentityResult {
  const fault = faultOfUserId(userId, 'The user id')
  if (fault) return refused(fault)
  if (!/^[0-9a-f]{64}$/i.test(userHash)) {
    return refused('The user hash must be 64 hexadecimal digits: the HMAC-SHA256 of the user id.')
  }
  const given = Buffer.from(userHash, 'hex')
  for (const { secret, isPrevious } of secretsOf(deps, widget)) {
    if (timingSafeEqual(createHmac('sha256', secret).update(userId).digest(), given)) {
      return { isValid: true, userId, name: '', email: '', isPreviousSecret: isPrevious }
    }
  }
  return refused(
    'The user hash is wrong. It must be the HMAC-SHA256 of exactly this user id, with the identity secret of this widget as text.',
  )
}

/** `sub` comes from JSON and can be anything. */
function faultOfUserId(userId: unknown, what: string): string | undefined {
  if (typeof userId !== 'string') return `${what} must be text, such as "42" in quotation marks.`
  if (isBlank(userId)) return `${what} is empty. Set it to the user's id.`
  if (userId.length > MAX_USER_ID_LENGTH) return `${what} is longer than ${MAX_USER_ID_LENGTH} characters.`
  // PostgreSQL stores neither NUL nor half of a surrogate pair.
  const isPlain = !CONTROL.test(userId) && userId.isWellFormed()
  return isPlain ? undefined : `${what} contains a control character or an incomplete character.`
}

function secretsOf(deps: Deps, widget: Signer): { secret: string; isPrevious: boolean }[] {
  const { id, identitySecret, previousIdentitySecret: previous, previousIdentitySecretUntil: until } = widget
  const secrets = [{ secret: deps.encryption.decrypt(identitySecret, id), isPrevious: false }]
  if (previous && until !== null && until > deps.clock.now()) {
    secrets.push({ secret: deps.encryption.decrypt(previous, id), isPrevious: true })
  }
  return secrets
}

/** ` at 2026-03-01 09:00:00 UTC`, or nothing for a time that can't be written. */
function timeOf(seconds: unknown, before: string): string {
  const time = typeof seconds === 'number' ? new Date(seconds * 1_000) : undefined
  if (!time || Number.isNaN(time.getTime())) return ''
  const text = time.toISOString()
  return `${before} ${text.slice(0, -14)} ${text.slice(-13, -5)} UTC`
}

function refused(detail: string): IdentityResult {
  return { isValid: false, isExpired: false, detail }
}
