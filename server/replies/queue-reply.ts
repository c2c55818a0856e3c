import type { TicketStatus } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { finishDraft } from '../threads/drafts.ts'
import { requireTicket } from '../tickets/queries.ts'
import type { AlsoSave } from '../tickets/tickets.ts'
import {
  findAnswer,
  findMessage,
  findOwnSent,
  findOwnWaiting,
  insertScheduled,
  type ScheduledMessage,
} from './queries.ts'
import { answeredMeanwhile, tellWaiting } from './scheduled-messages.ts'

/** How long a reply can be taken back. */
const UNDO_MS = 10_000

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

/** The way pages send until they use `scheduleMessage`. */
export async function queueReply(
  deps: Deps,
  orgId: string,
  input: NewReply,
  alsoSave?: AlsoSave<ScheduledMessage>,
): Promise<ScheduledMessage> {
  const { ticketId, agentId, agentName, text, lastMessageId, base, knownReplies } = input
  const { force = false, thenStatus = null } = input
  if (!isId('msg', lastMessageId)) throw notFound('message')
  return deps.database.write(async (tx) => {
    await requireTicket(tx, orgId, ticketId)
    const last = await findMessage(tx, { orgId, id: lastMessageId })
    if (last?.ticketId !== ticketId) throw notFound('message')
    const seen = { orgId, ticketId, author: agentId, seenMessageId: lastMessageId, seenAt: last.createdAt }
    const [answer] = force ? [] : await findAnswer(tx, seen)
    if (answer) throw answeredMeanwhile()
    if (!force && knownReplies) {
      const known = new Set(knownReplies)
      const own = [...(await findOwnWaiting(tx, seen)), ...(await findOwnSent(tx, seen))]
      if (!own.every(({ id }) => known.has(id))) {
        const detail =
          'You replied from another page meanwhile. Read that, then send anyway or edit this one.'
        throw new AppError(409, 'answered_meanwhile', detail)
      }
    }
    const createdAt = deps.clock.now()
    const reply: ScheduledMessage = {
      id: deps.newId('msg'),
      orgId,
      ticketId,
      agentId,
      keyId: null,
      agentName,
      text,
      thenStatus,
      seenMessageId: lastMessageId,
      seenAt: last.createdAt,
      isForced: force,
      isHeld: false,
      heldBecause: null,
      requestHash: null,
      sendAt: createdAt + UNDO_MS,
      createdAt,
    }
    await insertScheduled(tx, reply)
    await finishDraft(tx, { orgId, ticketId, agentId, kind: 'reply', base })
    await tellWaiting(deps, tx, reply)
    await alsoSave?.(tx, reply)
    return reply
  })
}
