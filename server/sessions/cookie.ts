import type { Deps } from '../deps.ts'
import { newToken } from '../encryption.ts'

/** On https. The prefix keeps other hosts of the same domain from setting it (RFC 6265bis, section 4.1.3.2). */
const SECURE_NAME = '__Host-bellhop_session'
const PLAIN_NAME = 'bellhop_session'
/** How long a browser may keep the cookie, in seconds. The server may end the session earlier. */
const MAX_AGE_S = 90 * 86_400
const PLAIN_ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Lax'
const SECURE_ATTRIBUTES = `${PLAIN_ATTRIBUTES}; Secure`

/** Names a browser where an account has signed in. Starts with the account's own part. */
const DEVICE_NAME = 'bellhop_device_'
const DEVICE_ID_LENGTH = 16
/** Of the account's own part. */
const ACCOUNT_LENGTH = 8
const DEVICE_MAX_AGE_S = 365 * 86_400

/** The session's token from the `Cookie` header. On https only the cookie that https has set counts. */
export function sessionToken(header: string | null, isSecure: boolean): string | undefined {
  return cookieValue(header, isSecure ? SECURE_NAME : PLAIN_NAME)
}

/** The tokens of every session that the browser has, also from when the server was on plain http. */
export function everySessionToken(header: string | null): string[] {
  return [SECURE_NAME, PLAIN_NAME].flatMap((name) => cookieValue(header, name) ?? [])
}

/** Whether the browser has a session only from when the server was on plain http, where others could read it. */
export function hasOnlyPlainSession(header: string | null, isSecure: boolean): boolean {
  return (
    isSecure &&
    cookieValue(header, PLAIN_NAME) !== undefined &&
    cookieValue(header, SECURE_NAME) === undefined
  )
}

/** `Set-Cookie` headers. `Lax`, so that a link in an email opens signed in. Unsafe methods also require the same origin. */
export function sessionCookies(token: string, isSecure: boolean): string[] {
  if (!isSecure) return [`${PLAIN_NAME}=${token}; Max-Age=${MAX_AGE_S}; ${PLAIN_ATTRIBUTES}`]
  return [`${SECURE_NAME}=${token}; Max-Age=${MAX_AGE_S}; ${SECURE_ATTRIBUTES}`, ended(PLAIN_NAME, isSecure)]
}

export function endedCookies(isSecure: boolean): string[] {
  const plain = ended(PLAIN_NAME, isSecure)
  return isSecure ? [ended(SECURE_NAME, isSecure), plain] : [plain]
}

function ended(name: string, isSecure: boolean): string {
  return `${name}=; Max-Age=0; ${isSecure ? SECURE_ATTRIBUTES : PLAIN_ATTRIBUTES}`
}

function cookieValue(header: string | null, wanted: string): string | undefined {
  if (header === null) return undefined
  for (const part of header.split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name === wanted && value) return value
  }
  return undefined
}

/**
 * The id of this browser, if the account with this email has signed in with it before. Its wrong passwords are counted
 * apart, so that the failures of others never keep its owner from signing in. Whoever has the cookie gets no more than
 * ten tries of their own.
 */
export function knownDevice(
  { encryption }: Pick<Deps, 'encryption'>,
  header: string | null,
  { account, isSecure }: { account: string; isSecure: boolean },
): string | undefined {
  const [id = '', signature = ''] = deviceOf(header, nameOf(account), isSecure)?.split('.') ?? []
  return encryption.isSigned('known device', `${account} ${id}`, signature) ? id : undefined
}

/** A cookie that makes this browser a known one of the account, for a year from now. */
export function rememberDevice(
  deps: Pick<Deps, 'encryption' | 'randomBytes'>,
  { account, device, isSecure }: { account: string; device: string | undefined; isSecure: boolean },
): string {
  const id = device ?? newToken(deps).slice(0, DEVICE_ID_LENGTH)
  const signature = deps.encryption.sign('known device', `${account} ${id}`)
  return deviceCookie(nameOf(account), `${id}.${signature}`, isSecure)
}

/** The value of the cookie that `deviceCookie` set for the account. `account` is a short hash. */
function deviceOf(header: string | null, account: string, isSecure: boolean): string | undefined {
  return cookieValue(header, deviceName(account, isSecure))
}

/** Stays after signing out. */
function deviceCookie(account: string, value: string, isSecure: boolean): string {
  const attributes = isSecure ? SECURE_ATTRIBUTES : PLAIN_ATTRIBUTES
  return `${deviceName(account, isSecure)}=${value}; Max-Age=${DEVICE_MAX_AGE_S}; ${attributes}`
}

function deviceName(account: string, isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}${DEVICE_NAME}${account}`
}

/** Different for the accounts that share a browser, without telling their email. */
function nameOf(account: string): string {
  return new Bun.CryptoHasher('sha256').update(account).digest('hex').slice(0, ACCOUNT_LENGTH)
}
