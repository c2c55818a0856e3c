import { afterAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { countersAndRecount } from '../support/counters.ts'
import { newestMessage, replyPath } from '../support/threads.ts'
import { makeAndReadTicket, type TicketJson } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const admin = await signInAgent(bellhop, acme.orgId, { role: 'admin', name: 'Root' })
const ben = await signInAgent(bellhop, acme.orgId)

/** What two agents, an API client and an administrator can do to one ticket at the same time. */
async function everythingAtOnce({ id, customer }: TicketJson): Promise<number[]> {
  const messageId = await newestMessage(ben, id)
  const work: [SignedInAgent, string, string, object?][] = [
    [ben, 'PUT', `/console/tickets/${id}/notes/${bellhop.deps.newId('not')}`, { text: 'A note' }],
    [ben, 'PUT', `/console/tickets/${id}/draft`, { kind: 'reply', text: 'A draft' }],
    [ben, 'PUT', `/console/tickets/${id}/read`, { messageId }],
    [ben, 'PUT', replyPath(id, bellhop.deps.newId('msg')), { text: 'A reply', after: messageId }],
    [admin, 'POST', '/console/bulk', { items: [{ id, change: { isSpam: true, addTags: ['b'] } }] }],
    [ben, 'PATCH', `/v1/tickets/${id}`, { status: 'resolved', assignedTo: ben.id }],
    [ben, 'POST', `/v1/tickets/${id}/messages`, { text: 'An answer' }],
    [admin, 'DELETE', `/console/tickets/${id}`],
    [admin, 'POST', '/console/tags/rename', { from: 'a', to: 'b' }],
    [admin, 'DELETE', `/console/customers/${customer.userId}`],
  ]
  const answers = work.map(([agent, method, path, body]) => agent.call(method, path, { body }))
  const again = acme.call('POST', '/tickets', {
    body: { subject: 'Again', message: 'Me again.', customer: { email: customer.email }, tags: ['a'] },
  })
  return (await Promise.all([...answers, again])).map(({ status }) => status)
}

test('other changes to a ticket while it is being deleted don’t fail, and the counters stay right', async () => {
  const statuses: number[] = []
  for (let round = 0; round < 12; round += 1) {
    const made = await Promise.all(
      [1, 2, 3].map((one) =>
        makeAndReadTicket(acme, { tags: ['a'], customer: { email: `c${one}@example.com` } }),
      ),
    )
    statuses.push(...(await Promise.all(made.map(everythingAtOnce))).flat())
  }
  expect([...new Set(statuses)].filter((status) => status >= 500)).toEqual([])
  expect(statuses.filter((status) => status === 204).length).toBeGreaterThan(0)
  const { kept, counted } = await countersAndRecount(bellhop.deps, acme.orgId)
  expect(kept).toEqual(counted)
})
