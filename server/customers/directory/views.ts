import { isoTime } from '../../dates.ts'
import { type ListedCustomer, MAX_COUNTED } from './list-customers.ts'
import type { CustomerDetail } from './read-customer.ts'

export function viewListedCustomer({ isNameTyped, unverifiedEmail, ...customer }: ListedCustomer) {
  const { lastMessageAt, ...shown } = customer
  return {
    ...shown,
    ...viewUnverified({ isNameTyped, unverifiedEmail }),
    hasMoreTickets: customer.tickets >= MAX_COUNTED,
    ...(lastMessageAt !== null && { lastMessageAt: isoTime(lastMessageAt) }),
  }
}

export function viewCustomer({ isNameTyped, unverifiedEmail, ...customer }: CustomerDetail) {
  const { emails, shownMetadata, createdAt, tickets, merges } = customer
  return {
    ...customer,
    ...viewUnverified({ isNameTyped, unverifiedEmail }),
    ...(emails[0] !== undefined && { email: emails[0] }),
    shownMetadata: shownMetadata.length > 0 ? shownMetadata : undefined,
    createdAt: isoTime(createdAt),
    tickets: tickets.map(viewCustomerTicket),
    merges: merges.map((merge) => ({ ...merge, createdAt: isoTime(merge.createdAt) })),
  }
}

export function viewCustomerTicket(ticket: CustomerDetail['tickets'][number]) {
  return { ...ticket, lastMessageAt: isoTime(ticket.lastMessageAt) }
}

function viewUnverified({
  isNameTyped,
  unverifiedEmail,
}: Pick<ListedCustomer, 'isNameTyped' | 'unverifiedEmail'>) {
  return {
    ...((isNameTyped || unverifiedEmail !== null) && { unverified: true as const }),
    ...(unverifiedEmail !== null && { unverifiedEmail }),
  }
}
