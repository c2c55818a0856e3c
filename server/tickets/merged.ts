import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { tickets } from '../database/tables/tickets.ts'
import { AppError } from '../errors.ts'
import type { Ticket } from './queries.ts'

/** The ticket that has the messages of this one now: itself, unless it was merged. That one can have been merged, too. */
export async function survivorOf(
  read: Reader | Transaction,
  orgId: string,
  ticketId: string,
): Promise<string> {
  let id = ticketId
  for (;;) {
    const [ticket] = await findMergedInto(read, { orgId, id })
    if (!ticket?.mergedInto) return id
    id = ticket.mergedInto
  }
}

/** The ticket that is written to must be the one that has the messages. Throws 409 and names that one. */
export function requireNotMerged({ id, mergedInto }: Pick<Ticket, 'id' | 'mergedInto'>): void {
  if (mergedInto === null) return
  const detail = `The ticket ${id} was merged into ${mergedInto}. Use that one.`
  throw new AppError(409, 'ticket_merged', detail, { id: mergedInto })
}

const findMergedInto = statement(
  'tickets_merged_into',
  { orgId: text, id: text },
  (read: Reader | Transaction, p) =>
    read.select({ mergedInto: tickets.mergedInto }).from(tickets).where(matches(tickets, p)),
)
