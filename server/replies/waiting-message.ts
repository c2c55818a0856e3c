import { detachUploads } from '../attachments/bindings.ts'
import { findAttachmentsOf } from '../attachments/queries.ts'
import type { Transaction } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { returnToDraft } from '../threads/drafts.ts'
import { requireTicket } from '../tickets/queries.ts'
import { lockAssignees } from '../tickets/update-ticket.ts'
import {
  deleteScheduled,
  findMessage,
  findScheduled,
  holdScheduled,
  isAuthorDisabled,
  type ScheduledMessage,
} from './queries.ts'
import { recordWaiting, sendOrHold } from './send-message.ts'

/** A message that is not sent yet, and who changes it. */
interface WaitingRequest {
  ticketId: string
  id: string
  /** Undefined for an API key. */
  agentId: string | undefined
  agentName: string
  isAdmin: boolean
}

/**
 * Takes back a message that is not sent yet. Its text and files go back into its author's draft of a reply, before what they
 * wrote since. Those of a disabled agent go into the draft of the agent who takes it back. Throws 404, 403 for another
 * author's message, and 409 when it is sent. If the draft would be too long to save, it holds the message and throws 409.
 */
export async function takeBack(deps: Deps, orgId: string, request: WaitingRequest): Promise<void> {
  const isTakenBack = await deps.database.write(async (tx) => {
    const found = await requireWaiting(tx, orgId, request)
    const { ticketId, agentId, text, recipients, attachmentCount } = await withEnabledAuthor(
      tx,
      found,
      request,
    )
    const bound = attachmentCount === 0 ? [] : await findAttachmentsOf(tx, { orgId, ownerId: found.id })
    const written = { text, recipients, attachments: bound.map(({ id }) => id) }
    const fits = agentId === null || (await returnToDraft(deps, tx, { orgId, ticketId, agentId, ...written }))
    if (fits) {
      if (attachmentCount > 0) await detachUploads(deps, tx, orgId, { ownerId: found.id, agentId })
      await deleteScheduled(tx, found)
    } else if (!found.isHeld) await holdScheduled(tx, found, 'too_long')
    await recordWaiting(deps, tx, found)
    return fits
  })
  if (!isTakenBack) throw draftTooLong()
}

/**
 * Sends a message now that is not sent yet, even if it is held because of another agent's reply. Throws 404, 403 for
 * another author's message, and 409 when it is already sent or has to be held now.
 */
export async function sendNow(deps: Deps, orgId: string, request: WaitingRequest): Promise<void> {
  const author = await authorOf(deps, orgId, request.id)
  const isSent = await deps.database.write(async (tx) => {
    const assignable = await lockAssignees(tx, orgId, [
      { assignedTo: author },
      { assignedTo: request.agentId ?? null },
    ])
    const found = await requireWaiting(tx, orgId, request)
    const isHeldByReply = found.isHeld && (found.heldBecause ?? 'answered') === 'answered'
    const scheduled = {
      ...(await withEnabledAuthor(tx, found, request)),
      isForced: found.isForced || isHeldByReply,
    }
    return sendOrHold(deps, tx, { scheduled, assignable })
  })
  if (!isSent) throw answeredMeanwhile()
}

/** The message with the agent of the request as its author, if its own author is disabled. */
async function withEnabledAuthor(
  tx: Transaction,
  scheduled: ScheduledMessage,
  { agentId, agentName }: WaitingRequest,
): Promise<ScheduledMessage> {
  if (agentId === undefined || !(await isAuthorDisabled(tx, scheduled))) return scheduled
  return { ...scheduled, agentId, keyId: null, agentName }
}

async function requireWaiting(
  tx: Transaction,
  orgId: string,
  request: WaitingRequest,
): Promise<ScheduledMessage> {
  const { ticketId, id } = request
  await requireTicket(tx, orgId, ticketId)
  if (!isId('msg', id)) throw notFound('message')
  const scheduled = await findScheduled(tx, { orgId, id })
  const sent = scheduled ? undefined : await findMessage(tx, { orgId, id })
  if (sent?.ticketId === ticketId) throw alreadySent()
  if (scheduled?.ticketId !== ticketId) throw notFound('message')
  const isOwn = scheduled.agentId === (request.agentId ?? null)
  if (isOwn || request.isAdmin) return scheduled
  if (request.agentId !== undefined && (await isAuthorDisabled(tx, scheduled))) return scheduled
  const detail = `Only ${scheduled.agentName} or an administrator can do this.`
  throw new AppError(403, 'not_yours', detail)
}

/** Read before the unit, which must lock the author's row first. The author of a message never changes. */
async function authorOf(deps: Deps, orgId: string, id: string): Promise<string | null> {
  if (!isId('msg', id)) return null
  return (await findScheduled(deps.database.read, { orgId, id }))?.agentId ?? null
}

function answeredMeanwhile(): AppError {
  const detail = 'Another agent replied since. Read their message, then send yours anyway or edit it.'
  return new AppError(409, 'answered_meanwhile', detail)
}

function alreadySent(): AppError {
  return new AppError(409, 'already_sent', 'The message is already sent.')
}

function draftTooLong(): AppError {
  const detail =
    'The message and your draft together are too large for one draft, so the message is held. Shorten the draft or send it first.'
  return new AppError(409, 'draft_too_long', detail)
}
