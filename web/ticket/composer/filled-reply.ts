import type { SessionData } from '../../api/session.ts'
import { toastError } from '../../ui/toaster.tsx'
import { type FilledTicket, fillIn, unknownIn } from './variables.ts'

/** A saved reply with its variables filled in. Warns about unknown variables, before a customer reads them. */
export function filledReply(text: string, ticket: FilledTicket, session: SessionData): string {
  const unknown = unknownIn(text)
  if (unknown.length > 0) {
    toastError(`Unknown variable: ${unknown.join(', ')}. Replace it before you send.`)
  }
  return fillIn(text, ticket, session)
}
