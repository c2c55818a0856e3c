import type { Attachment } from '../attachments/queries.ts'
import { viewAttachments } from '../attachments/views.ts'
import type { SendingState } from '../database/tables/messages.ts'
import { PLACES } from '../database/tables/tickets.ts'
import { isoTime } from '../dates.ts'
import type { Message, Ticket, TicketWithCustomer } from './queries.ts'
import type { SnoozeNote } from './snooze/snooze.ts'
import { waitingSinceOf } from './waiting.ts'

type MessageRow = Pick<Message, 'id' | 'role' | 'text' | 'format' | 'agentName' | 'createdAt'> & {
  attachments?: Attachment[]
  externalId?: string | null
  isAutomatic?: boolean
  author?: Message['author']
}
type WrittenRow = MessageRow & Pick<Message, 'author' | 'authorName' | 'agentId'>
/** Who did it, in the words of the audit log or of events. */
type WritingActor = { kind: string; id?: string | undefined }
/** With the state of its delivery. */
type SentRow = MessageRow & DeliveryRow
type DeliveryRow = Pick<Message, 'sending' | 'sendError' | 'sentBy' | 'takenBackAt'>
type TicketDetail = TicketWithCustomer & { messages: SentRow[] }

const STATE_OF = {
  queued: 'waiting',
  sending: 'sending',
  sent: 'sent',
  failed: 'failed',
  bounced: 'bounced',
} as const satisfies Record<SendingState, string>

/** Strong validator of a ticket as `GET` returns it: its own version and its customer's. */
export function ticketEtag(ticket: TicketWithCustomer): string {
  return `"${ticket.version}.${ticket.customer.version}"`
}

/** A ticket in a list: section 2 of the specification, without messages and `customer.userId`. */
export function viewListedTicket(ticket: TicketWithCustomer) {
  const since = waitingSinceOf(ticket)
  return {
    ...viewFacts(ticket),
    updatedAt: isoTime(ticket.updatedAt),
    lastMessageAt: isoTime(ticket.lastMessageAt),
    ...(since === undefined ? {} : { waitingSince: isoTime(since) }),
    ...(ticket.snoozedUntil === null ? {} : { snoozedUntil: isoTime(ticket.snoozedUntil) }),
    customer: viewCustomer(ticket),
    customerId: ticket.customer.id,
    ...assignment(ticket),
    tags: ticket.tags,
    spam: ticket.place === PLACES.spam,
    ...(ticket.mergedInto !== null && { mergedInto: ticket.mergedInto }),
    ...(ticket.externalId !== null && { externalId: ticket.externalId }),
    ...(ticket.metadata !== null && { metadata: ticket.metadata }),
  }
}

/** One ticket with all of its messages, oldest first. */
export function viewTicket(ticket: TicketDetail) {
  return {
    ...viewListedTicket(ticket),
    customer: { ...viewCustomer(ticket), userId: ticket.customer.id },
    messages: ticket.messages.map(viewSentMessage),
  }
}

/** A stored message. Those of customers are not delivered to anyone. */
export function viewSentMessage(message: SentRow) {
  const view = viewMessage(message)
  const delivery = viewDelivery(message)
  return delivery ? Object.assign(view, { delivery }) : view
}

/** How far a message is on its way. Undefined for one that goes nowhere. */
export function viewDelivery({ sending, sendError, sentBy, takenBackAt }: DeliveryRow) {
  if (sending === null && takenBackAt === null) return undefined
  const state = sending === null || takenBackAt !== null ? ('taken_back' as const) : STATE_OF[sending]
  return { state, by: sentBy ?? undefined, reason: sendError ?? undefined }
}

/** What is undefined isn't in the JSON. Spreading objects that are mostly empty would take half as long again. */
export function viewMessage(message: MessageRow) {
  return {
    id: message.id,
    role: message.role,
    text: message.text,
    format: message.format,
    agentName: message.agentName ?? undefined,
    automatic: message.isAutomatic ? (true as const) : undefined,
    thirdParty: message.author === 'third_party' ? (true as const) : undefined,
    attachments: viewAttachments(message.attachments),
    externalId: message.externalId ?? undefined,
    createdAt: isoTime(message.createdAt),
  }
}

/** `data` of `ticket.created` (section 6). */
export function webhookTicketCreated(ticket: Ticket & Pick<TicketWithCustomer, 'customer'>) {
  return { ticket: viewWebhookTicket(ticket) }
}

/** `data` of `message.sent` (section 6), with the ticket as it is after the message. */
export function webhookMessageSent(ticket: TicketWithCustomer, message: WrittenRow, actor: WritingActor) {
  return {
    ticket: {
      ...viewWebhookTicket(ticket),
      updatedAt: isoTime(ticket.updatedAt),
      ...assignment(ticket),
      tags: ticket.tags,
      spam: ticket.place === PLACES.spam,
    },
    message: { ...viewMessage(message), author: authorOf(ticket, message, actor) },
  }
}

/** Who wrote a message. Without an id: people who aren't the ticket's customer, and agents who wrote from elsewhere. */
function authorOf(
  { customer }: TicketWithCustomer,
  { role, author, authorName, agentId, agentName, isAutomatic }: WrittenRow,
  actor: WritingActor,
) {
  if (role === 'customer') {
    const isCustomer = author === 'customer'
    return {
      kind: 'customer' as const,
      id: isCustomer ? customer.id : undefined,
      name: isCustomer ? customer.name : (authorName ?? undefined),
    }
  }
  const name = agentName ?? undefined
  if (actor.kind === 'key') return { kind: 'key' as const, id: actor.id, name }
  const kind = actor.kind === 'program' ? ('program' as const) : ('agent' as const)
  return { kind: isAutomatic ? ('system' as const) : kind, id: agentId ?? undefined, name }
}

/** The first fields of every shape of a ticket. */
function viewFacts(ticket: Ticket) {
  return {
    id: ticket.id,
    orgId: ticket.orgId,
    status: ticket.status,
    channel: ticket.channel,
    subject: ticket.subject,
    createdAt: isoTime(ticket.createdAt),
  }
}

function viewWebhookTicket(ticket: TicketWithCustomer) {
  return {
    ...viewFacts(ticket),
    customer: viewCustomer(ticket),
  }
}

function viewCustomer({ customer }: TicketWithCustomer) {
  const { name, email, isNameTyped, unverifiedEmail } = customer
  if (email !== null) return { name, email }
  if (unverifiedEmail !== null) return { name, unverifiedEmail, unverified: true as const }
  return isNameTyped ? { name, unverified: true as const } : { name }
}

function assignment({ assignedTo }: Ticket): { assignedTo?: string } {
  return assignedTo === '' ? {} : { assignedTo }
}

export function viewSnoozeNote({ by, why, until, isOver }: SnoozeNote) {
  return { by, why, until: isoTime(until), isOver }
}
