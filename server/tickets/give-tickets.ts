import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Customer } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { recordActivities } from './activities.ts'
import { touchTags } from './queries.ts'

interface Given {
  from: Pick<Customer, 'id' | 'name'>
  into: Pick<Customer, 'id' | 'name'>
  now: number
  /** Which of the tickets; all of them by default. */
  which?: SQL | undefined
}

/** Gives tickets of a customer to another one, which their threads and the log say. Returns the ids of those tickets. */
export async function giveTickets(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { from, into, now, which }: Given,
): Promise<string[]> {
  const given = await tx
    .update(tickets)
    .set({ customerId: into.id, version: sql`${tickets.version} + 1`, updatedAt: now })
    .where(
      and(
        eq(tickets.orgId, orgId),
        // An expression, so that the index of the customer is used for all tickets, and another one for some.
        which ? sql`(${tickets.customerId} || '') = ${from.id}` : eq(tickets.customerId, from.id),
        which,
      ),
    )
    .returning()
  for (const ticket of given) await touchTags(tx, ticket)
  const ids = given.map(({ id }) => id).sort()
  const changes = [{ field: 'customer' as const, from: from.name, to: into.name }]
  await recordActivities(deps, tx, orgId, { done: ids.map((ticketId) => ({ ticketId, changes })), now })
  recordEvents(
    deps,
    tx,
    orgId,
    ids.map((ticketId) => ({
      type: 'ticket.updated',
      ticketId,
      createdAt: now,
      changes: { customer: {} },
    })),
  )
  return ids
}
