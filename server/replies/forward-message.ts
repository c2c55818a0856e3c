import { attach } from '../attachments/bindings.ts'
import { type Customer, customerOf } from '../customers/customers.ts'
import { type EmailAddress, type MessageFormat, messageContents } from '../database/tables/messages.ts'
import type { Recipients } from '../database/tables/scheduled-messages.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { emailDate, type ForwardedMessage, forwardedHtml, forwardedText } from '../sends/email-body.ts'
import { requireRecipients } from '../sends/recipients.ts'
import { emailWay, NO_MAILBOX } from '../sends/way-out.ts'
import { addAgentMessage } from '../tickets/messages.ts'
import { requireTicket, type Ticket } from '../tickets/queries.ts'
import { findRepeated, hashOfRequest } from './client-message.ts'
import { findOriginal, passOn } from './forwarded-original.ts'
import type { StoredMessage } from './queries.ts'

interface Forward extends Recipients {
  ticketId: string
  /** The message that is passed on. */
  messageId: string
  /** Of the new message, made by the page: the same request again changes nothing. */
  id: string
  /** What the agent adds; can be blank. */
  text: string
  format: MessageFormat
  /** Ids of uploads of the agent. */
  attachments: string[]
}

/**
 * Sends a message with its formatting and files to someone outside, as an agent's message of the ticket with recipients of
 * its own. The answer comes back into the ticket, and the ticket's customer learns of neither. Throws 404, 400 for wrong
 * recipients and attachments, and 409 without a mailbox, or when the id belongs to another message.
 */
export async function forwardMessage(
  deps: Deps,
  orgId: string,
  { author, ...input }: Forward & { author: { agentId: string; agentName: string } },
): Promise<{ messageId: string; isNew: boolean }> {
  const { ticketId, messageId, id, text, format, to, cc, attachments: ids } = input
  const requestHash = hashOfRequest([author.agentId, input])
  // Read before the unit, which would wait for it: a message never changes.
  const original = await findOriginal(deps.database.read, { orgId, ticketId, messageId })
  const passedOn = original && passOn(original, { id, filesBefore: ids.length })
  return deps.database.write(async (tx) => {
    const ticket = await requireTicket(tx, orgId, ticketId)
    const now = deps.clock.now()
    const repeated = await findRepeated(tx, orgId, { id, requestHash, now })
    if (repeated) return { messageId: repeated.id, isNew: false }
    if (!original || !passedOn) throw notFound('message')
    const { mailbox, own } = await emailWay(tx, orgId, ticket.mailboxId)
    if (!mailbox) throw new AppError(409, 'no_transport', NO_MAILBOX)
    const recipients = requireRecipients({ to, cc }, own, '')
    const owner = { ownerId: id, ticketId }
    const bound = [
      ...(await attach(deps, tx, orgId, { ...owner, files: { uploads: { ids, uploader: author.agentId } } })),
      ...(await attach(deps, tx, orgId, { ...owner, files: { received: passedOn.files } })),
    ]
    const customer = await customerOf(tx, orgId, ticket.customerId)
    const { html } = passedOn
    const forwarded: ForwardedMessage = {
      header: headerOf(original.message, { ticket, customer }),
      text: passedOn.text,
      html,
    }
    const { event } = await addAgentMessage(deps, tx, orgId, {
      id,
      ticketId,
      text,
      format,
      ...author,
      requestHash,
      recipients,
      attachments: { bound },
      forwarded: {
        ...forwarded,
        messageId,
        hasHtml: html !== null,
        isHtmlFormatted: passedOn.isHtmlFormatted,
        hasRemoteImages: html?.includes(' data-remote-src=') ?? false,
      },
    })
    await tx.insert(messageContents).values({
      messageId: id,
      orgId,
      ticketId,
      quoted: forwardedText(forwarded),
      html: html === null ? null : forwardedHtml(forwarded),
    })
    await recordEvents(deps, tx, orgId, [event])
    return { messageId: id, isNew: true }
  })
}

/** The lines of a mail's header that a reader needs. */
function headerOf(
  { email, role, agentName, authorName, createdAt }: StoredMessage,
  { ticket, customer }: { ticket: Ticket; customer: Customer },
): ForwardedMessage['header'] {
  const writer = role === 'agent' ? (agentName ?? '') : (authorName ?? customer.name)
  const address = role === 'agent' ? '' : (customer.email ?? '')
  const header: [string, string][] = [
    ['From', shown(email?.from ?? { name: writer, address })],
    ['Date', emailDate(createdAt)],
    ['Subject', email?.subject || ticket.subject],
  ]
  if (email) header.push(['To', email.to.map(shown).join(', ')])
  if (email && email.cc.length > 0) header.push(['Cc', email.cc.map(shown).join(', ')])
  return header
}

function shown({ name, address }: EmailAddress): string {
  if (address === '') return name
  return name === '' ? address : `${name} <${address}>`
}
