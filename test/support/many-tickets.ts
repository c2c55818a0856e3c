import { upsertCustomer } from '../../server/customers/customers.ts'
import { customers } from '../../server/database/tables/customers.ts'
import { messages } from '../../server/database/tables/messages.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import type { Deps } from '../../server/deps.ts'
import { openTicket } from '../../server/tickets/tickets.ts'
import { waitingOrderOf } from '../../server/tickets/waiting.ts'

const ROWS_AT_ONCE = 200

/** Creates tickets in one change, without HTTP: `Question 1` and so on, oldest first. Answers their ids. */
export function makeManyTickets(
  deps: Deps,
  orgId: string,
  count: number,
  tagsOf: (number: number) => string[] = () => [],
): Promise<string[]> {
  return deps.database.write(undefined, async (tx) => {
    const ana = { name: 'Ana Pires', email: 'ana@example.com' }
    const customer = await upsertCustomer(deps, tx, orgId, ana)
    const ids: string[] = []
    for (let number = 1; number <= count; number += 1) {
      const [subject, tags] = [`Question ${number}`, tagsOf(number)]
      const message = { text: 'Hello' }
      ids.push((await openTicket(deps, tx, orgId, { subject, customer, message, tags, channel: 'api' })).id)
    }
    return ids
  })
}

/** Inserts many resolved and answered tickets, without events or counters. */
export async function storeTickets(deps: Deps, orgId: string, count: number): Promise<void> {
  const now = deps.clock.now() - count
  const customerId = deps.newId('usr')
  await deps.database.write(undefined, async (tx) => {
    await tx.insert(customers).values({ id: customerId, orgId, name: 'Ana', createdAt: now, updatedAt: now })
  })
  for (let start = 0; start < count; start += ROWS_AT_ONCE) {
    const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, count - start) }, (_, place) => ({
      id: deps.newId('tkt'),
      orgId,
      at: now + start + place,
    }))
    await deps.database.write(undefined, async (tx) => {
      await tx.insert(tickets).values(
        rows.map(({ id, at }) => ({
          id,
          orgId,
          customerId,
          subject: 'Old',
          status: 'resolved' as const,
          channel: 'api' as const,
          assignedTo: '',
          tags: [],
          createdAt: at,
          updatedAt: at,
          lastMessageAt: at,
          waitingOrder: waitingOrderOf(undefined, at),
        })),
      )
      await tx.insert(messages).values(
        rows.map(({ id, at }) => ({
          id: deps.newId('msg'),
          orgId,
          ticketId: id,
          role: 'agent' as const,
          text: 'Done.',
          createdAt: at,
        })),
      )
    })
  }
}
