import { customerOf } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { changeRow, type InboxChange, lockAssignees, recordChanges } from './change-ticket.ts'
import { requireTicket, type Ticket } from './queries.ts'
import { ticketEtag } from './views.ts'

/**
 * Changes a ticket and writes into its thread what changed. A change that changes nothing leaves `updatedAt` and
 * records nothing. With `ifMatch` the change is refused (412) unless it is the ETag of the ticket as it stands.
 */
export async function updateTicket(
  deps: Deps,
  orgId: string,
  { id, change, ifMatch }: { id: string; change: InboxChange; ifMatch?: string | undefined },
): Promise<void> {
  await deps.database.write(async (tx) => {
    const assignable = await lockAssignees(tx, orgId, [change])
    const before = await requireTicket(tx, orgId, id)
    if (ifMatch !== undefined) await requireMatch(tx, before, ifMatch)
    const now = deps.clock.now()
    const changed = await changeRow(deps, tx, before, { change, assignable, now })
    if (changed) await recordChanges(deps, tx, orgId, { done: [changed], now })
  })
}

async function requireMatch(tx: Transaction, ticket: Ticket, ifMatch: string): Promise<void> {
  const customer = await customerOf(tx, ticket.orgId, ticket.customerId)
  const wanted = ifMatch.split(',').map((tag) => tag.trim())
  if (wanted.includes('*') || wanted.includes(ticketEtag({ ...ticket, customer }))) return
  throw new AppError(412, 'precondition_failed', 'The ticket has changed since you read it. Read it again.')
}
