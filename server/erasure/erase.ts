import { and, count, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import { deleteFiles } from '../attachments/queries.ts'
import { recordAudit } from '../audit/audit.ts'
import { emailsOf } from '../customers/customer-emails.ts'
import { addressKey } from '../customers/email-addresses.ts'
import { requireCustomerMatch } from '../customers/shown-customers.ts'
import type { Transaction } from '../database/database.ts'
import { saveDeferred } from '../database/deferred-writes.ts'
import { matches } from '../database/matches.ts'
import { attachments } from '../database/tables/attachments.ts'
import { customerEmails, customerIdentities, customers } from '../database/tables/customers.ts'
import { knownMails, mails } from '../database/tables/mailboxes.ts'
import { messageContents, messageEdits, messages } from '../database/tables/messages.ts'
import { notificationEmails, notifications } from '../database/tables/notifications.ts'
import { organizations } from '../database/tables/organizations.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { sends } from '../database/tables/sends.ts'
import {
  activities,
  drafts,
  followers,
  mentions,
  notes,
  readMarks,
  suggestions,
} from '../database/tables/threads.ts'
import { tickets, ticketTags } from '../database/tables/tickets.ts'
import { snoozes, timers } from '../database/tables/timers.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { eraseAnswers } from '../idempotency/idempotency.ts'
import { isId } from '../ids.ts'
import { eraseMoves, formerTickets, takeBack, withMerged } from '../moves/erase-moved.ts'
import { removeAddress, rewriteViews } from '../saved-views/rewrite.ts'
import { replaceDocuments } from '../search/index/documents.ts'
import { eraseMovedSuggestions } from '../suggestions/erase-suggestions.ts'
import { moveCounters } from '../tickets/counters.ts'
import { lockTicket, requireTicket, type Ticket } from '../tickets/queries.ts'
import { eraseDeliveries, eventsOfCustomers, eventsOfMessages } from '../webhooks/deliveries/retention.ts'

/** Tickets in one unit. Each may have many messages, events and deliveries. */
const SLICE = 20

/** All tables with rows that belong to a ticket, beside those of the channels. */
const TICKET_TABLES = [
  messageContents,
  messageEdits,
  sends,
  messages,
  mentions,
  notes,
  activities,
  ticketTags,
  readMarks,
  followers,
  drafts,
  suggestions,
  scheduledMessages,
  timers,
  snoozes,
  notifications,
]

/** Deletes a ticket permanently. The audit log keeps only its id. Throws 404. */
export async function eraseTicket(deps: Deps, orgId: string, id: string): Promise<void> {
  const files = await deps.database.write(orgId, async (tx) => {
    const ticket = await requireTicket(tx, orgId, id)
    await recordAudit(deps, tx, orgId, { action: 'ticket.deleted', subject: { id, label: id } })
    return eraseTickets(deps, tx, orgId, [ticket])
  })
  await deleteFiles(deps, files)
}

/**
 * Deletes a customer permanently, with those merged into them and all their tickets, a slice in each unit, and removes
 * their addresses from saved views. After an interruption, calling it again deletes the rest. The audit log keeps only ids and counts, from the
 * first slice on. Returns the number of deleted tickets. Throws 404, and 412 unless `ifMatch` is absent or names the
 * customer's ETag.
 */
export async function eraseCustomer(
  deps: Deps,
  orgId: string,
  id: string,
  ifMatch?: string | undefined,
): Promise<number> {
  if (!isId('usr', id)) throw notFound('customer')
  // Before the first slice, because a customer can have so many that counting them would hold up everyone.
  const isTheirs = matches(tickets, { orgId, customerId: id })
  const [all] = await deps.database.background.select({ count: count() }).from(tickets).where(isTheirs)
  let deletedTickets = 0
  for (let isGone = false; !isGone; ) {
    const total = deletedTickets === 0 ? (all?.count ?? 0) : undefined
    const slice = await deps.database.write(orgId, (tx) =>
      eraseSlice(deps, tx, { orgId, id, total, ifMatch }),
    )
    await deleteFiles(deps, slice.files)
    deletedTickets += slice.erased
    isGone = slice.isGone
  }
  return deletedTickets
}

interface Customer {
  orgId: string
  id: string
  total: number | undefined
  ifMatch: string | undefined
}

/**
 * Locks the customer's row first, as creating a ticket does, so that no ticket is added during the last slice. `total` is
 * given for the first slice, which is recorded.
 */
async function eraseSlice(
  deps: Deps,
  tx: Transaction,
  { orgId, id, total, ifMatch }: Customer,
): Promise<{ erased: number; files: string[]; isGone: boolean }> {
  for (const { erasure } of deps.channels.all) await erasure?.lockCustomer?.(tx, { orgId, customerId: id })
  const { emails, version } = await lockCustomer(tx, orgId, id)
  if (total !== undefined) requireCustomerMatch({ version }, ifMatch)
  const isTheirs = matches(tickets, { orgId, customerId: id })
  const found = await tx.select({ id: tickets.id }).from(tickets).where(isTheirs).limit(SLICE)
  // Sorted here, because with `order by` SQLite would read all tickets of the customer for each slice.
  const inOrder = found.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const locked: Ticket[] = []
  for (const ticket of inOrder) locked.push(...(await lockTicket(tx, { orgId, id: ticket.id })))
  const isGone = found.length < SLICE
  const files = await eraseTickets(deps, tx, orgId, locked)
  if (total !== undefined) {
    let changedViews = 0
    for (const email of emails) {
      changedViews += await rewriteViews(deps, tx, orgId, (view) => removeAddress(view, email))
    }
    const detail = { deletedTickets: total, changedViews }
    await recordAudit(deps, tx, orgId, { action: 'customer.deleted', subject: { id, label: id }, detail })
  }
  if (isGone) {
    files.push(...(await eraseOpenings(tx, orgId, emails)))
    await eraseFromChannels(deps, tx, { orgId, customerId: id, emails })
    await tx.delete(customerEmails).where(matches(customerEmails, { orgId, customerId: id }))
    const customerIds = [id, ...(await mergedInto(tx, orgId, id))]
    await eraseMoves(tx, orgId, customerIds)
    await tx.delete(customers).where(and(eq(customers.orgId, orgId), inArray(customers.id, customerIds)))
    await replaceDocuments(
      tx,
      orgId,
      customerIds.map((ticketId) => ({ ticketId, words: undefined })),
    )
    recordEvents(deps, tx, orgId, [
      { type: 'customer.deleted', ticketId: '', customerId: id, createdAt: deps.clock.now() },
    ])
    await saveDeferred(tx)
    const moved = await eventsOfCustomers(tx, { orgId, customerIds })
    await eraseDeliveries(tx, { orgId, ticketIds: [], moved, now: deps.clock.now() })
    await clearRemains(tx, orgId)
  }
  return { erased: locked.length, files, isGone }
}

/** Deletes the tickets to a customer that aren't open yet. Opening one would add the customer again. Returns file hashes. */
async function eraseOpenings(tx: Transaction, orgId: string, emails: string[]): Promise<string[]> {
  const theirs = new Set(emails.map(addressKey))
  const waiting = await tx
    .select({ id: scheduledMessages.id, recipients: scheduledMessages.recipients })
    .from(scheduledMessages)
    // Literally, for the partial index.
    .where(and(eq(scheduledMessages.orgId, orgId), sql`ticket_id is null`))
  const ids = waiting
    .filter(({ recipients }) => theirs.has(addressKey(recipients?.to[0]?.address ?? '')))
    .map(({ id }) => id)
  if (ids.length === 0) return []
  await tx
    .delete(scheduledMessages)
    .where(and(eq(scheduledMessages.orgId, orgId), inArray(scheduledMessages.id, ids)))
  const files = await tx
    .delete(attachments)
    .where(and(eq(attachments.orgId, orgId), inArray(attachments.ownerId, ids)))
    .returning({ hash: attachments.hash })
  return files.map(({ hash }) => hash)
}

/** Identities refer to the customer, so they go first. */
async function eraseFromChannels(
  deps: Deps,
  tx: Transaction,
  of: { orgId: string; customerId: string; emails: string[] },
): Promise<void> {
  const identities = await tx
    .delete(customerIdentities)
    .where(matches(customerIdentities, { orgId: of.orgId, customerId: of.customerId }))
    .returning({ externalId: customerIdentities.externalId })
  const externalIds = identities.map(({ externalId }) => externalId)
  for (const { erasure } of deps.channels.all) await erasure?.customer(tx, { ...of, externalIds })
}

/** All customers that were merged into one, and into those. Their addresses, tickets and identities are with them. */
async function mergedInto(tx: Transaction, orgId: string, id: string): Promise<string[]> {
  const rows = await tx
    .select({ id: customers.id })
    .from(customers)
    .where(and(matches(customers, { orgId, mergedInto: id }), isNotNull(customers.mergedInto)))
  const ids = rows.map((row) => row.id)
  for (const each of [...ids]) ids.push(...(await mergedInto(tx, orgId, each)))
  return ids
}

/** Returns the customer's addresses and version. One who was merged into another isn't found. */
async function lockCustomer(
  tx: Transaction,
  orgId: string,
  id: string,
): Promise<{ emails: string[]; version: number }> {
  const [customer] = await tx
    .update(customers)
    .set({ version: sql`${customers.version}` })
    .where(and(matches(customers, { orgId, id }), isNull(customers.mergedInto)))
    .returning({ id: customers.id, email: customers.email, version: customers.version })
  if (!customer) throw notFound('customer')
  return { emails: await emailsOf(tx, orgId, customer), version: customer.version }
}

/**
 * Deletes tickets whose rows are locked with those that were merged into them, and their text everywhere. The log keeps their events without bodies. Returns the
 * hashes of their files: the caller deletes those after the unit, unless something else refers to them.
 */
async function eraseTickets(deps: Deps, tx: Transaction, orgId: string, given: Ticket[]): Promise<string[]> {
  if (given.length === 0) return []
  const now = deps.clock.now()
  const erased = await withMerged(tx, orgId, given)
  const survivors = await takeBack(deps, tx, orgId, erased)
  const ticketIds = erased.map(({ id }) => id)
  const former = await formerTickets(tx, orgId, ticketIds)
  const moved = former.length === 0 ? [] : await eventsOfMessages(tx, { orgId, ticketIds, former })
  await eraseAnswers(tx, orgId, [...ticketIds, ...former])
  const files = await eraseFiles(tx, orgId, ticketIds)
  const others = [...survivors, ...former]
  if (others.length > 0) {
    const suggested = await eraseMovedSuggestions(tx, { orgId, ticketIds, others })
    moved.push(...suggested.moved)
    files.push(...suggested.files)
  }
  for (const { erasure } of deps.channels.all) await erasure?.tickets(tx, { orgId, ticketIds })
  await eraseNotificationEmails(tx, orgId, ticketIds)
  for (const table of TICKET_TABLES) {
    await tx.delete(table).where(and(eq(table.orgId, orgId), inArray(table.ticketId, ticketIds)))
  }
  await eraseMoves(tx, orgId, ticketIds)
  await tx.delete(tickets).where(and(eq(tickets.orgId, orgId), inArray(tickets.id, ticketIds)))
  await replaceDocuments(
    tx,
    orgId,
    ticketIds.map((ticketId) => ({ ticketId, words: undefined })),
  )
  recordEvents(
    deps,
    tx,
    orgId,
    erased.map(({ id: ticketId, customerId }) => ({
      type: 'ticket.deleted',
      ticketId,
      customerId,
      createdAt: now,
    })),
  )
  // Those of other units of this commit, too, may be of these tickets.
  await saveDeferred(tx)
  await clearRemains(tx, orgId)
  await eraseDeliveries(tx, { orgId, ticketIds, moved, now })
  moveCounters(
    tx,
    orgId,
    erased.map((before) => ({ before })),
  )
  return files
}

/** Lets search/index/merge-segments.ts clear what is left of documents on disk. */
async function clearRemains(tx: Transaction, orgId: string): Promise<void> {
  await tx
    .update(organizations)
    .set({ erasedEvent: sql`${organizations.lastEvent}` })
    .where(eq(organizations.id, orgId))
}

/** Deletes the emails that told agents of these tickets, also those about others: they contain what was written. */
async function eraseNotificationEmails(tx: Transaction, orgId: string, ticketIds: string[]): Promise<void> {
  const told = await tx
    .selectDistinct({ id: notifications.emailId })
    .from(notifications)
    .where(and(eq(notifications.orgId, orgId), inArray(notifications.ticketId, ticketIds)))
  const ids = told.flatMap(({ id }) => id ?? [])
  if (ids.length === 0) return
  const emails = await tx
    .delete(notificationEmails)
    .where(and(eq(notificationEmails.orgId, orgId), inArray(notificationEmails.id, ids)))
    .returning({ sendId: notificationEmails.sendId })
  const sendIds = emails.map(({ sendId }) => sendId)
  if (sendIds.length > 0)
    await tx.delete(sends).where(and(eq(sends.orgId, orgId), inArray(sends.id, sendIds)))
}

/**
 * Deletes the attachments of tickets, and empties the ledger of their mails: each row keeps what happened to the mail, and
 * its tombstone keeps the same mail from opening a ticket again. Returns the hashes of the files.
 */
async function eraseFiles(tx: Transaction, orgId: string, ticketIds: string[]): Promise<string[]> {
  const isTheirs = and(eq(attachments.orgId, orgId), inArray(attachments.ticketId, ticketIds))
  const { id, hash } = attachments
  const files = await tx.delete(attachments).where(isTheirs).returning({ id, hash })
  const uploads = files.map((file) => file.id)
  if (uploads.length > 0) await eraseAnswers(tx, orgId, uploads)
  const isTheirMail = and(eq(mails.orgId, orgId), inArray(mails.ticketId, ticketIds))
  const raw = await tx.select({ hash: mails.hash }).from(mails).where(isTheirMail)
  const nothing = { hash: null, fromAddress: '', subject: '', reason: '', ticketId: null, messageId: null }
  if (raw.length > 0) await tx.update(mails).set(nothing).where(isTheirMail)
  await tx
    .update(knownMails)
    .set({ ticketId: null, messageId: null })
    .where(and(eq(knownMails.orgId, orgId), inArray(knownMails.ticketId, ticketIds)))
  return [...files, ...raw].flatMap(({ hash }) => hash ?? [])
}
