import { type Address, addressParser } from 'postal-mime'
import { cleanName } from './clean-text.ts'
import type { MailHeaders } from './mail-headers.ts'
import { MAX_ADDRESSES, type MailAddress } from './parsed-mail.ts'

/** Characters of one header that are read. */
const MAX_HEADER_LENGTH = 131_072
const MAX_NAME_LENGTH = 200
/** RFC 5321, 4.5.3.1. */
const MAX_ADDRESS_LENGTH = 254
/** One `@` between characters that are allowed in an address and in a header. */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[^\s@<>()\\,;:"\p{Cc}]{1,253}$/u
const DELIVERED_TO = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'x-delivered-to']

/**
 * The addresses of all headers with a name, each once, with groups resolved. Leaves out anything that isn't an address.
 */
export function addressesIn(headers: MailHeaders, ...names: string[]): MailAddress[] {
  const found = new Map<string, MailAddress>()
  for (const header of names.flatMap(headers.all)) {
    for (const mailbox of addressParser(cutAtComma(header), { flatten: true })) {
      const address = addressOf(mailbox)
      if (!address || found.has(address.address.toLowerCase())) continue
      found.set(address.address.toLowerCase(), address)
      if (found.size === MAX_ADDRESSES) return [...found.values()]
    }
  }
  return [...found.values()]
}

/** The addresses the mail was delivered to, in lower case. */
export function deliveredTo(headers: MailHeaders): string[] {
  return addressesIn(headers, ...DELIVERED_TO).map(({ address }) => address.toLowerCase())
}

/** The address of `Return-Path`: an empty string for `<>`, null without the header. */
export function returnPath(headers: MailHeaders): string | null {
  const header = headers.first('return-path')
  if (header === undefined) return null
  return addressesIn(headers, 'return-path')[0]?.address ?? (/^\s*<\s*>/.test(header) ? '' : null)
}

function addressOf({ name, address = '' }: Address): MailAddress | undefined {
  const trimmed = address.trim()
  if (trimmed.length > MAX_ADDRESS_LENGTH || !ADDRESS.test(trimmed)) return undefined
  return { name: cleanName(name, MAX_NAME_LENGTH), address: trimmed }
}

function cutAtComma(header: string): string {
  if (header.length <= MAX_HEADER_LENGTH) return header
  const comma = header.lastIndexOf(',', MAX_HEADER_LENGTH)
  return header.slice(0, Math.max(comma, 0))
}
