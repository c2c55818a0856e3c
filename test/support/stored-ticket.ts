import type { ChannelKind } from '../../server/channels/kinds.ts'
import { upsertCustomer } from '../../server/customers/customers.ts'
import { PLACES, type Place, type TicketStatus } from '../../server/database/tables/tickets.ts'
import type { Deps } from '../../server/deps.ts'
import { recordEvents } from '../../server/events/events.ts'
import { moveCounters } from '../../server/tickets/counters.ts'
import {
  insertMessages,
  insertTags,
  insertTickets,
  newMessage,
  type Ticket,
} from '../../server/tickets/queries.ts'
import { waitingOrderOf } from '../../server/tickets/waiting.ts'

export interface StoredTicket {
  status: TicketStatus
  channel: ChannelKind
  assignedTo: string
  tags: string[]
  place?: Place
  createdAt: number
  updatedAt: number
  /** By default as if its only message was never answered. */
  lastMessageAt?: number
  waitingOrder?: number
}

/** Inserts a ticket in a state that the API alone can't create. Returns its id. */
export async function storeTicket(deps: Deps, orgId: string, given: StoredTicket): Promise<string> {
  const id = deps.newId('tkt')
  await deps.database.write(undefined, async (tx) => {
    const email = 'ana@example.com'
    const customer = await upsertCustomer(deps, tx, orgId, { name: 'Ana', email })
    const ticket: Ticket = {
      place: PLACES.inbox,
      snoozedUntil: null,
      lastMessageAt: given.createdAt,
      waitingOrder: waitingOrderOf(
        given.status === 'resolved' ? undefined : given.createdAt,
        given.createdAt,
      ),
      ...given,
      id,
      orgId,
      customerId: customer.id,
      subject: id,
      mailboxId: '',
      mergedInto: null,
      isSuggested: false,
      externalId: null,
      metadata: null,
      version: 1,
    }
    await insertTickets(tx, [ticket])
    await insertTags(
      tx,
      given.tags.map((tag) => ({ ...ticket, tag, ticketId: id })),
    )
    await insertMessages(tx, [
      newMessage({
        id: deps.newId('msg'),
        orgId,
        ticketId: id,
        role: 'customer',
        text: 'Hello',
        createdAt: given.createdAt,
      }),
    ])
    // Lists are kept until the next event.
    recordEvents(deps, tx, orgId, [{ type: 'ticket.updated', ticketId: id, createdAt: deps.clock.now() }])
    moveCounters(tx, orgId, [{ after: ticket }])
  })
  return id
}
