import { attach, type NewAttachments } from '../attachments/bindings.ts'
import type { Outgoing, PlannedSends } from '../channels/channel.ts'
import { customerOf } from '../customers/customers.ts'
import type { AlsoSave, Transaction } from '../database/database.ts'
import type { MessageFormat } from '../database/tables/messages.ts'
import type { Recipients } from '../database/tables/scheduled-messages.ts'
import type { TicketStatus } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { invalid, notFound } from '../errors.ts'
import { type NewEvent, recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { planSends } from '../messages/sends/plan-sends.ts'
import { insertSends } from '../messages/sends/queries.ts'
import { closeSuggestions } from '../suggestions/close-suggestions.ts'
import { text, textFault } from '../text/text.ts'
import { moveCounters } from './counters.ts'
import { requireNotMerged } from './merged.ts'
import {
  insertMessages,
  type Message,
  type MessageWithFiles,
  newMessage,
  type Ticket,
  touchTags,
  touchWithMessage,
} from './queries.ts'
import { isWokenByReply } from './snooze/wake.ts'
import { changeRow, updatedEvent } from './update-ticket.ts'
import { webhookMessageSent } from './views.ts'

/** In code points, for messages and drafts. */
export const MAX_MESSAGE_LENGTH = 65_536
const NOT_BLANK = text({ maxLength: MAX_MESSAGE_LENGTH })

const SENT: PlannedSends = { sending: 'sent', sendError: null, sentBy: 'email', email: null, sends: [] }

interface NewAgentMessage {
  /** Made when absent. */
  id?: string
  requestHash?: string | null
  ticketId: string
  text: string
  /** `plain` by default. */
  format?: MessageFormat
  /** Shown with the message: the name of the key or the agent. */
  agentName: string
  /** Only for an agent with a session. */
  agentId?: string | undefined
  attachments?: NewAttachments
  /** The status that the ticket gets with it. */
  status?: TicketStatus | undefined
  /** Those of an email that the author chose; null for those that the ticket suggests. */
  recipients?: Recipients | null
  /** An email that a colleague sent with another program: nothing is sent for it. */
  sentElsewhere?: Pick<
    Message,
    'author' | 'email' | 'hasHtml' | 'hasQuote' | 'isHtmlFormatted' | 'hasRemoteImages'
  >
  /** A message that is forwarded to someone outside, and the columns of `messageContents` about its HTML. */
  forwarded?: NonNullable<Outgoing['forwarded']> &
    Pick<Message, 'hasHtml' | 'isHtmlFormatted' | 'hasRemoteImages'>
}

/** A stored message, its ticket after it, and the events that the caller must record. */
interface AddedMessage {
  message: MessageWithFiles
  ticket: Ticket
  events: NewEvent[]
}

/** Stores an agent's message, changes the ticket with it, and records the events. Throws 404, and 400 for an attachment that can't be sent. */
export async function postAgentMessage(
  deps: Deps,
  orgId: string,
  input: NewAgentMessage,
  alsoSave?: AlsoSave<MessageWithFiles>,
): Promise<MessageWithFiles> {
  return deps.database.write(orgId, async (tx) => {
    const { message, ticket, events } = await addAgentMessage(deps, tx, orgId, input)
    const now = deps.clock.now()
    const isWoken = await isWokenByReply(tx, ticket, input.agentId)
    const change = { status: input.status, ...(isWoken && { snoozedUntil: null }) }
    const changed = await changeRow(deps, tx, ticket, { change, assignable: new Set(), now, isWoken })
    recordEvents(deps, tx, orgId, changed ? [...events, updatedEvent(changed, now)] : events)
    if (changed) moveCounters(tx, orgId, [changed])
    await alsoSave?.(tx, message)
    return message
  })
}

/**
 * Stores an agent's message and its sends, and closes what was suggested; the caller records the events. On the API channel, the webhook `message.sent`
 * delivers it. Locks the ticket's row first. Throws 404, 409 for a merged ticket, and 400 for an attachment that can't be
 * sent.
 */
export async function addAgentMessage(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  input: NewAgentMessage,
): Promise<AddedMessage> {
  const { ticketId } = input
  if (!isId('tkt', ticketId)) throw notFound('ticket')
  const now = deps.clock.now()
  // The customer doesn't get what is forwarded, and waits on.
  const effect = input.forwarded ? 'none' : 'answer'
  const [ticket] = await touchWithMessage(tx, { orgId, id: ticketId, at: now, effect })
  if (!ticket) throw notFound('ticket')
  requireNotMerged(ticket)
  const customer = await customerOf(tx, orgId, ticket.customerId)
  const id = input.id ?? deps.newId('msg')
  const attachments = await attach(deps, tx, orgId, { ownerId: id, ticketId, files: input.attachments })
  const written = {
    id,
    text: input.text,
    format: input.format ?? 'plain',
    agentId: input.agentId,
    agentName: input.agentName,
    createdAt: now,
  }
  const { recipients, forwarded, sentElsewhere } = input
  const { sends, ...planned } = sentElsewhere
    ? SENT
    : await planSends(deps, tx, {
        ticket,
        customer,
        message: written,
        files: attachments,
        recipients,
        ...(forwarded && { kind: 'forward', forwarded }),
      })
  const stored = newMessage({
    ...written,
    ...planned,
    orgId,
    ticketId,
    role: 'agent',
    agentId: input.agentId ?? null,
    requestHash: input.requestHash ?? null,
    attachmentCount: attachments.length,
    ...sentElsewhere,
    ...(forwarded && {
      hasQuote: true,
      hasHtml: forwarded.hasHtml,
      isHtmlFormatted: forwarded.isHtmlFormatted,
      hasRemoteImages: forwarded.hasRemoteImages,
      author: 'third_party' as const,
    }),
  })
  await insertMessages(tx, [stored])
  await insertSends(tx, sends)
  const message = { ...stored, attachments }
  await touchTags(tx, ticket)
  const data = webhookMessageSent({ ...ticket, customer }, message, deps.actor)
  const about = { ticketId, messageId: id, createdAt: now }
  const closed = forwarded ? [] : await closeSuggestions(deps, tx, ticket, stored)
  return { message, ticket, events: [{ type: 'message.sent', ...about, data }, ...closed] }
}

/** Files can be sent without a text, but not a message without both. Throws 400. */
export function requireTextOrFiles(written: { text: string; attachments: string[] }): void {
  const fault = written.attachments.length > 0 ? undefined : textFault(NOT_BLANK, written.text)
  if (fault) throw invalid([{ pointer: '/text', ...fault }])
}
