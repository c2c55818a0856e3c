import type { Transaction } from '../database/database.ts'
import type { HeldBecause } from '../database/tables/scheduled-messages.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { returnToDraft } from '../threads/drafts.ts'
import { lockTicket, requireTicket } from '../tickets/queries.ts'
import { lockAssignees } from '../tickets/update-ticket.ts'
import {
  deleteScheduled,
  findAnswer,
  findMessage,
  findScheduled,
  holdScheduled,
  isAuthorDisabled,
  type NextScheduled,
  type ScheduledMessage,
} from './queries.ts'
import { sendMessage } from './send-message.ts'

/** Which message, and who asks. */
export interface ScheduledRequest {
  ticketId: string
  id: string
  /** Undefined: an API key asks. */
  agentId: string | undefined
  agentName: string
  isAdmin: boolean
}

/**
 * Takes back a message that is not sent yet. An agent finds its text in their draft of a reply again, before what they
 * wrote since; the text of a disabled agent goes to the agent who asks. Returns the text: the whole draft when it is
 * the asking agent's own. Throws 404, 403 for another author's message, 409 when it is sent, and when the draft would
 * become too long: then the message is held.
 */
export async function takeBack(deps: Deps, orgId: string, request: ScheduledRequest): Promise<string> {
  const taken = await deps.database.write(async (tx) => {
    const found = await requireScheduled(tx, orgId, request)
    const scheduled = await inLivingName(tx, found, request)
    const { ticketId, agentId, text } = scheduled
    const savedAt = deps.clock.now()
    const draft =
      agentId === null ? text : await returnToDraft(tx, { orgId, ticketId, agentId, text, savedAt })
    if (draft !== undefined) await deleteScheduled(tx, found)
    else if (!found.isHeld) await holdScheduled(tx, found, 'too_long')
    await tellWaiting(deps, tx, found)
    return { draft, answer: agentId === request.agentId ? draft : text }
  })
  if (taken.draft === undefined || taken.answer === undefined) throw draftTooLong()
  return taken.answer
}

/**
 * Sends a scheduled message now; one that is held because of another agent's reply is sent anyway. Throws 404, 403 for
 * another author's message, 409 when it is sent, and when it has just become held.
 */
export async function sendNow(deps: Deps, orgId: string, request: ScheduledRequest): Promise<void> {
  const author = await authorOf(deps, orgId, request.id)
  const isSent = await deps.database.write(async (tx) => {
    const assignable = await lockAssignees(tx, orgId, [
      { assignedTo: author },
      { assignedTo: request.agentId ?? null },
    ])
    const found = await requireScheduled(tx, orgId, request)
    const isAnswerKnown = found.isHeld && (found.heldBecause ?? 'answered') === 'answered'
    const scheduled = {
      ...(await inLivingName(tx, found, request)),
      isForced: found.isForced || isAnswerKnown,
    }
    return sendOrHold(deps, tx, { scheduled, assignable })
  })
  if (!isSent) throw answeredMeanwhile()
}

/** Sends a message whose time has come, unless it was taken back or is held by now. */
export async function sendDue(
  deps: Deps,
  { orgId, ticketId, id, agentId }: Pick<NextScheduled, 'orgId' | 'ticketId' | 'id' | 'agentId'>,
): Promise<void> {
  await deps.database.write(async (tx) => {
    const assignable = await lockAssignees(tx, orgId, [{ assignedTo: agentId }])
    await lockTicket(tx, { orgId, id: ticketId })
    const scheduled = await findScheduled(tx, { orgId, id })
    if (scheduled && !scheduled.isHeld) await sendOrHold(deps, tx, { scheduled, assignable })
  })
}

/** Returns whether it was sent. The unit has locked the author's row and the ticket's. */
export async function sendOrHold(
  deps: Deps,
  tx: Transaction,
  { scheduled, assignable }: { scheduled: ScheduledMessage; assignable: Set<string> },
): Promise<boolean> {
  const because = await reasonToHold(tx, scheduled)
  if (because) {
    await holdScheduled(tx, scheduled, because)
    await tellWaiting(deps, tx, scheduled)
    return false
  }
  await sendMessage(deps, tx, { scheduled, assignable })
  return true
}

export function tellWaiting(
  deps: Deps,
  tx: Transaction,
  { orgId, ticketId }: ScheduledMessage,
): Promise<void> {
  const createdAt = deps.clock.now()
  return recordEvents(deps, tx, orgId, [{ type: 'reply.waiting', ticketId, createdAt }])
}

export function answeredMeanwhile(): AppError {
  const detail = 'Another agent replied since. Read their message, then send yours anyway or edit it.'
  return new AppError(409, 'answered_meanwhile', detail)
}

/** A message is never sent in the name of an agent who is disabled, or of a key that is revoked. */
export async function reasonToHold(
  tx: Transaction,
  scheduled: ScheduledMessage,
): Promise<HeldBecause | undefined> {
  if (await isAuthorDisabled(tx, scheduled)) return 'disabled'
  const { orgId, ticketId, agentId, agentName, seenMessageId, seenAt, isForced } = scheduled
  if (isForced || seenMessageId === null || seenAt === null) return undefined
  const author = agentId ?? agentName
  const [answer] = await findAnswer(tx, { orgId, ticketId, author, seenMessageId, seenAt })
  return answer && 'answered'
}

/** A message of a disabled agent becomes the asking agent's. */
async function inLivingName(
  tx: Transaction,
  scheduled: ScheduledMessage,
  { agentId, agentName }: ScheduledRequest,
): Promise<ScheduledMessage> {
  if (agentId === undefined || !(await isAuthorDisabled(tx, scheduled))) return scheduled
  return { ...scheduled, agentId, keyId: null, agentName }
}

async function requireScheduled(
  tx: Transaction,
  orgId: string,
  request: ScheduledRequest,
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

/** Read before the unit, which has to lock the author's row first; the author of a message never changes. */
async function authorOf(deps: Deps, orgId: string, id: string): Promise<string | null> {
  if (!isId('msg', id)) return null
  return (await findScheduled(deps.database.read, { orgId, id }))?.agentId ?? null
}

function alreadySent(): AppError {
  return new AppError(409, 'already_sent', 'The message is already sent.')
}

function draftTooLong(): AppError {
  const detail =
    'The text and your draft together are too long for one draft, so the message is held. Shorten the draft or send it first.'
  return new AppError(409, 'draft_too_long', detail)
}
