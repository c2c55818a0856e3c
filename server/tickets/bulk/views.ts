import type { Ticket } from '../queries.ts'

/** A ticket as it was, in the words of a change: sent back as one, it takes the change back. */
export function viewBefore({ id, status, assignedTo, tags, isSpam }: Ticket) {
  return { id, before: { status, assignedTo: assignedTo || null, tags, isSpam } }
}
