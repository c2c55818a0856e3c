import { attach, type NewAttachments } from '../attachments/bindings.ts'
import type { Attachment } from '../attachments/queries.ts'
import type { PlannedSends } from '../channels/channel.ts'
import type { ChannelKind } from '../channels/kinds.ts'
import { type Customer, upsertCustomer } from '../customers/customers.ts'
import type { AlsoSave, Reader, Transaction } from '../database/database.ts'
import type { Metadata } from '../database/tables/customers.ts'
import type { Recipients } from '../database/tables/scheduled-messages.ts'
import { PLACES, type TicketStatus } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { planSends } from '../messages/sends/plan-sends.ts'
import { insertSends } from '../messages/sends/queries.ts'
import { mergeMetadata } from '../requests/metadata.ts'
import { lengthOf, oneLine } from '../text/text.ts'
import { moveCounters } from './counters.ts'
import {
  findTicket,
  insertMessages,
  insertTags,
  insertTickets,
  type Message,
  type MessageWithFiles,
  newMessage,
  requireFreeExternalId,
  type TicketWithCustomer,
} from './queries.ts'
import { cleanTags } from './update-ticket.ts'
import { webhookMessageSent, webhookTicketCreated } from './views.ts'
import { waitingOrderOf, waitsForAnswer } from './waiting.ts'

interface NewTicket extends Pick<OpenedTicket, 'externalId' | 'metadata'> {
  subject: string
  customer: { name?: string; email: string; isNameVerified?: boolean }
  message: string
  tags?: string[]
  attachments?: NewAttachments
}

/** Opens a ticket through the API channel: `ticket.created`, then `message.sent` for its first message. */
export async function createTicket(
  deps: Deps,
  orgId: string,
  input: NewTicket,
  alsoSave?: AlsoSave<TicketWithCustomer>,
): Promise<TicketWithCustomer & { messages: MessageWithFiles[] }> {
  return deps.database.write(
    orgId,
    async (tx: Transaction, customer: Customer) => {
      const { message: text, ...others } = input
      const opened = { ...others, channel: 'api' as const, customer, message: { text } }
      const ticket = await openTicket(deps, tx, orgId, opened)
      await alsoSave?.(tx, ticket)
      return ticket
    },
    (tx) => upsertCustomer(deps, tx, orgId, { name: undefined, ...input.customer }),
  )
}

interface OpenedTicket {
  /** Made when absent. */
  id?: string
  channel: ChannelKind
  subject: string
  customer: Customer
  /** The first message: of the customer, unless its role says otherwise. */
  message: Pick<Message, 'text'> & Partial<Message>
  /** Of the message. */
  attachments?: NewAttachments | undefined
  tags?: string[]
  status?: TicketStatus
  /** An agent whose row the unit has locked. */
  assignedTo?: string
  mailboxId?: string
  externalId?: string | undefined
  metadata?: Metadata | undefined
  /** Sends the first message, of an agent, to them by email. */
  recipients?: Recipients
}

/**
 * The same on any channel, in the caller's unit, which has found or made the customer. Call it last: it ends with the
 * counters. Throws 409 when another ticket has the external id.
 */
export async function openTicket(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { channel, subject, customer, ...input }: OpenedTicket,
): Promise<TicketWithCustomer & { messages: MessageWithFiles[] }> {
  const now = deps.clock.now()
  const tags = cleanTags(input.tags ?? [])
  const waits = input.status !== 'resolved' && waitsForAnswer({ role: 'customer', ...input.message })
  const ticket: TicketWithCustomer = {
    id: input.id ?? deps.newId('tkt'),
    orgId,
    customerId: customer.id,
    status: input.status ?? 'open',
    channel,
    subject,
    assignedTo: input.assignedTo ?? '',
    tags,
    mailboxId: input.mailboxId ?? '',
    mergedInto: null,
    place: PLACES.inbox,
    version: 1,
    createdAt: now,
    updatedAt: now,
    lastMessageAt: now,
    snoozedUntil: null,
    externalId: input.externalId ?? null,
    metadata: mergeMetadata(null, input.metadata),
    isSuggested: false,
    waitingOrder: waitingOrderOf(waits ? now : undefined, now),
    customer,
  }
  await requireFreeExternalId(tx, ticket)
  const id = input.message.id ?? deps.newId('msg')
  const owner = { ownerId: id, ticketId: ticket.id }
  const attachments = await attach(deps, tx, orgId, { ...owner, files: input.attachments })
  const written = newMessage({
    role: 'customer',
    ...input.message,
    id,
    orgId,
    ticketId: ticket.id,
    attachmentCount: attachments.length,
    createdAt: now,
  })
  const { sends = [], ...planned } = input.recipients
    ? await planOpening(deps, tx, ticket, { message: written, files: attachments, to: input.recipients })
    : {}
  const message = { ...written, ...planned }
  await insertTickets(tx, [ticket])
  await insertTags(
    tx,
    tags.map((tag) => ({ ...ticket, ticketId: ticket.id, tag })),
  )
  await insertMessages(tx, [message])
  await insertSends(tx, sends)
  const isByCustomer =
    deps.actor.kind === 'system' && message.role === 'customer' && message.author !== 'third_party'
  const about = {
    ticketId: ticket.id,
    createdAt: now,
    ...(isByCustomer && { byId: customer.id }),
  }
  recordEvents(deps, tx, orgId, [
    { type: 'ticket.created', ...about, data: webhookTicketCreated(ticket) },
    {
      type: 'message.sent',
      ...about,
      messageId: id,
      data: webhookMessageSent(ticket, { ...message, attachments }, deps.actor),
    },
  ])
  moveCounters(tx, orgId, [{ after: ticket }])
  return { ...ticket, messages: [{ ...message, attachments }] }
}

function planOpening(
  deps: Deps,
  tx: Transaction,
  ticket: TicketWithCustomer,
  { message, files, to: recipients }: { message: Message; files: Attachment[]; to: Recipients },
): Promise<PlannedSends> {
  const { id, text, format, agentId, agentName, createdAt } = message
  const written = { id, text, format, createdAt, agentId: agentId ?? undefined, agentName: agentName ?? '' }
  const { customer } = ticket
  return planSends(deps, tx, { ticket, customer, message: written, files, recipients, kind: 'opening' })
}

/** The ticket without its messages. */
export async function readTicketRow(read: Reader, orgId: string, id: string): Promise<TicketWithCustomer> {
  const [ticket] = isId('tkt', id) ? await findTicket(read, { orgId, id }) : []
  if (!ticket) throw notFound('ticket')
  return ticket
}

const MAX_LENGTH = 80
const NO_SUBJECT = '(no text)'

/**
 * The subject for a ticket that was opened with a message only: the first line, up to the last word that fits, or the
 * name of the first file.
 */
export function subjectOf(text: string, fileName: string | undefined): string {
  const line = oneLine(text.split('\n').find((each) => oneLine(each) !== '') ?? '')
  if (lengthOf(line) > MAX_LENGTH) {
    const start = [...line].slice(0, MAX_LENGTH - 1).join('')
    return `${start.replace(/(?<=.{20}) \S*$/, '')}…`
  }
  if (line !== '') return line
  return fileName ?? NO_SUBJECT
}
