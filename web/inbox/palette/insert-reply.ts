import type { SessionData } from '../../api/session.ts'
import { knownActions } from '../../keyboard/keys.ts'
import { draftOf } from '../../ticket/composer/draft-registry.ts'
import { filledReply } from '../../ticket/composer/filled-reply.ts'
import { knownTicket } from '../../ticket/ticket-query.ts'

/** Writes a saved reply into the answer to the open ticket, behind what is there. False when none is open. */
export function insertReply(ticketId: string | undefined, text: string, session: SessionData): boolean {
  if (ticketId === undefined) return false
  const known = knownTicket(ticketId)
  if (!known) return false
  const draft = draftOf(session.agent.id, ticketId, 'reply')
  const before = draft.text().trimEnd()
  draft.write(`${before}${before ? '\n\n' : ''}${filledReply(text, known.ticket, session)}`)
  knownActions()
    .find(({ id }) => id === 'ticket.reply')
    ?.run()
  return true
}
