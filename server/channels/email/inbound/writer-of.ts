import { addressKey, isFormSender } from '../../../customers/email-addresses.ts'
import type { EmailAddress } from '../../../database/tables/messages.ts'
import { isBlank } from '../../../text/text.ts'
import type { OwnAddresses } from '../own-addresses.ts'
import type { ParsedMail } from '../parse/parsed-mail.ts'

const MAX_ADDRESS_LENGTH = 254
const MAX_NAME_LENGTH = 255
/** How groups and lists name the member whose mail they pass on: `'Flo' via Help`. */
const VIA = /^(.{1,200}?)\s+via\s+\S.{0,200}$/iu
const QUOTES = /^['"‘’“”]+|['"‘’“”]+$/gu

export interface Writer {
  /** As the mail says. */
  from: EmailAddress
  /** The person whose words it has: not the form or the group that sent it in their name. */
  person: EmailAddress
}

/**
 * Who wrote a mail. When a form, a group, or one of our own addresses sent it, that is the person in `Reply-To`; of a
 * group without one, the member that it names. Undefined without a valid sender.
 */
export function writerOf(parsed: ParsedMail, own: OwnAddresses): Writer | undefined {
  const from = parsed.from ?? parsed.sender
  if (!from || !isAddress(from.address)) return undefined
  const [, via] = VIA.exec(from.name) ?? []
  const member = via?.replaceAll(QUOTES, '').trim()
  const isRelayed = member !== undefined || own.has(from.address) || isFormSender(from.address)
  if (!isRelayed) return { from, person: from }
  const isSomeoneElse = ({ address }: EmailAddress) =>
    isAddress(address) && !own.has(address) && addressKey(address) !== addressKey(from.address)
  const groups = new Set([...parsed.to, ...parsed.cc].map(({ address }) => addressKey(address)))
  // A group that wants answers to go to all of it names itself in Reply-To too.
  const writers = parsed.replyTo.filter(isSomeoneElse)
  const replyTo = writers.find(({ address }) => !groups.has(addressKey(address))) ?? writers[0]
  const original = member === undefined ? undefined : parsed.originalFrom.find(isSomeoneElse)
  const someone = replyTo ?? original
  if (!someone && member === undefined) return { from, person: from }
  const { name, address } = someone ?? from
  return { from, person: { name: member ?? name, address } }
}

/** Whether someone can be written to, as far as that can be seen. */
function isAddress(address: string): boolean {
  return address.length <= MAX_ADDRESS_LENGTH && /^[^\s@]+@[^\s@]+$/.test(address)
}

/** The name in an address, as far as one is stored. */
export function nameOf({ name }: EmailAddress): string | undefined {
  return isBlank(name) ? undefined : [...name.trim()].slice(0, MAX_NAME_LENGTH).join('')
}
