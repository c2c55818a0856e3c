import { afterAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { customers } from '../../server/database/tables/customers.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { makeAndReadTicket, makeTicket, problemOf } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)

async function found(q: string): Promise<string[]> {
  const path = `/console/tickets?q=${encodeURIComponent(q)}`
  const answer = await ben.call<{ data: { id: string }[] }>('GET', path)
  expect(answer.status, `${q}: ${answer.text}`).toBe(200)
  return answer.json.data.map(({ id }) => id).sort()
}

const gold = await makeTicket(acme, { metadata: { plan: 'gold', 'Order.Id': '47:11' }, tags: ['vip'] })
const silver = await makeTicket(acme, { metadata: { plan: 'silver "plus"', 'plan:gold': 'x', x: 'gold' } })
const plain = await makeAndReadTicket(acme, { customer: { email: 'bo@example.com' } })
const none = await makeTicket(acme)
await makeTicket(await bellhop.organization('Other'), { metadata: { plan: 'gold' } })

test('finds tickets by a key and exactly its value, with other filters and without', async () => {
  expect(await found('meta.plan:gold')).toEqual([gold.id])
  expect(await found('META.plan:gold tag:vip')).toEqual([gold.id])
  expect(await found('meta.plan:gold status:resolved')).toEqual([])
  expect(await found('meta.Order.Id:47:11')).toEqual([gold.id])
  expect(await found('meta.plan:"silver ""plus"""')).toEqual([silver.id])
  for (const q of ['meta.plan:gol', 'meta.Plan:gold', 'meta.order.id:47:11', 'meta.none:gold']) {
    expect(await found(q), q).toEqual([])
  }
  expect(await found('-meta.plan:gold')).toEqual([silver.id, plain.id, none.id].sort())
})

test("finds all tickets of a customer by the customer's metadata", async () => {
  await bellhop.deps.database.write(acme.orgId, async (tx) => {
    const { userId } = plain.customer
    await tx
      .update(customers)
      .set({ metadata: { tier: 'one' } })
      .where(eq(customers.id, userId))
  })
  expect(await found('meta.tier:one')).toEqual([plain.id])
})

test('a key without a value says how to search for one; a dot in another word is text', async () => {
  const path = `/console/tickets?q=${encodeURIComponent('meta.plan:')}`
  expect(problemOf(await ben.call('GET', path), 400, 'invalid_query').detail).toContain('meta.plan:gold')
  const noKey = await ben.call('GET', '/v1/search?q=meta.:x')
  expect(problemOf(noKey, 400, 'invalid_query').detail).toContain('meta.plan:gold')
  expect(await found('other.plan:gold')).toEqual([])
})

test('programs search by it over the API', async () => {
  const answer = await acme.call<{ data: { id: string }[] }>('GET', '/search?q=meta.plan%3Agold')
  expect(answer.json.data.map(({ id }) => id)).toEqual([gold.id])
})
