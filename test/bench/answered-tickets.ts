import type { Deps } from '../../server/deps.ts'
import { postAgentMessage } from '../../server/tickets/messages.ts'
import { createTicket } from '../../server/tickets/tickets.ts'

const TICKETS_AT_ONCE = 500
const TICKETS_PER_CUSTOMER = 5

/**
 * Creates tickets through the verbs, 500 at a time, and answers every second one: 1.5 messages a ticket. `onBatch` gets the
 * ids of each 500, in order.
 */
export async function createAnsweredTickets(
  deps: Deps,
  orgId: string,
  howMany: number,
  tagsOf: (number: number) => string[],
  onBatch: (ids: string[]) => Promise<void> = async () => {},
): Promise<void> {
  for (let start = 0; start < howMany; start += TICKETS_AT_ONCE) {
    const numbers = Array.from({ length: TICKETS_AT_ONCE }, (_, place) => start + place)
    const created = await Promise.all(
      numbers.map((number) =>
        createTicket(deps, orgId, {
          subject: `Order ${number} is late`,
          customer: {
            name: 'Ana Pires',
            email: `ana${Math.floor(number / TICKETS_PER_CUSTOMER)}@example.com`,
          },
          message: `Where is my order ${number}? It should have been here on Monday.`,
          tags: tagsOf(number),
        }),
      ),
    )
    const answered = created.filter((_, place) => place % 2 === 0)
    const text = 'It is on its way and arrives tomorrow. Sorry for the delay!'
    await Promise.all(
      answered.map(({ id }) => postAgentMessage(deps, orgId, { ticketId: id, text, agentName: 'Ben' })),
    )
    await onBatch(created.map(({ id }) => id))
  }
}
