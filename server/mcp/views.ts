import type { Static } from '@sinclair/typebox'
import type { Metadata } from '../database/tables/customers.ts'
import { PLACES } from '../database/tables/tickets.ts'
import { isoTime } from '../dates.ts'
import type { TicketWithCustomer } from '../tickets/queries.ts'
import { waitingSinceOf } from '../tickets/waiting.ts'
import type { ticketSummary } from './schemas.ts'

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
