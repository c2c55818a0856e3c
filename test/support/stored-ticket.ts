import { upsertCustomer } from '../../server/customers/customers.ts'
import type { Channel, TicketStatus } from '../../server/database/tables/tickets.ts'
import type { Deps } from '../../server/deps.ts'
import { counterChanges, moveCounters } from '../../server/tickets/counters.ts'
import {
  insertMessages,
  insertTags,
  insertTickets,
  newMessage,
  type Ticket,
} from '../../server/tickets/queries.ts'

export interface StoredTicket {
  status: TicketStatus
  channel: Channel
  assignedTo: string
  tags: string[]
  createdAt: number
  updatedAt: number
}

/** Inserts a ticket in a state that the API alone can't create. Returns its id. */
export async function storeTicket(deps: Deps, orgId: string, given: StoredTicket): Promise<string> {
  const id = deps.newId('tkt')
  await deps.database.write(async (tx) => {
    const email = 'ana@example.com'
    const customer = await upsertCustomer(deps, tx, orgId, { name: 'Ana', email })
    const ticket: Ticket = {
      ...given,
      id,
      orgId,
      customerId: customer.id,
      subject: id,
      mailboxId: '',
      isSpam: false,
      version: 1,
    }
    await insertTickets(tx, [ticket])
    const { createdAt, updatedAt } = given
    await insertTags(
      tx,
      given.tags.map((tag) => ({ orgId, tag, ticketId: id, createdAt, updatedAt })),
    )
    await insertMessages(tx, [
      newMessage({
        id: deps.newId('msg'),
        orgId,
        ticketId: id,
        role: 'customer',
        text: 'Hello',
        createdAt,
      }),
    ])
    await moveCounters(tx, orgId, counterChanges(undefined, ticket))
  })
  return id
}
