import { attach } from '../attachments/bindings.ts'
import { type Attachment, findAttachmentsOf } from '../attachments/queries.ts'
import { customerOf } from '../customers/customers.ts'
import type { Reader, Transaction } from '../database/database.ts'
import type { MessageFormat } from '../database/tables/messages.ts'
import type { Recipients } from '../database/tables/scheduled-messages.ts'
import type { Actions, TicketStatus } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError, type Fault, invalid, notFound } from '../errors.ts'
import { isId, timeOfId } from '../ids.ts'
import { clientIdFault } from '../requests/client-id.ts'
import { deleteSentDraft } from '../threads/drafts.ts'
import { requireNotMerged, survivorOf } from '../tickets/merged.ts'
import { requireTextOrFiles } from '../tickets/messages.ts'
import { requireTicket, type Ticket } from '../tickets/queries.ts'
import { requireSnoozable } from '../tickets/snooze/snooze.ts'
import { readTicketRow } from '../tickets/tickets.ts'
import { lockAssignees, unknownAgent } from '../tickets/update-ticket.ts'
import { findNewest } from '../tickets/waiting.ts'
import { hashOfRequest, idTaken } from './client-message.ts'
import {
  findMessage,
  findOwnSent,
  findOwnWaiting,
  findScheduled,
  holdScheduled,
  insertScheduled,
  isOfGrant,
  type ScheduledReply,
  type StoredMessage,
} from './queries.ts'
import { reasonToHold, recordHeld, recordWaiting, sendMessage } from './send-message.ts'
import { wayOf } from './sends/plan-sends.ts'

/** Longer than the time for Undo. The author of a message that waits longer has chosen when it is sent. */
const MAX_UNDO_MS = 60_000
const DAY_MS = 24 * 60 * 60 * 1000
const MAX_DAYS_AHEAD = 30

/** A signed-in agent, an API key, or a program with its key. */
interface Author {
  /** Null for a key without a program. */
  agentId: string | null
  /** Of the key, or of the grant of a program that the agent connected. Null for a signed-in agent. */
  keyId: string | null
  agentName: string
}

interface NewScheduledMessage {
  ticketId: string
  /** Made by the client. */
  id: string
  text: string
  /** `plain` by default. */
  format?: MessageFormat
  /** Milliseconds since 1970. If it is absent or past, the message is sent at once. */
  sendAt?: number
  /** The newest message of the ticket that the author has seen. */
  after?: string
  /** Refuses it instead of holding it, also when the newest message isn't `after`, or isn't from a customer. */
  isRefusedIfStale?: boolean
  /** The status the ticket gets with it, as in `actions`. */
  status?: TicketStatus
  /** What is done to the ticket in the unit that sends it. */
  actions?: Actions
  /** Ids of uploads of the author. */
  attachments?: string[]
  /** Recipients of an email. If absent, those that the ticket suggests. */
  recipients?: Recipients
}

/** A message under an id that a client made: not sent yet, or stored with its ticket. */
export type OutgoingMessage = { attachments: Attachment[] } & (
  | { scheduled: ScheduledReply; sent?: never }
  | { sent: StoredMessage; scheduled?: never }
)

/**
 * Stores a message under an id that the client made, and sends it at `sendAt`, or at once without one. The same request
 * again changes nothing. The message is held if another agent replied after the message `after`, or the author did from
 * another page. Deletes the agent's draft of a reply if it has the same text. Throws 404, 400 for an invalid id, time,
 * attachment, or recipient, and 409 for a merged ticket, an id that belongs to another message, or a stale one.
 */
