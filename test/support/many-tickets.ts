import { customers } from '../../server/database/tables/customers.ts'
import { messages } from '../../server/database/tables/messages.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import type { Deps } from '../../server/deps.ts'

const ROWS_AT_ONCE = 200

/** Inserts many resolved and answered tickets, without events or counters. */
export async function storeTickets(deps: Deps, orgId: string, count: number): Promise<void> {
  const now = deps.clock.now() - count
  const customerId = deps.newId('usr')
  await deps.database.write(async (tx) => {
    await tx.insert(customers).values({ id: customerId, orgId, name: 'Ana', createdAt: now, updatedAt: now })
  })
  for (let start = 0; start < count; start += ROWS_AT_ONCE) {
    const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, count - start) }, (_, place) => ({
      id: deps.newId('tkt'),
      orgId,
      at: now + start + place,
    }))
    await deps.database.write(async (tx) => {
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
