import type { Deps } from '../deps.ts'
import { newToken } from '../encryption.ts'
import { deviceCookie, deviceOf } from './cookie.ts'

const ID_LENGTH = 16
const NAME_LENGTH = 8

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
  const id = device ?? newToken(deps).slice(0, ID_LENGTH)
  const signature = deps.encryption.sign('known device', `${account} ${id}`)
  return deviceCookie(nameOf(account), `${id}.${signature}`, isSecure)
}

/** Different for the accounts that share a browser, without telling their email. */
function nameOf(account: string): string {
  return new Bun.CryptoHasher('sha256').update(account).digest('hex').slice(0, NAME_LENGTH)
}
