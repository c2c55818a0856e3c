import { addressKey } from '../../../customers/email-addresses.ts'
import type { FrozenEmail } from '../../../database/tables/mailboxes.ts'
import type { MessageEmail } from '../../../database/tables/messages.ts'
import type { Deps } from '../../../deps.ts'
import type { Send } from '../../channel.ts'
import { messageIdOf, messageToken } from '../message-id.ts'
import { replyAddress, withoutSubjectToken, withoutToken } from '../reply-address.ts'
import type { Mailbox } from './queries.ts'

/** The parts of an email that depend on its mailbox. */
type Envelope = Pick<FrozenEmail, 'from' | 'replyTo' | 'messageId' | 'token'>

interface Sender {
  ticketId: string
  messageId: string
  /** Undefined for a message that no person wrote, or that was posted with a key. */
  agentName: string | undefined
}

/** `Ben (Acme Support)`: people see who answers, and for whom. */
export function envelopeOf(
  deps: Deps,
  mailbox: Pick<Mailbox, 'name' | 'address' | 'hasSubaddresses'> | undefined,
  { ticketId, messageId, agentName }: Sender,
): Envelope {
  const token = messageToken(deps.encryption, messageId)
  if (!mailbox) {
    const nobody = { name: agentName ?? '', address: '' }
    return { from: nobody, replyTo: nobody, messageId: '', token }
  }
  const { name, address, hasSubaddresses } = mailbox
  const shown = agentName === undefined || agentName === name ? name : `${agentName} (${name})`
  return {
    from: { name: shown, address },
    replyTo: {
      name,
      // Then answers are recognized by our Message-ID in their headers.
      address: hasSubaddresses === false ? address : replyAddress(deps.encryption, address, ticketId),
    },
    messageId: messageIdOf(deps.encryption, messageId, address.slice(address.lastIndexOf('@') + 1)),
    token,
  }
}

/** Mails of a ticket to the same first recipient are sent in order. */
export function conversationOf(ticketId: string, { to }: Pick<FrozenEmail, 'to'>): string {
  return `${ticketId} ${addressKey(to[0]?.address ?? '')}`
}

/** The header that the thread shows for an email, without the tokens that lead answers to the ticket. */
export function messageEmailOf(
  { encryption }: Pick<Deps, 'encryption'>,
  email: FrozenEmail,
  ticketId: string,
): MessageEmail {
  return {
    from: email.from,
    replyTo:
      email.replyTo.address === ''
        ? []
        : [{ ...email.replyTo, address: withoutToken(email.replyTo.address) }],
    to: email.to,
    cc: email.cc,
    ...(email.bcc && { bcc: email.bcc }),
    subject: withoutSubjectToken(encryption, email.subject, ticketId),
    messageId: email.messageId === '' ? null : withoutBrackets(email.messageId),
    references: email.references.map(withoutBrackets),
    ...(email.forwardOf !== undefined && { forwardOf: email.forwardOf }),
  }
}

export function withBrackets(id: string): string {
  return `<${withoutBrackets(id)}>`
}

export function withoutBrackets(id: string): string {
  return id.replace(/^<|>$/g, '')
}

export type EmailSend = Send & { channel: 'email'; messageId: string; content: FrozenEmail }

export function isByEmail(send: Send): send is EmailSend {
  return send.channel === 'email'
}

/** All addresses, in order. */
export function recipientsOfEmail({ to, cc, bcc = [] }: Pick<FrozenEmail, 'to' | 'cc' | 'bcc'>): string[] {
  return [...to, ...cc, ...bcc].map(({ address }) => address)
}
