import { upsertCustomer } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import type { EmailAddress, MessageFormat } from '../database/tables/messages.ts'
import type { Recipients } from '../database/tables/scheduled-messages.ts'
import type { TicketStatus } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid } from '../errors.ts'
import { isBlank, oneLine } from '../requests/text.ts'
import { requireRecipients } from '../sends/recipients.ts'
import { emailWay, NO_MAILBOX } from '../sends/way-out.ts'
import { requireTextOrFiles } from '../tickets/messages.ts'
import { openTicket } from '../tickets/tickets.ts'
import { lockAssignees, unknownAgent } from '../tickets/update-ticket.ts'
import { findRepeated, hashOfRequest } from './client-message.ts'

interface NewConversation extends Recipients {
  /** Made by the page: the same request again changes nothing. */
  messageId: string
  subject: string
  text: string
  format: MessageFormat
  /** Ids of uploads of the agent. */
  attachments: string[]
  /** Absent for the default one. */
  mailboxId?: string | undefined
  status: TicketStatus
  /** Agent id; empty for no one. */
  assignedTo: string
  tags: string[]
}

/**
 * Opens a ticket with an agent's email to the first of `to`, who is its customer. Returns the ticket's id. Throws 400 for
 * wrong recipients and the rest of the input, and 409 without a mailbox, or when the id belongs to another message.
 */
export async function startConversation(
  deps: Deps,
  orgId: string,
  { author, ...input }: NewConversation & { author: { agentId: string; agentName: string } },
): Promise<{ ticketId: string; isNew: boolean }> {
  const { messageId: id, text, format, attachments: ids, status, assignedTo, tags } = input
  const subject = oneLine(input.subject)
  if (isBlank(subject)) {
    throw invalid([{ pointer: '/subject', code: 'blank', detail: 'Must not be blank.' }])
  }
  requireTextOrFiles({ text, attachments: ids })
  const requestHash = hashOfRequest([author.agentId, input])
  return deps.database.write(async (tx) => {
    const assignable = await lockAssignees(tx, orgId, [{ assignedTo }])
    const repeated = await findRepeated(tx, orgId, { id, requestHash, now: deps.clock.now() })
    if (repeated) return { ticketId: repeated.ticketId, isNew: false }
    const { mailboxId, recipients } = await requireWay(tx, orgId, input)
    if (!assignable.has(assignedTo)) throw unknownAgent()
    const ticket = await openTicket(deps, tx, orgId, {
      channel: 'email',
      subject,
      customer: await customerFor(deps, tx, orgId, recipients.to[0]),
      message: { id, role: 'agent', text, format, ...author, requestHash },
      attachments: { uploads: { ids, uploader: author.agentId } },
      status,
      assignedTo,
      tags,
      mailboxId,
      recipients,
    })
    return { ticketId: ticket.id, isNew: true }
  })
}

async function requireWay(
  tx: Transaction,
  orgId: string,
  { mailboxId, to, cc }: NewConversation,
): Promise<{ mailboxId: string; recipients: Recipients }> {
  const { mailbox, own } = await emailWay(tx, orgId, mailboxId ?? '')
  if (!mailbox) throw new AppError(409, 'no_transport', NO_MAILBOX)
  if (mailboxId !== undefined && mailbox.id !== mailboxId) {
    const detail = 'There is no mailbox with this id.'
    throw invalid([{ pointer: '/mailboxId', code: 'unknown_mailbox', detail }])
  }
  return { mailboxId: mailbox.id, recipients: requireRecipients({ to, cc }, own, '') }
}

/** A name that the agent typed becomes the customer's name, like one given through the API. */
function customerFor(deps: Deps, tx: Transaction, orgId: string, to: EmailAddress | undefined) {
  if (!to) throw new Error('A conversation was started without a recipient.')
  const { name, address: email } = to
  return upsertCustomer(deps, tx, orgId, { name: name === '' ? undefined : name, email })
}
