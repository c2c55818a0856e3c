import type { SessionData } from '../../api/session.ts'
import { toastError } from '../../ui/toaster.tsx'
import type { Ticket } from '../ticket-query.ts'
import { fillIn, unknownIn } from './variables.ts'

/** A saved reply as it goes into the answer. What could not be filled in is told, before a customer reads it. */
export function filledReply(text: string, ticket: Ticket, session: SessionData): string {
  const unknown = unknownIn(text)
  if (unknown.length > 0) {
    toastError(`${unknown.join(', ')} could not be filled in. Replace it before you send.`)
  }
  return fillIn(text, ticket, session)
}
