import { detachUploads } from '../attachments/bindings.ts'
import { findAttachmentsOf } from '../attachments/queries.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { messages } from '../database/tables/messages.ts'
import type { HeldBecause, Recipients } from '../database/tables/scheduled-messages.ts'
import type { Actions } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { returnToDraft } from '../threads/drafts.ts'
import { survivorOf } from '../tickets/merged.ts'
import { requireTicket } from '../tickets/queries.ts'
import { lockAssignees } from '../tickets/update-ticket.ts'
import { removeFromChat } from './change-sent.ts'
import {
  type Author,
  deleteScheduled,
  findMessage,
  findScheduled,
  holdScheduled,
  isAuthorDisabled,
  isProgram,
  type ScheduledReply,
  type StoredMessage,
} from './queries.ts'
import { assigneesOf, recordHeld, recordWaiting, sendOrHold } from './send-message.ts'

/** Its author can send it anyway, after reading why it is held. */
const HELD_UNLESS_FORCED: HeldBecause[] = ['answered', 'customer_wrote', 'not_by_email']

/** A message that is not sent yet, or can be taken back, and who changes it. */
interface WaitingRequest {
  ticketId: string
  id: string
  /** Undefined for an API key. */
  agentId: string | undefined
  agentName: string
  isAdmin: boolean
}

/**
 * Takes back a message that is not sent yet, or that a chat already shows. Its text and files go back into its author's
 * draft of a reply, before what they wrote since. Those of a disabled agent go into the draft of the agent who takes it
 * back. Throws 404, 403 for another author's message, and 409 when it is sent and can't be taken back. If the draft
 * would be too long to save, a waiting message is held, a sent one stays, and it throws 409.
 */
export async function takeBack(deps: Deps, orgId: string, request: WaitingRequest): Promise<void> {
  const isTakenBack = await deps.database.write(orgId, async (tx) => {
    const { scheduled, sent } = await requireOwn(tx, orgId, request)
    if (sent) {
      if (!(await removeFromChat(deps, tx, sent))) throw alreadySent()
      const isReturned = await returnContent(deps, tx, await withEnabledAuthor(tx, sent, request))
      if (!isReturned) throw draftTooLong('so it stays sent')
      if (sent.attachmentCount > 0) await removeFiles(tx, sent)
      return true
    }
    const { isLater, sendAt } = scheduled
    const returned = { ...(await withEnabledAuthor(tx, scheduled, request)), sendAt: isLater ? sendAt : null }
    const isReturned = await returnContent(deps, tx, returned)
    if (isReturned) await deleteScheduled(tx, scheduled)
    else if (!scheduled.isHeld) await holdScheduled(tx, scheduled, 'too_long')
    if (isReturned) recordWaiting(deps, tx, scheduled)
    else recordHeld(deps, tx, scheduled)
    return isReturned
  })
  if (!isTakenBack) throw draftTooLong('so the message is held')
}

/** Into the draft of its author. An API key has none, nor has a program. Returns false if it is too long for the draft. */
async function returnContent(
  deps: Deps,
  tx: Transaction,
  message: Pick<StoredMessage, 'id' | 'orgId' | 'ticketId' | 'agentId' | 'text' | 'attachmentCount'> & {
    recipients?: Recipients | null
    actions?: Actions | null
    /** Chosen by its author. */
    sendAt?: number | null
  },
): Promise<boolean> {
  const { id: ownerId, orgId, ticketId, agentId, text, attachmentCount } = message
  const { recipients = null, actions = null, sendAt = null } = message
  const bound = attachmentCount === 0 ? [] : await findAttachmentsOf(tx, { orgId, ownerId })
  const written = { text, recipients, actions, sendAt, attachments: bound.map(({ id }) => id) }
  const drafter = agentId !== null && !(await isProgram(tx, { orgId, agentId })) ? agentId : null
  const fits =
    drafter === null || (await returnToDraft(deps, tx, { orgId, ticketId, agentId: drafter, ...written }))
  if (fits && attachmentCount > 0) await detachUploads(deps, tx, orgId, { ownerId, agentId: drafter })
  return fits
}

