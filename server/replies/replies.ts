import type { Transaction } from '../database/database.ts'
import { type HeldBecause, waitingReplies } from '../database/tables/replies.ts'
import type { TicketStatus } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { finishDraft, returnToDraft } from '../threads/drafts.ts'
import { lockTicket, requireTicket } from '../tickets/queries.ts'
import type { AlsoSave } from '../tickets/tickets.ts'
import {
  deleteReply,
  findAnswer,
  findOwnSent,
  findOwnWaiting,
  findReply,
  hasMessage,
  holdReply,
  isDisabled,
  type OwnReplies,
  type WaitingReply,
} from './queries.ts'
import { messageIdOf, sendReply } from './send-reply.ts'

/** How long a reply can be taken back. */
export const UNDO_MS = 10_000

export interface NewReply {
  ticketId: string
  agentId: string
  agentName: string
  text: string
  /** The newest message the agent had before their eyes. */
  lastMessageId: string
  thenStatus?: TicketStatus
  /** Even if somebody answered meanwhile. */
  force?: boolean
  /** The version of the draft that it was written from. */
  base?: number | null
  /** The agent's own replies that the page knows of; without it, they are not looked at. */
  knownReplies?: string[]
}

/** Which reply, and who asks. */
export interface ReplyRequest {
  ticketId: string
  id: string
  agentId: string
  agentName: string
  isAdmin: boolean
}

/**
 * Lets a reply wait ten seconds before it goes; it is a row, so it goes after a crash too. The agent's draft of a reply
 * is done with. Throws 404, and 409 when somebody else has answered since the newest message the agent had seen, or
 * the agent has from another page.
 */
export async function queueReply(
  deps: Deps,
  orgId: string,
  input: NewReply,
  alsoSave?: AlsoSave<WaitingReply>,
): Promise<WaitingReply> {
  const {
    ticketId,
    agentId,
    lastMessageId,
    base,
    knownReplies,
    force = false,
    thenStatus = null,
    ...written
  } = input
  if (!isId('msg', lastMessageId)) throw notFound('message')
  return deps.database.write(async (tx) => {
    await requireTicket(tx, orgId, ticketId)
    if (!(await hasMessage(tx, { orgId, ticketId, id: lastMessageId }))) throw notFound('message')
    const [answer] = force ? [] : await findAnswer(tx, { orgId, ticketId, agentId, lastMessageId })
    if (answer) throw answeredMeanwhile()
    if (!force && knownReplies)
      await refuseSecond(tx, { orgId, ticketId, agentId, lastMessageId, knownReplies })
    const createdAt = deps.clock.now()
    const reply: WaitingReply = {
      ...written,
      id: deps.newId('rpl'),
      orgId,
      ticketId,
      agentId,
      lastMessageId,
      thenStatus,
      isForced: force,
      isHeld: false,
      heldBecause: null,
      sendAt: createdAt + UNDO_MS,
      createdAt,
    }
    await tx.insert(waitingReplies).values(reply)
    await finishDraft(tx, { orgId, ticketId, agentId, kind: 'reply', base })
    await tellWaiting(deps, tx, reply)
    await alsoSave?.(tx, reply)
    return reply
  })
}

/**
 * Takes a reply back; its text is its agent's draft of a reply again, as answered to the agent; an administrator hears
 * the reply alone. Throws 404, 403 for others', 409 when it has gone, and when the draft would be too long to be saved:
 * then the reply is held.
 */
export async function undoReply(deps: Deps, orgId: string, request: ReplyRequest): Promise<string> {
  const taken = await deps.database.write(async (tx) => {
    const reply = await requireReply(tx, orgId, request)
    const { ticketId, agentId, text } = await inLivingName(tx, reply, request)
    const savedAt = deps.clock.now()
    const draft = await returnToDraft(tx, { orgId, ticketId, agentId, text, savedAt })
    if (draft !== undefined) await deleteReply(tx, reply)
    else if (!reply.isHeld) await holdReply(tx, reply, 'too_long')
    await tellWaiting(deps, tx, reply)
    return { draft, answer: agentId === request.agentId ? draft : text }
  })
  if (taken.draft === undefined || taken.answer === undefined) throw draftTooLong()
  return taken.answer
}

