import { and, eq, inArray, sql } from 'drizzle-orm'
import type { AddressWay } from '../channels/channel.ts'
import { emailsOf } from '../customers/customer-emails.ts'
import { type Customer, customerOf, upsertCustomer } from '../customers/customers.ts'
import { addressKey, isSendable } from '../customers/email-addresses.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { type MessageEmail, messages } from '../database/tables/messages.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid } from '../errors.ts'
import { giveTickets } from './give-tickets.ts'
import { type Message, requireTicket } from './queries.ts'

/** Messages changed by one statement. */
const MESSAGES_AT_ONCE = 500

interface NewCustomer {
  ticketId: string
  email: string
  /** As in a mail. Doesn't replace a known name. */
  name?: string | undefined
}

/**
 * Makes the person with this address the ticket's customer, and makes the former customer a participant. Their messages
 * keep who wrote them. Throws 404, 400 for an address that can't be a customer's, and 409 on a channel that knows its
 * customers without an address.
 */
export async function changeCustomer(
  deps: Deps,
  orgId: string,
  { ticketId, email, name }: NewCustomer,
): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const ticket = await requireTicket(tx, orgId, ticketId)
    if (!deps.channels.of(ticket.channel).isByAddress) throw notByAddress()
    await requireOutside(deps, tx, orgId, email)
    const before = await customerOf(tx, orgId, ticket.customerId)
    const after = await upsertCustomer(deps, tx, orgId, { name, email, isNameVerified: false })
    if (after.id === before.id) return
    const which = eq(tickets.id, ticketId)
    await giveTickets(deps, tx, orgId, { from: before, into: after, now: deps.clock.now(), which })
    const emails = await emailsOf(tx, orgId, after)
    await changeAuthors(tx, { orgId, ticketId, before, after, emails })
  })
}

interface Authors {
  orgId: string
  ticketId: string
  before: Customer
  after: Customer
  /** All addresses of the new customer. */
  emails: string[]
}

/**
 * Messages without a mail name their writer only, so that one who becomes the customer again is known by the name. Returns
 * who had written those that changed.
 */
export async function changeAuthors(
  tx: Transaction,
  { orgId, ticketId, before, after, emails }: Authors,
): Promise<Pick<Message, 'id' | 'author' | 'authorName'>[]> {
  const received = await tx
    .select(writerColumns)
    .from(messages)
    .where(and(matches(messages, { orgId, ticketId }), sql`${messages.role} = 'customer'`))
  const isTheirMail = writtenFrom(emails)
  const isOfNew = ({ email, authorName }: (typeof received)[number]) =>
    email ? isTheirMail(email) : authorName === after.name
  const gained = received.filter((message) => message.author !== 'customer' && isOfNew(message))
  const lost = received.filter((message) => message.author === 'customer' && !isOfNew(message))
  await setAuthor(tx, gained, { author: 'customer', authorName: null })
  await setAuthor(tx, lost, { author: 'participant', authorName: before.name })
  return [...gained, ...lost].map(({ id, author, authorName }) => ({ id, author, authorName }))
}

/** Who wrote a message. */
export const writerColumns = {
  id: messages.id,
  author: messages.author,
  authorName: messages.authorName,
  email: messages.email,
}

/** Whether a mail was written from one of these addresses. */
export function writtenFrom(addresses: string[]): (mail: MessageEmail) => boolean {
  const keys = new Set(addresses.map(addressKey))
  return ({ writer, from }) => keys.has(addressKey((writer ?? from).address))
}

export async function setAuthor(
  tx: Transaction,
  written: { id: string }[],
  author: { author: 'customer' | 'participant'; authorName: string | null },
): Promise<void> {
  for (let start = 0; start < written.length; start += MESSAGES_AT_ONCE) {
    const ids = written.slice(start, start + MESSAGES_AT_ONCE).map(({ id }) => id)
    await tx.update(messages).set(author).where(inArray(messages.id, ids))
  }
}

/** Throws 400 for an address of our own: its mail would never be a customer's. */
export async function requireOutside(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  email: string,
  pointer = '/email',
): Promise<void> {
  const { own } = await deps.channels.byAddress.wayThrough(tx, orgId, '')
  requireOutsideOf(own, email, pointer)
}

/** The same for an organization whose addresses are known. */
export function requireOutsideOf(own: AddressWay['own'], email: string, pointer: string): void {
  if (!isSendable(email)) {
    const detail = `"${email.slice(0, 80)}" is not an email address.`
    throw invalid([{ pointer, code: 'invalid_address', detail }])
  }
  if (!own.has(email)) return
  const detail = `${email} is one of your own addresses.`
  throw invalid([{ pointer, code: 'own_address', detail }])
}

function notByAddress(): AppError {
  const detail = 'Only the customer of an email or API ticket can be changed.'
  return new AppError(409, 'customer_fixed', detail)
}
