import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { makeTicket } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const client = await bellhop.organization()
const ben = await signInAgent(bellhop, client.orgId)

test('no answer can be taken for something else than it says it is', async () => {
  const { id } = await makeTicket(client)
  const answers = [
    await client.call('GET', `/tickets/${id}`),
    await client.call('GET', '/tickets/tkt_unknown'),
    await client.call('POST', '/tickets', { raw: '{' }),
    await ben.call('GET', `/console/tickets/${id}`),
    await fetch(`${bellhop.url}/console/tickets/${id}`),
    await fetch(`${bellhop.url}/health/live`),
    await fetch(`${bellhop.url}/nowhere`),
  ]
  for (const { headers } of answers) expect(headers.get('x-content-type-options')).toBe('nosniff')
})
