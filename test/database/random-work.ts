import { agents } from '../../server/database/tables/agents.ts'
import { TICKET_STATUSES } from '../../server/database/tables/tickets.ts'
import type { Deps } from '../../server/deps.ts'
import { changeTickets } from '../../server/tickets/bulk/change-tickets.ts'
import { postAgentMessage } from '../../server/tickets/messages.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { updateTicket } from '../../server/tickets/update-ticket.ts'
import type { Random } from '../support/random.ts'
import { ORG } from './storage.ts'

const AGENTS = [1, 2, 3].map((number) => `agt_0000000000000000000000000${number}`)
const TAGS = ['billing', 'Billing', 'refund', 'vip', 'a:b', 'status:open']

export async function addAgents(deps: Deps): Promise<void> {
  await deps.database.write(undefined, async (tx) => {
    for (const id of AGENTS) {
      const email = `${id}@example.com`
      await tx
        .insert(agents)
        .values({ id, orgId: ORG, name: id, email, emailKey: email, role: 'agent', createdAt: 1 })
    }
  })
}

/** One change such as clients and agents make: on few tickets, customers and tags, so that they meet. */
export async function workOnce(deps: Deps, random: Random, tickets: string[]): Promise<void> {
  const id = tickets[random(tickets.length)]
  const kind = random(10)
  if (!id || kind < 2) tickets.push(await openTicket(deps, random))
  else if (kind < 5) {
    await postAgentMessage(deps, ORG, { ticketId: id, text: 'On it.', agentName: `Agent ${random(3)}` })
  } else if (kind < 9) await updateTicket(deps, ORG, { id, change: anyChange(random) })
  else await changeTickets(deps, ORG, someItems(random, tickets))
}

function someItems(random: Random, tickets: string[]) {
  return tickets
    .filter(() => random(3) === 0)
    .map((id) => ({ id, change: { isSpam: random(2) === 0, addTags: someTags(random) } }))
}

export async function openTicket(deps: Deps, random: Random): Promise<string> {
  const name = random(2) === 0 ? undefined : `Name ${random(3)}`
  const ticket = await createTicket(deps, ORG, {
    subject: 'Where is my order?',
    customer: { name, email: `customer-${random(4)}@example.com` },
    message: 'It has not come.',
    tags: someTags(random),
  })
  return ticket.id
}

function anyChange(random: Random) {
  return {
    ...(random(2) === 0 && { status: TICKET_STATUSES[random(TICKET_STATUSES.length)] }),
    ...(random(2) === 0 && { assignedTo: AGENTS[random(AGENTS.length + 1)] ?? null }),
    ...(random(2) === 0 && { tags: someTags(random) }),
  }
}

function someTags(random: Random): string[] {
  return TAGS.filter(() => random(3) === 0)
}
