/** Someone who gets an email; `name` is empty when there is none. */
export interface Recipient {
  name: string
  address: string
}

export interface Recipients {
  to: Recipient[]
  cc: Recipient[]
  /** The others don't learn of them. */
  bcc?: Recipient[] | undefined
}

/** In To, Cc and Bcc together (server/channels/email/outbound/recipients.ts). */
const MAX_RECIPIENTS = 50
export const UNFINISHED = 'Finish or remove the address you started.'
/** A dot-atom with letters of any script, and a domain. The server decides (server/customers/email-addresses.ts). */
const ADDRESS =
  /^(?=.{1,64}@)[a-z0-9!#$%&'*+/=?^_`{|}~\P{ASCII}-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~\P{ASCII}-]+)*@(?:[^\s@.,;<>()[\]\\:"]+\.)+[^\s@.,;<>()[\]\\:"]{2,}$/iu
/** "Ana Pires <ana@example.com>" */
const WITH_NAME = /^"?([^"<>]*?)"?\s*<\s*(?:mailto:)?([^<>\s]+)\s*>$/
/** Between addresses, but not inside a quoted name. */
const SEPARATOR = /[,;\n](?=(?:[^"]*"[^"]*")*[^"]*$)/

/** The addresses in a typed or pasted text, and what is left of it. */
export function parseAddresses(text: string): { people: Recipient[]; rest: string } {
  const people: Recipient[] = []
  const rest: string[] = []
  for (const piece of text.split(SEPARATOR).flatMap(pieces)) {
    const person = personIn(piece)
    if (person) people.push(person)
    else rest.push(piece)
  }
  return { people, rest: rest.join(', ') }
}

export function isAddress(text: string): boolean {
  return ADDRESS.test(text)
}

/** Each address once, those of `known` left out. */
export function added(known: readonly Recipient[], people: readonly Recipient[]): Recipient[] {
  const all = [...known]
  for (const person of people) if (!includes(all, person.address)) all.push(person)
  return all
}

export function includes(people: readonly Recipient[], address: string): boolean {
  return people.some((person) => person.address.toLowerCase() === address.trim().toLowerCase())
}

export function isSameRecipients(one: Recipients | undefined, other: Recipients | undefined): boolean {
  return keyOf(one) === keyOf(other)
}

/** Why the recipients can't be used; nothing when they can. */
export function recipientsFault(recipients: Recipients): string | undefined {
  return recipients.to.length === 0 ? 'Add at least one recipient.' : excessFault(recipients)
}

export function excessFault({ to, cc, bcc = [] }: Recipients): string | undefined {
  const count = to.length + cc.length + bcc.length
  return count > MAX_RECIPIENTS ? `An email can have at most ${MAX_RECIPIENTS} recipients.` : undefined
}

function keyOf(recipients: Recipients | undefined): string {
  if (!recipients) return ''
  const { to, cc, bcc = [] } = recipients
  return [to, cc, bcc].map((people) => people.map(({ address }) => address.toLowerCase()).join()).join(' ')
}

function personIn(piece: string): Recipient | undefined {
  const [, name = '', address = piece] = WITH_NAME.exec(piece) ?? []
  return isAddress(address) ? { name: name.trim(), address } : undefined
}

/** Addresses without a separator between them, as copied from a table. */
function pieces(piece: string): string[] {
  const text = piece.trim()
  if (text === '') return []
  const words = text.split(/\s+/)
  return words.length > 1 && words.every(isAddress) ? words : [text]
}
