import type { Static } from '@sinclair/typebox'
import type { Attachment } from '../attachments/queries.ts'
import type { Metadata } from '../database/tables/customers.ts'
import type { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { PLACES } from '../database/tables/tickets.ts'
import { isoTime } from '../dates.ts'
import type { Message, TicketWithCustomer } from '../tickets/queries.ts'
import { viewDelivery } from '../tickets/views.ts'
import { waitingSinceOf } from '../tickets/waiting.ts'
import type { delivery, ticketSummary } from './schemas.ts'

/** Characters of keys and values. Far more would be allowed. */
const MAX_METADATA_LENGTH = 2_000

/** A ticket in the answer of a tool. */
export function viewTicket(ticket: TicketWithCustomer): Static<typeof ticketSummary> {
  const { customer, assignedTo, snoozedUntil, mergedInto, externalId } = ticket
  const { name, email, unverifiedEmail, isNameTyped } = customer
  const address = email ?? unverifiedEmail
  const since = waitingSinceOf(ticket)
  return {
    id: ticket.id,
    status: ticket.status,
    channel: ticket.channel,
    untrustedSubject: ticket.subject,
    customer: {
      id: customer.id,
      untrustedName: name,
      ...(address !== null && { untrustedEmail: address }),
      isVerified: email !== null || !(isNameTyped || unverifiedEmail !== null),
    },
    ...(assignedTo !== '' && { assignedTo }),
    tags: ticket.tags,
    isSpam: ticket.place === PLACES.spam,
    createdAt: isoTime(ticket.createdAt),
    updatedAt: isoTime(ticket.updatedAt),
    lastMessageAt: isoTime(ticket.lastMessageAt),
    ...(since !== undefined && { waitingSince: isoTime(since) }),
    ...(snoozedUntil !== null && { snoozedUntil: isoTime(snoozedUntil) }),
    ...(mergedInto !== null && { mergedInto }),
    ...(externalId !== null && { externalId }),
  }
}

/** The fields up to a length in all. */
export function viewMetadata(metadata: Metadata | null): { untrustedMetadata?: Metadata } {
  if (metadata === null) return {}
  let left = MAX_METADATA_LENGTH
  const shown = Object.entries(metadata).filter(([key, value]) => {
    left -= key.length + value.length
    return left >= 0
  })
  return { untrustedMetadata: Object.fromEntries(shown) }
}

type Delivery = Omit<Static<typeof delivery>, 'untrustedReason'>

/** A message, or a note, with a piece of its text. */
export type PartRow = Pick<Message, 'id' | 'text' | 'format' | 'agentName' | 'createdAt'> &
  Partial<Sent> & {
    role: Message['role'] | 'note'
    attachments: Attachment[]
    /** Where the piece begins, unless it is at the beginning. */
    textFrom?: number
  }
type Sent = Pick<
  Message,
  'isAutomatic' | 'author' | 'authorName' | 'agentId' | 'sending' | 'sendError' | 'sentBy' | 'takenBackAt'
> & { isFromElsewhere: boolean }

/** Files of one message in an answer. One can have hundreds. */
export const SHOWN_FILES = 20

export function viewPart(part: PartRow) {
  const { role, textFrom, attachments } = part
  const files = attachments.slice(0, SHOWN_FILES)
  const delivery = viewDelivery({ ...NOT_SENT, ...part })
  return {
    id: part.id,
    role,
    ...viewAuthor(part),
    untrustedText: part.text,
    ...(textFrom !== undefined && { textFrom }),
    format: part.format,
    ...(part.isAutomatic && { isAutomatic: true as const }),
    ...(part.author === 'third_party' && { isWithOutsider: true as const }),
    ...(files.length > 0 && {
      attachments: files.map(({ id, name, type, size }) => ({ id, untrustedName: name, type, size })),
    }),
    ...(delivery && { delivery: viewWayOut(delivery) }),
    createdAt: isoTime(part.createdAt),
  }
}

/** Only the names of agents, programs, and keys of ours are known to be theirs. */
function viewAuthor({ role, agentId, agentName, authorName, isFromElsewhere = false }: PartRow) {
  const name = role === 'customer' ? authorName : agentName
  if (name == null) return {}
  const isOurs = role !== 'customer' && (agentId != null || !isFromElsewhere)
  return isOurs ? { agent: name } : { untrustedAuthor: name }
}

const NOT_SENT = { sending: null, sendError: null, sentBy: null, takenBackAt: null }

/** The delivery of a message. Why it failed may be in the words of another mail server. */
export function viewWayOut({ reason, ...delivery }: Delivery & { reason?: string | undefined }) {
  return { ...delivery, ...(reason !== undefined && { untrustedReason: reason }) }
}

/** A reply that isn't sent yet. */
export function viewWaiting({ id, agentName, isHeld, sendAt }: WaitingRow) {
  return {
    id,
    agent: agentName,
    state: isHeld ? ('held' as const) : ('waiting' as const),
    sendAt: isoTime(sendAt),
  }
}

type WaitingRow = Pick<typeof scheduledMessages.$inferSelect, 'id' | 'agentName' | 'isHeld' | 'sendAt'>
