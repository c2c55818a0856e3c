import { afterAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { upsertCustomer, upsertCustomerByIdentity } from '../../server/customers/customers.ts'
import { organizations } from '../../server/database/tables/organizations.ts'
import type { Deps } from '../../server/deps.ts'
import { receiveCustomerMessage } from '../../server/tickets/receive-message.ts'
import { openTicket } from '../../server/tickets/tickets.ts'
import { updateTicket } from '../../server/tickets/update-ticket.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { makeTicket, type TicketJson } from '../support/tickets.ts'
import { openWebhooks } from '../support/webhooks.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const { deps } = bellhop

async function readTicket(client: Client, id: string): Promise<TicketJson> {
  return (await client.call<TicketJson>('GET', `/tickets/${id}`)).json
}

function receive(to: Deps, orgId: string, ticketId: string, more: { isAutomatic?: boolean } = {}) {
  return to.database.write(undefined, (tx) =>
    receiveCustomerMessage(to, tx, orgId, { ticketId, text: 'Any news?', ...more }),
  )
}

test('a message of a customer opens a resolved ticket, and keeps its assignee', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  await client.call('PATCH', `/tickets/${id}`, { body: { status: 'resolved' } })
  await receive(deps, client.orgId, id)
  const ticket = await readTicket(client, id)
  expect(ticket.status).toBe('open')
  expect(ticket.messages.map(({ role, text }) => [role, text])).toEqual([
    ['customer', 'My invoice for February is missing.'],
    ['customer', 'Any news?'],
  ])
  const open = await client.call<{ meta: { total: number } }>('GET', '/tickets?status=open')
  expect(open.json.meta.total).toBe(1)
})

test('an automatic message changes no status', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  await client.call('PATCH', `/tickets/${id}`, { body: { status: 'resolved' } })
  await receive(deps, client.orgId, id, { isAutomatic: true })
  expect((await readTicket(client, id)).status).toBe('resolved')
})

test('the organization can keep resolved tickets resolved', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  await client.call('PATCH', `/tickets/${id}`, { body: { status: 'resolved' } })
  await deps.database.write(undefined, async (tx) => {
    await tx.update(organizations).set({ reopens: false }).where(eq(organizations.id, client.orgId))
  })
  await receive(deps, client.orgId, id)
  expect((await readTicket(client, id)).status).toBe('resolved')
})

test('the webhook has the status that the ticket has after the message', async () => {
  await using webhooks = await openWebhooks()
  const receiver = await webhooks.receiver()
  await webhooks.endpoint(receiver.url, ['message.sent'])
  const id = await webhooks.ticket()
  await updateTicket(webhooks.deps, webhooks.orgId, { id, change: { status: 'pending' } })
  webhooks.deliver()
  await receive(webhooks.deps, webhooks.orgId, id)
  await webhooks.newest('succeeded', 1)
  const bodies = receiver.requests.map(({ body }) => JSON.parse(Buffer.from(body).toString()))
  expect(bodies.at(-1).data).toMatchObject({ ticket: { status: 'open' }, message: { text: 'Any news?' } })
})

test('a name that anyone can write never replaces one that the API gave', async () => {
  const client = await bellhop.organization()
  const { orgId } = client
  const { id } = await makeTicket(client)
  const write = (name: string | undefined, isNameVerified: boolean) =>
    deps.database.write(undefined, (tx) =>
      upsertCustomer(deps, tx, orgId, { name, email: 'ANA@example.com', isNameVerified }),
    )
  await write('Mallory', false)
  expect((await readTicket(client, id)).customer.name).toBe('Ana Pires')
  await write('Ana P.', true)
  expect((await readTicket(client, id)).customer.name).toBe('Ana P.')
})

test('a name in a mail replaces one that was made from the address, once', async () => {
  const { orgId } = await bellhop.organization()
  const write = (name?: string) =>
    deps.database.write(undefined, (tx) =>
      upsertCustomer(deps, tx, orgId, { name, email: 'bob@example.com', isNameVerified: false }),
    )
  expect((await write()).name).toBe('bob')
  expect((await write('Bob Ray')).name).toBe('Bob Ray')
  expect((await write('Someone else')).name).toBe('Bob Ray')
})

test('a channel knows a customer by its own id, without an address', async () => {
  const client = await bellhop.organization()
  const { orgId } = client
  const write = (name: string) =>
    deps.database.write(undefined, (tx) =>
      upsertCustomerByIdentity(deps, tx, orgId, { channel: 'telegram', externalId: '42', name }),
    )
  const first = await write('Ana')
  expect(await write('Someone else')).toEqual(first)
  const opened = await deps.database.write(undefined, (tx) =>
    openTicket(deps, tx, orgId, {
      channel: 'telegram',
      subject: 'Hello',
      customer: first,
      message: { text: 'Hello' },
    }),
  )
  const ticket = await readTicket(client, opened.id)
  expect(ticket.customer).toEqual({ name: 'Ana', userId: first.id })
})
