import { eq } from 'drizzle-orm'
import { attach, type NewAttachments } from '../attachments/bindings.ts'
import { customerOf } from '../customers/customers.ts'
import type { AlsoSave, Transaction } from '../database/database.ts'
import { organizations } from '../database/tables/organizations.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { type NewEvent, recordEvents } from '../events/events.ts'
import { closeSuggestions } from '../suggestions/close-suggestions.ts'
import { moveCounters } from './counters.ts'
import { requireNotMerged } from './merged.ts'
import {
  insertMessages,
  type Message,
  type MessageWithFiles,
  newMessage,
  requireTicket,
  type Ticket,
  touchTags,
  touchWithMessage,
} from './queries.ts'
import { changeRow, type InboxChange, updatedEvent } from './update-ticket.ts'
import { webhookMessageSent } from './views.ts'
import { waitsForAnswer } from './waiting.ts'

/** A message that a channel received for a ticket. The fields that only some channels have are those of the table. */
type ReceivedMessage = Pick<Message, 'ticketId' | 'text'> &
  Partial<
    Pick<
      Message,
      | 'id'
      | 'format'
      | 'isAutomatic'
      | 'author'
      | 'authorName'
      | 'email'
      | 'hasHtml'
      | 'hasQuote'
      | 'isHtmlFormatted'
      | 'hasRemoteImages'
      | 'telegram'
    >
  > & { attachments?: NewAttachments }

/**
 * Stores the customer's next message that a channel outside brings through `/v1`. Throws 404, 400 `not_on_this_channel`
 * unless it is a ticket of the API channel, 409 for a merged ticket, and 400 for an attachment that can't be sent.
 */
export async function postCustomerMessage(
  deps: Deps,
  orgId: string,
  input: Pick<ReceivedMessage, 'ticketId' | 'text' | 'format' | 'attachments'>,
  alsoSave?: AlsoSave<MessageWithFiles>,
): Promise<MessageWithFiles> {
  return deps.database.write(orgId, async (tx) => {
    const ticket = await requireTicket(tx, orgId, input.ticketId)
    if (ticket.channel !== 'api') {
      const detail = 'Only tickets of the API channel get messages of customers through the API.'
      throw new AppError(400, 'not_on_this_channel', detail)
    }
    requireNotMerged(ticket)
    const written = { ...input, format: input.format ?? 'plain' }
    const { message } = await receiveCustomerMessage(deps, tx, orgId, written)
    await alsoSave?.(tx, message)
    return message
  })
}

/**
 * Stores a customer's message from any channel, in the caller's unit. A person's message opens a pending or resolved
 * ticket if the organization wants that, and keeps its assignee; an automatic one changes no status. The event is
 * recorded last, with the ticket as it is then. Locks the ticket's row first, and ends with the counters. Throws 404.
 */
export async function receiveCustomerMessage(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { ticketId, attachments: files, ...received }: ReceivedMessage,
): Promise<{ message: MessageWithFiles; ticket: Ticket }> {
  const now = deps.clock.now()
  const effect = waitsForAnswer({ role: 'customer', ...received }) ? 'question' : 'none'
  const [touched] = await touchWithMessage(tx, { orgId, id: ticketId, at: now, effect })
  if (!touched) throw notFound('ticket')
  const id = received.id ?? deps.newId('msg')
  const attachments = await attach(deps, tx, orgId, { ownerId: id, ticketId, files })
  const message = newMessage({
    orgId,
    ticketId,
    role: 'customer',
    createdAt: now,
    attachmentCount: attachments.length,
    ...received,
    id,
  })
  await insertMessages(tx, [message])
  await touchTags(tx, touched)
  const isReopened = !message.isAutomatic && touched.status !== 'open' && (await reopens(tx, orgId))
  const isWoken = !message.isAutomatic && touched.snoozedUntil !== null
  const change: InboxChange = {
    ...(isReopened && { status: 'open' }),
    ...(isWoken && { snoozedUntil: null }),
  }
  const changed = await changeRow(deps, tx, touched, {
    change,
    assignable: new Set(),
    now,
    isWoken,
    waitingSince: now,
  })
  const ticket = changed?.after ?? touched
  const customer = await customerOf(tx, orgId, ticket.customerId)
  const about = { ticketId, createdAt: now }
  const events: NewEvent[] = [
    {
      type: 'message.sent',
      ...about,
      messageId: id,
      ...(message.author !== 'third_party' && { byId: customer.id }),
      data: webhookMessageSent({ ...ticket, customer }, { ...message, attachments }, deps.actor),
    },
  ]
  if (effect === 'question') {
    const closed = await closeSuggestions(deps, tx, ticket)
    events.push(...closed.map((event) => ({ ...event, byId: customer.id })))
  }
  // No one ends a snooze: the server does.
  if (changed) events.push({ ...updatedEvent(changed, now), ...(!isWoken && { byId: customer.id }) })
  recordEvents(deps, tx, orgId, events)
  if (changed) moveCounters(tx, orgId, [changed])
  return { message: { ...message, attachments }, ticket }
}

async function reopens(tx: Transaction, orgId: string): Promise<boolean> {
  const [organization] = await tx
    .select({ reopens: organizations.reopens })
    .from(organizations)
    .where(eq(organizations.id, orgId))
  return organization?.reopens ?? false
}