/**
 * Sends a waiting reply now; one that is held goes although somebody answered. Throws 404, 403 for others', 409 when it
 * has gone, and when it becomes held just now.
 */
export async function releaseReply(deps: Deps, orgId: string, request: ReplyRequest): Promise<void> {
  const isSent = await deps.database.write(async (tx) => {
    const reply = await requireReply(tx, orgId, request)
    const isAnswerKnown = reply.isHeld && (reply.heldBecause ?? 'answered') === 'answered'
    const released = await inLivingName(tx, reply, request)
    return sendOrHold(deps, tx, { ...released, isForced: reply.isForced || isAnswerKnown })
  })
  if (!isSent) throw answeredMeanwhile()
}

/** Sends a reply whose time has come, unless it was taken back or is held by now. */
export async function sendDue(
  deps: Deps,
  { orgId, ticketId, id }: { orgId: string; ticketId: string; id: string },
): Promise<void> {
  await deps.database.write(async (tx) => {
    await lockTicket(tx, { orgId, id: ticketId })
    const reply = await findReply(tx, { orgId, ticketId, id })
    if (reply && !reply.isHeld) await sendOrHold(deps, tx, reply)
  })
}

/** One agent with two pages open answers once. */
async function refuseSecond(
  tx: Transaction,
  { knownReplies, ...seen }: OwnReplies & { knownReplies: string[] },
): Promise<void> {
  const known = new Set(knownReplies.flatMap((id) => [id, messageIdOf(id)]))
  const own = [...(await findOwnWaiting(tx, seen)), ...(await findOwnSent(tx, seen))]
  if (own.every(({ id }) => known.has(id))) return
  const detail = 'You have replied from another page meanwhile. Read that, then send anyway or edit this one.'
  throw new AppError(409, 'answered_meanwhile', detail)
}

/** Answers whether it went. */
async function sendOrHold(deps: Deps, tx: Transaction, reply: WaitingReply): Promise<boolean> {
  const because = await reasonToHold(tx, reply)
  if (because) {
    await holdReply(tx, reply, because)
    await tellWaiting(deps, tx, reply)
    return false
  }
  await deleteReply(tx, reply)
  await sendReply(deps, tx, reply)
  return true
}

/** Nothing is said in the name of somebody who may not say it any more. */
async function reasonToHold(tx: Transaction, reply: WaitingReply): Promise<HeldBecause | undefined> {
  if (await isDisabled(tx, reply)) return 'disabled'
  const [answer] = reply.isForced ? [] : await findAnswer(tx, reply)
  return answer && 'answered'
}

/** What a disabled agent has left behind is whoever's who takes care of it. */
async function inLivingName(
  tx: Transaction,
  reply: WaitingReply,
  { agentId, agentName }: ReplyRequest,
): Promise<WaitingReply> {
  return (await isDisabled(tx, reply)) ? { ...reply, agentId, agentName } : reply
}

async function requireReply(tx: Transaction, orgId: string, request: ReplyRequest): Promise<WaitingReply> {
  const { ticketId, id } = request
  await requireTicket(tx, orgId, ticketId)
  if (!isId('rpl', id)) throw notFound('reply')
  const reply = await findReply(tx, { orgId, ticketId, id })
  if (!reply && (await hasMessage(tx, { orgId, ticketId, id: messageIdOf(id) }))) {
    throw new AppError(409, 'already_sent', 'The reply has already been sent.')
  }
  if (!reply) throw notFound('reply')
  if (reply.agentId === request.agentId || request.isAdmin) return reply
  if (await isDisabled(tx, reply)) return reply
  throw new AppError(403, 'not_yours', `Only ${reply.agentName} or an administrator may do this.`)
}

function tellWaiting(deps: Deps, tx: Transaction, { orgId, ticketId }: WaitingReply): Promise<void> {
  const createdAt = deps.clock.now()
  return recordEvents(deps, tx, orgId, [{ type: 'reply.waiting', ticketId, createdAt }])
}

function draftTooLong(): AppError {
  const detail =
    'Together with what has been begun it is too long for one draft, so it is held. Shorten the draft or send it first.'
  return new AppError(409, 'draft_too_long', detail)
}

function answeredMeanwhile(): AppError {
  const detail = 'Somebody else has answered meanwhile. Read their message, then send anyway or edit yours.'
  return new AppError(409, 'answered_meanwhile', detail)
}
