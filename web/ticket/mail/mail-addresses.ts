import type { MessageEntry, Ticket } from '../ticket-query.ts'

export type MailHeader = NonNullable<MessageEntry['email']>
export type Address = MailHeader['from']

/** "Re:", "Fwd:" and their translations, any number of them. */
const PREFIXES =
  /^(?:\s*(?:re|aw|antw|sv|vs|odp|ynt|r|rif|res|fw|fwd|wg|tr|rv|enc|i|vb)(?:\[\d+\])?\s?[:：])+\s*/i
/** The header block of a forwarded mail, in the languages mail programs write it. */
const FORWARD_MARK =
  /^[ \t>]*(?:-{2,}|_{5,})?[ \t]*(?:begin )?(?:forwarded|weitergeleitete|message transféré|mensaje reenviado|mensagem encaminhada|messaggio inoltrato|doorgestuurd|vidarebefordrat)\b.{0,40}$/im
const FORWARD_FROM =
  /^[ \t>]*\*?(?:from|von|de|da|van|från|fra|od)\s?:\*?[ \t]*(.{0,200}?)[ \t]*[<([](?:mailto:)?([^\s<>()[\]"]{1,64}@[^\s<>()[\]"]{1,200})[>)\]]/im

/** The name to show for a person on a mail. */
export function nameOf({ name, address }: Address): string {
  return name || address
}

type MailRecipients = Pick<MailHeader, 'to' | 'cc' | 'bcc' | 'others'>

/** "to Support, cc Cy" */
export function recipientLine(recipients: MailRecipients): string {
  return lineOf(recipients, nameOf) || 'to undisclosed recipients'
}

/** "Forwarded to Dana Lee (dana@carrier.test)": no one else on the ticket shows who that is. */
export function forwardLine(recipients: MailRecipients): string {
  const shown = ({ name, address }: Address) => (name ? `${name} (${address})` : address)
  return `Forwarded ${lineOf(recipients, shown)}`
}

function lineOf(
  { to, cc = [], bcc = [], others = 0 }: MailRecipients,
  shown: (person: Address) => string,
): string {
  const parts = [
    to.length > 0 ? `to ${to.map(shown).join(', ')}` : '',
    cc.length > 0 ? `cc ${cc.map(shown).join(', ')}` : '',
    bcc.length > 0 ? `bcc ${bcc.map(shown).join(', ')}` : '',
    others > 0 ? `${others.toLocaleString()} more` : '',
  ]
  return parts.filter(Boolean).join(', ')
}

export function isSameAddress(one: string, other: string | undefined): boolean {
  return one.trim().toLowerCase() === other?.trim().toLowerCase()
}

/** The subject without what mail programs put before it. */
export function bareSubject(subject: string): string {
  return subject.replace(PREFIXES, '').trim()
}

/** Who sent the forwarded mail in the text. */
export function forwardedSender(text: string): Address | undefined {
  const mark = FORWARD_MARK.exec(text)
  if (!mark) return undefined
  const [, name = '', address] = FORWARD_FROM.exec(text.slice(mark.index + mark[0].length)) ?? []
  if (address === undefined) return undefined
  return { name: name.replaceAll(/^["'*]+|["'*]+$/g, '').trim(), address }
}

/** Whether an agent can make this person the customer. On the other channels a customer isn't known by an address. */
export function canBeCustomer(ticket: Ticket, { address }: Address): boolean {
  const isByAddress = ticket.channel === 'email' || ticket.channel === 'api'
  return isByAddress && !isSameAddress(address, ticket.customer.email)
}