export async function scheduleMessage(
  deps: Deps,
  orgId: string,
  { author, ...input }: NewScheduledMessage & { author: Author },
): Promise<{ message: OutgoingMessage; isNew: boolean }> {
  const { ticketId, id, text, attachments: ids = [] } = input
  requireTextOrFiles({ text, attachments: ids })
  const { agentId } = author
  const requestHash = hashOf(agentId, input)
  const actions: Actions = { ...(input.status && { status: input.status }), ...input.actions }
  return deps.database.write(orgId, async (tx) => {
    const assignable = await lockAssignees(tx, orgId, [{ assignedTo: agentId }, actions])
    if (!assignable.has(actions.assignedTo ?? '')) throw unknownAgent('/then/assignedTo')
    const ticket = await requireTicket(tx, orgId, ticketId)
    const now = deps.clock.now()
    const known = isId('msg', id) ? await findOutgoing(tx, orgId, id) : undefined
    const hasMoved = ticket.mergedInto !== null
    const currentId = hasMoved ? await survivorOf(tx, orgId, ticketId) : ticketId
    if (known) return { message: requireSame(known, currentId, requestHash), isNew: false }
    requireSnoozable(actions, now, '/then/snoozedUntil')
    requireNotMerged(ticket)
    requireInTime(input, now)
    if (input.isRefusedIfStale) await requireNewest(tx, ticket, input.after)
    const recipients = await chosenBy(deps, tx, ticket, input)
    const scheduled: ScheduledReply = {
      id,
      orgId,
      ticketId,
      opening: null,
      ...author,
      text,
      format: input.format ?? 'plain',
      attachmentCount: ids.length,
      recipients,
      actions: Object.keys(actions).length > 0 ? actions : null,
      isLater: isForLater(input.sendAt, now),
      seenMessageId: input.after ?? null,
      seenAt: input.after === undefined ? null : await whenWritten(tx, orgId, ticketId, input.after),
      isForced: false,
      isHeld: false,
      heldBecause: null,
      requestHash,
      sendAt: Math.max(input.sendAt ?? now, now),
      createdAt: now,
    }
    if (!(await insertScheduled(tx, scheduled))) throw idTaken()
    const { keyId } = author
    const uploads = { ids, uploader: (isOfGrant(keyId) ? agentId : (keyId ?? agentId)) ?? '' }
    await attach(deps, tx, orgId, { ownerId: id, ticketId, files: { uploads } })
    if (agentId !== null && keyId === null) {
      const draft = { orgId, ticketId, agentId, kind: 'reply' as const, text, attachments: ids }
      await deleteSentDraft(tx, draft)
    }
    // Checked now and not only when it is due: its author is still looking at the ticket.
    const isWaiting = await hasOwn(findOwnWaiting, tx, scheduled)
    if (isWaiting && input.isRefusedIfStale) throw waitsAlready()
    const because =
      isWaiting || (await hasOwn(findOwnSent, tx, scheduled))
        ? 'answered'
        : await reasonToHold(deps, tx, scheduled)
    if (because && input.isRefusedIfStale) throw answeredSince(false, {})
    if (because) await holdScheduled(tx, scheduled, because)
    if (because) recordHeld(deps, tx, scheduled)
    else if (scheduled.sendAt > now) recordWaiting(deps, tx, scheduled)
    else await sendMessage(deps, tx, { scheduled, assignable })
    return { message: await requireOutgoing(tx, orgId, id), isNew: true }
  })
}

/** Throws 400 for what is no message of the ticket, and 409. */
async function requireNewest(tx: Transaction, { orgId, id: ticketId }: Ticket, after = ''): Promise<void> {
  const seen = isId('msg', after) ? await findMessage(tx, { orgId, id: after }) : undefined
  if (seen?.ticketId !== ticketId) {
    const detail = 'There is no message with this id in the ticket.'
    throw invalid([{ pointer: '/after', code: 'unknown_message', detail }])
  }
  const [newest] = await findNewest(tx, { orgId, ticketId })
  if (!newest) return
  const isSeen =
    newest.createdAt < seen.createdAt || (newest.createdAt === seen.createdAt && newest.id <= seen.id)
  if (newest.role === 'agent') throw answeredSince(isSeen, { id: newest.id })
  if (isSeen) return
  const detail = 'The customer wrote since. Read the ticket again before you answer.'
  throw new AppError(409, 'answered_since', detail, { id: newest.id })
}

function answeredSince(isSeen: boolean, about: { id?: string }): AppError {
  const next = isSeen ? 'Wait for the customer.' : 'Read the ticket again.'
  return new AppError(409, 'answered_since', `The team has answered the customer. ${next}`, about)
}

function waitsAlready(): AppError {
  const detail = 'A reply is already waiting to be sent: see waitingReplies of get_ticket.'
  return new AppError(409, 'answered_since', detail)
}

/** Throws 404. */
export async function readOutgoing(
  deps: Deps,
  orgId: string,
  { ticketId: askedId, id }: { ticketId: string; id: string },
): Promise<OutgoingMessage> {
  const { read } = deps.database
  await readTicketRow(read, orgId, askedId)
  const ticketId = await survivorOf(read, orgId, askedId)
  // The scheduled one first: it can become a sent one between the two reads, but not the other way around.
  const scheduled = isId('msg', id) ? await findScheduled(read, { orgId, id }) : undefined
  if (scheduled?.ticketId === ticketId) return { scheduled, attachments: await filesOf(read, scheduled) }
  const sent = isId('msg', id) ? await findMessage(read, { orgId, id }) : undefined
  if (sent?.ticketId === ticketId) return { sent, attachments: await filesOf(read, sent) }
  throw notFound('message')
}

