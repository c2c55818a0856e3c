import { attach } from '../attachments/bindings.ts'
import { type Attachment, findAttachmentsOf } from '../attachments/queries.ts'
import { type Customer, customerOf } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import { type EmailAddress, type MessageFormat, messageContents } from '../database/tables/messages.ts'
import type { Recipients } from '../database/tables/scheduled-messages.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { plainText } from '../formatting/plain-text.ts'
import { isId } from '../ids.ts'
import { emailDate, type ForwardedText, forwardedBlock } from '../sends/email-body.ts'
import { requireRecipients } from '../sends/recipients.ts'
import { emailWay, NO_MAILBOX } from '../sends/way-out.ts'
import { addAgentMessage } from '../tickets/messages.ts'
import { requireTicket, type Ticket } from '../tickets/queries.ts'
import { findRepeated, hashOfRequest } from './client-message.ts'
import { findMessage, type StoredMessage } from './queries.ts'

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
 * Sends a message with its files to someone outside, as an agent's message of the ticket with recipients of its own. The
 * answer comes back into the ticket, and the ticket's customer learns of neither. Throws 404, 400 for wrong recipients and
 * attachments, and 409 without a mailbox, or when the id belongs to another message.
 */
export async function forwardMessage(
  deps: Deps,
  orgId: string,
  { author, ...input }: Forward & { author: { agentId: string; agentName: string } },
): Promise<{ messageId: string; isNew: boolean }> {
  const { ticketId, messageId, id, text, format, to, cc, attachments: ids } = input
  const requestHash = hashOfRequest([author.agentId, input])
  return deps.database.write(async (tx) => {
    const ticket = await requireTicket(tx, orgId, ticketId)
    const now = deps.clock.now()
    const repeated = await findRepeated(tx, orgId, { id, requestHash, now })
    if (repeated) return { messageId: repeated.id, isNew: false }
    const original = isId('msg', messageId) ? await findMessage(tx, { orgId, id: messageId }) : undefined
    if (original?.ticketId !== ticketId) throw notFound('message')
    const { mailbox, own } = await emailWay(tx, orgId, ticket.mailboxId)
    if (!mailbox) throw new AppError(409, 'no_transport', NO_MAILBOX)
    const recipients = requireRecipients({ to, cc }, own, '')
    const owner = { ownerId: id, ticketId }
    const uploads = { ids, uploader: author.agentId }
    const bound = [
      ...(await copyFiles(deps, tx, original, owner)),
      ...(await attach(deps, tx, orgId, { ...owner, files: { uploads } })),
    ]
    const customer = await customerOf(tx, orgId, ticket.customerId)
    const forwarded = { ...forwardedText(original, { ticket, customer }), messageId }
    const written = { id, ticketId, text, format, ...author, requestHash }
    const { event } = await addAgentMessage(deps, tx, orgId, {
      ...written,
      recipients,
      attachments: { bound },
      forwarded,
    })
    await tx
      .insert(messageContents)
      .values({ messageId: id, orgId, ticketId, quoted: forwardedBlock(forwarded) })
    await recordEvents(deps, tx, orgId, [event])
    return { messageId: id, isNew: true }
  })
}

/** The same bytes, under the new message. */
async function copyFiles(
  deps: Deps,
  tx: Transaction,
  { orgId, id, attachmentCount }: StoredMessage,
  owner: { ownerId: string; ticketId: string },
): Promise<Attachment[]> {
  if (attachmentCount === 0) return []
  const received = (await findAttachmentsOf(tx, { orgId, ownerId: id })).map(
    ({ hash, name, type, size, width, height }) => ({ hash, name, type, size, width, height }),
  )
  return attach(deps, tx, orgId, { ...owner, files: { received } })
}

/** Without what the message itself quotes. */
function forwardedText(
  { email, text, format, role, agentName, authorName, createdAt }: StoredMessage,
  { ticket, customer }: { ticket: Ticket; customer: Customer },
): ForwardedText {
  const writer = role === 'agent' ? (agentName ?? '') : (authorName ?? customer.name)
  const address = role === 'agent' ? '' : (customer.email ?? '')
  const header: [string, string][] = [
    ['From', shown(email?.from ?? { name: writer, address })],
    ['Date', emailDate(createdAt)],
    ['Subject', email?.subject || ticket.subject],
  ]
  if (email) header.push(['To', email.to.map(shown).join(', ')])
  if (email && email.cc.length > 0) header.push(['Cc', email.cc.map(shown).join(', ')])
  return { header, text: format === 'markdown' ? plainText(text) : text }
}

function shown({ name, address }: EmailAddress): string {
  if (address === '') return name
  return name === '' ? address : `${name} <${address}>`
}
