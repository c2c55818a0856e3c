import { domainToASCII } from 'node:url'
import type { EmailAddress } from '../database/tables/messages.ts'

/** Bytes of an address and of the part before the `@` (RFC 5321, section 4.5.3.1). */
const MAX_ADDRESS_LENGTH = 254
const MAX_LOCAL_PART_LENGTH = 64
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]+$/i
/** After conversion to ASCII (RFC 5891). */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** Addresses of an organization's mailboxes, with everything behind a `+` (RFC 5233). */
export interface OwnAddresses {
  has(address: string): boolean
}

/** `keys` are the addresses of the mailboxes, in lower case. */
export function ownAddresses(keys: readonly string[]): OwnAddresses {
  const own = new Set(keys)
  return {
    has(address) {
      const key = addressKey(address)
      return own.has(key) || own.has(key.replace(/\+[^@]*@/, '@'))
    },
  }
}

/** Addresses that are equal reach the same person: their key is. */
export function addressKey(address: string): string {
  return address.trim().toLowerCase()
}

/** Whether every mail server takes the address: no quotes, comments or IP addresses. */
export function isSendable(address: string): boolean {
  const at = address.lastIndexOf('@')
  const local = address.slice(0, Math.max(at, 0))
  const domain = address.slice(at + 1)
  if (local.length > MAX_LOCAL_PART_LENGTH || Buffer.byteLength(address) > MAX_ADDRESS_LENGTH) return false
  return LOCAL_PART.test(local) && !/[\s/\\?#:[\]%]/.test(domain) && DOMAIN.test(domainToASCII(domain))
}

/** Each address once, in order; those of `known` are left out. */
export function withoutRepetitions(
  addresses: readonly EmailAddress[],
  known: readonly EmailAddress[] = [],
): EmailAddress[] {
  const keys = new Set(known.map(({ address }) => addressKey(address)))
  return addresses.filter(({ address }) => {
    const key = addressKey(address)
    if (keys.has(key)) return false
    keys.add(key)
    return true
  })
}