/**
 * Sends a message now that is not sent yet, even if it is held because of another agent's reply. Throws 404, 403 for
 * another author's message, and 409 when it is already sent or has to be held now.
 */
export async function sendNow(deps: Deps, orgId: string, request: WaitingRequest): Promise<void> {
  const assignees = isId('msg', request.id) ? await assigneesOf(deps, { orgId, id: request.id }) : []
  const isSent = await deps.database.write(orgId, async (tx) => {
    const own = { assignedTo: request.agentId ?? null }
    const assignable = await lockAssignees(tx, orgId, [...assignees, own])
    const found = await requireWaiting(tx, orgId, request)
    const isForcedNow = found.isHeld && HELD_UNLESS_FORCED.includes(found.heldBecause ?? 'answered')
    const scheduled = {
      ...(await withEnabledAuthor(tx, found, request)),
      isForced: found.isForced || isForcedNow,
      // Whoever presses Send now has the customer's words before them.
      isLater: false,
    }
    return sendOrHold(deps, tx, { scheduled, assignable })
  })
  if (!isSent) throw answeredMeanwhile()
}

/** The message with the agent of the request as its author, if its own author is disabled. */
async function withEnabledAuthor<Message extends Author>(
  tx: Transaction,
  message: Message,
  { agentId, agentName }: WaitingRequest,
): Promise<Message> {
  if (agentId === undefined || !(await isAuthorDisabled(tx, message))) return message
  return { ...message, agentId, keyId: null, agentName }
}

async function requireWaiting(
  tx: Transaction,
  orgId: string,
  request: WaitingRequest,
): Promise<ScheduledReply> {
  const { scheduled } = await requireOwn(tx, orgId, request)
  if (!scheduled) throw alreadySent()
  return scheduled
}

/** Locks the ticket first. */
async function requireOwn(
  tx: Transaction,
  orgId: string,
  request: WaitingRequest,
): Promise<{ scheduled: ScheduledReply; sent?: never } | { scheduled?: never; sent: StoredMessage }> {
  const { id } = request
  await requireTicket(tx, orgId, request.ticketId)
  const ticketId = await survivorOf(tx, orgId, request.ticketId)
  if (!isId('msg', id)) throw notFound('message')
  const scheduled = await findScheduled(tx, { orgId, id })
  if (scheduled?.ticketId === ticketId) {
    await requireAuthor(tx, scheduled, request)
    return { scheduled }
  }
  const sent = scheduled ? undefined : await findMessage(tx, { orgId, id })
  if (sent?.ticketId !== ticketId) throw notFound('message')
  if (sent.role === 'customer') throw alreadySent()
  await requireAuthor(tx, sent, request)
  return { sent }
}

/** Throws 403. */
async function requireAuthor(
  tx: Transaction,
  author: Author,
  { agentId, isAdmin }: WaitingRequest,
): Promise<void> {
  const isOwn = author.agentId === (agentId ?? null)
  if (isOwn || isAdmin) return
  if (agentId !== undefined && (await isAuthorDisabled(tx, author))) return
  const detail = `Only ${author.agentName ?? 'its author'} or an administrator can do this.`
  throw new AppError(403, 'not_yours', detail)
}

/** Its files are in a draft again. */
async function removeFiles(tx: Transaction, { orgId, id }: StoredMessage): Promise<void> {
  await tx.update(messages).set({ attachmentCount: 0 }).where(matches(messages, { orgId, id }))
}

function answeredMeanwhile(): AppError {
  const detail = 'Another agent replied since. Read their message, then send yours anyway or edit it.'
  return new AppError(409, 'answered_meanwhile', detail)
}

function alreadySent(): AppError {
  return new AppError(409, 'already_sent', 'The message is already sent.')
}

/** `consequence`: what became of the message. */
function draftTooLong(consequence: string): AppError {
  const detail = `The message and your draft together are too large for one draft, ${consequence}. Shorten the draft or send it first.`
  return new AppError(409, 'draft_too_long', detail)
}
