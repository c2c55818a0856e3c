import { domainToASCII } from 'node:url'
import type { EmailAddress } from '../database/tables/messages.ts'

/** Bytes of an address and of the part before the `@` (RFC 5321, section 4.5.3.1). */
const MAX_ADDRESS_LENGTH = 254
const MAX_LOCAL_PART_LENGTH = 64
/** A dot-atom (RFC 5321, section 4.1.2), with letters of any script (RFC 6531, section 3.3). */
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~\P{ASCII}-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~\P{ASCII}-]+)*$/iu
/** Characters beyond ASCII that are invisible, or that mail servers reject. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cn}\p{Cs}\p{Z}]/u
/** After conversion to ASCII (RFC 5891). */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
/** Local parts of addresses that no one reads. */
const NO_REPLY =
  /^(?:(?:do[-._]?)?not?[-._]?reply|no[-._]?response|mailer[-._]?daemon|postmaster|bounces?|ne[-._]?pas[-._]?repondre|nicht[-._]?antworten|no[-._]?responder|nao[-._]?responda)(?:[-+._].*)?$/i
/** The accounts in whose name websites and their forms send mail. */
const FORM =
  /^(?:wordpress|joomla|drupal|typo3|www(?:[-._]?data)?|apache|nginx|nobody|mailer|web(?:[-._]?(?:site|server|mail(?:er)?|form(?:s|ular)?))?|(?:(?:contact|kontakt)[-._]?)?form(?:s|ular|ulaire|ulario|[-._]?mail(?:er)?)?)(?:[-+._].*)?$/i

/** The key by which addresses are compared: equal keys reach the same person. Domains are compared in ASCII. */
export function addressKey(address: string): string {
  const key = address.trim().toLowerCase()
  const at = key.lastIndexOf('@')
  return /\P{ASCII}/u.test(key) && at >= 0 ? `${key.slice(0, at)}@${asciiDomain(key.slice(at + 1))}` : key
}

/** The key of the address whose subaddress this is: without everything from the first `+` on. */
export function baseKey(key: string): string {
  return key.replace(/\+[^@]*@/, '@')
}

/** A domain as mail servers write it (RFC 5891); unchanged if it isn't a domain. */
export function asciiDomain(domain: string): string {
  return domainToASCII(domain) || domain
}

/**
 * Whether mail can be sent to the address, or a mailbox have it: no quotes, comments or IP addresses. One with letters
 * beyond ASCII before the `@` needs a mail server with SMTPUTF8.
 */
export function isSendable(address: string): boolean {
  const at = address.lastIndexOf('@')
  const local = address.slice(0, Math.max(at, 0))
  const domain = address.slice(at + 1)
  if (UNPRINTABLE.test(address)) return false
  if (Buffer.byteLength(local) > MAX_LOCAL_PART_LENGTH) return false
  if (Buffer.byteLength(address) > MAX_ADDRESS_LENGTH) return false
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

/** Whether mail to the address is read by no one, such as noreply@. */
export function isNoReply(address: string): boolean {
  return NO_REPLY.test(localPart(address))
}

/** Whether a program writes from the address for someone else, who is in `Reply-To`: wordpress@, noreply@. */
export function isFormSender(address: string): boolean {
  return isNoReply(address) || FORM.test(localPart(address))
}

function localPart(address: string): string {
  return address.slice(0, Math.max(address.lastIndexOf('@'), 0))
}