async function findOutgoing(
  tx: Transaction,
  orgId: string,
  id: string,
): Promise<OutgoingMessage | undefined> {
  const scheduled = await findScheduled(tx, { orgId, id })
  if (scheduled) return { scheduled, attachments: await filesOf(tx, scheduled) }
  const sent = await findMessage(tx, { orgId, id })
  return sent && { sent, attachments: await filesOf(tx, sent) }
}

async function filesOf(
  read: Reader | Transaction,
  { orgId, id, attachmentCount }: ScheduledReply | StoredMessage,
): Promise<Attachment[]> {
  return attachmentCount === 0 ? [] : findAttachmentsOf(read, { orgId, ownerId: id })
}

async function requireOutgoing(tx: Transaction, orgId: string, id: string): Promise<OutgoingMessage> {
  const message = await findOutgoing(tx, orgId, id)
  if (!message) throw new Error(`The message ${id} disappeared in the unit that stored it.`)
  return message
}

/** Throws 400 for a wrong recipient, and when replies to the ticket don't leave by email. */
async function chosenBy(
  deps: Deps,
  tx: Transaction,
  ticket: Ticket,
  { recipients }: NewScheduledMessage,
): Promise<Recipients | null> {
  if (!recipients) return null
  const customer = await customerOf(tx, ticket.orgId, ticket.customerId)
  const way = await wayOf(deps, tx, ticket, customer)
  if (way.requireRecipients) return way.requireRecipients(recipients)
  const detail = "Replies to this ticket aren't sent by email, so they have no recipients."
  throw invalid([{ pointer: '/recipients', code: 'not_by_email', detail }])
}

/** Contains only what the client sent: the same request always has the same hash. */
function hashOf(agentId: string | null, input: NewScheduledMessage): string {
  const { text, format = 'plain', sendAt = null, after = null, status = null } = input
  const { attachments = [], recipients = null, actions } = input
  const request = [agentId, text, format, sendAt, after, status, attachments, recipients]
  return hashOfRequest(actions ? [...request, actions] : request)
}

function requireSame(known: OutgoingMessage, ticketId: string, requestHash: string): OutgoingMessage {
  const row = known.scheduled ?? known.sent
  if (row.ticketId !== ticketId || row.requestHash !== requestHash) throw idTaken()
  return known
}

function requireInTime({ id, sendAt, after }: NewScheduledMessage, now: number): void {
  const faults: Fault[] = []
  const idFault = clientIdFault('msg', id, { now, parameter: 'messageId' })
  if (idFault) faults.push(idFault)
  const tooFar = tooFarAhead(sendAt, now)
  if (tooFar) faults.push(tooFar)
  if (after !== undefined && !isId('msg', after)) {
    faults.push({ pointer: '/after', code: 'invalid_id', detail: 'Must be the id of a message.' })
  }
  if (faults.length > 0) throw invalid(faults)
}

/** Whether its author chose when it is sent. Otherwise it only waits to be undone. */
export function isForLater(sendAt: number | undefined, now: number): boolean {
  return sendAt !== undefined && sendAt > now + MAX_UNDO_MS
}

export function tooFarAhead(sendAt: number | undefined, now: number): Fault | undefined {
  if (sendAt === undefined || sendAt <= now + MAX_DAYS_AHEAD * DAY_MS) return undefined
  const detail = `Must be at most ${MAX_DAYS_AHEAD} days ahead.`
  return { pointer: '/sendAt', code: 'too_far_ahead', detail }
}

/**
 * When the message that the author has seen was written. For a waiting one, when it was scheduled. For one that was taken
 * back since, the time in its id.
 */
async function whenWritten(tx: Transaction, orgId: string, ticketId: string, id: string): Promise<number> {
  const known = await findOutgoing(tx, orgId, id)
  const row = known?.scheduled ?? known?.sent
  return row?.ticketId === ticketId ? row.createdAt : timeOfId(id)
}

/** Whether the author wrote another message that their page didn't know of. */
async function hasOwn(
  find: typeof findOwnWaiting | typeof findOwnSent,
  tx: Transaction,
  { id, orgId, ticketId, agentId, agentName, seenMessageId, seenAt }: ScheduledReply,
): Promise<boolean> {
  if (seenMessageId === null || seenAt === null) return false
  const own = await find(tx, { orgId, ticketId, author: agentId ?? agentName, seenMessageId, seenAt })
  return own.some((message) => message.id !== id)
}
