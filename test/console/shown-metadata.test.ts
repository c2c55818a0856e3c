import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { makeAndReadTicket } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ana = await signInAgent(bellhop, acme.orgId, { role: 'admin' })
const ben = await signInAgent(bellhop, acme.orgId)

const ticket = await makeAndReadTicket(acme, { metadata: { order: '4711', plan: 'gold', empty: '' } })
const customer = ticket.customer.userId
await acme.call('PATCH', `/customers/${customer}`, {
  body: { metadata: { plan: 'silver', secret: 'x', region: 'EU' } },
})

interface Shown {
  shownMetadata?: { key: string; value: string }[]
}

/** What agents see of the ticket's metadata, and of its customer's. */
async function shown() {
  const [ofTicket, ofCustomer] = await Promise.all([
    ben.call<Shown>('GET', `/console/tickets/${ticket.id}`),
    ben.call<Shown>('GET', `/console/customers/${customer}`),
  ])
  return [ofTicket.json.shownMetadata, ofCustomer.json.shownMetadata]
}

test('agents see the metadata that the settings choose, in their order, where it is present', async () => {
  expect(await shown()).toEqual([undefined, undefined])
  const shownMetadata = ['region', 'empty', 'plan', 'none', 'toString']
  await ana.call('PATCH', '/console/organization', { body: { shownMetadata } })
  expect(await shown()).toEqual([
    [{ key: 'plan', value: 'gold' }],
    [
      { key: 'region', value: 'EU' },
      { key: 'plan', value: 'silver' },
    ],
  ])
  await acme.call('PATCH', `/tickets/${ticket.id}`, { body: { metadata: { plan: null } } })
  expect((await shown())[0]).toBeUndefined()
  await ana.call('PATCH', '/console/organization', { body: { shownMetadata: [] } })
  expect(await shown()).toEqual([undefined, undefined])
})

test('the audit log says which keys were chosen, and the same keys again are no change', async () => {
  const body = { shownMetadata: ['plan'] }
  await ana.call('PATCH', '/console/organization', { body })
  await ana.call('PATCH', '/console/organization', { body })
  const path = '/console/audit?action=organization.changed'
  const { data } = (await ana.call<{ data: { detail: unknown }[] }>('GET', path)).json
  expect(data.map(({ detail }) => detail)).toEqual([
    { shownMetadata: { from: null, to: ['plan'] } },
    { shownMetadata: { from: ['region', 'empty', 'plan', 'none', 'toString'], to: null } },
    { shownMetadata: { from: null, to: ['region', 'empty', 'plan', 'none', 'toString'] } },
  ])
})
