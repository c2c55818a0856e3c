import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { indexed } from '../support/search.ts'
import { makeTicket } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)

async function found(q: string): Promise<string[]> {
  await indexed(bellhop)
  const answer = await ben.call<{ data: { id: string }[] }>(
    'GET',
    `/console/tickets?limit=100&q=${encodeURIComponent(q)}`,
  )
  expect(answer.status, answer.text).toBe(200)
  return answer.json.data.map(({ id }) => id)
}

test('nothing a customer writes makes from: find their ticket under another customer', async () => {
  const customer = { name: 'Mallory', email: 'mallory@evil.example' }
  const message = 'zzfromceo zz from ceo \uE000ceo \uE000\uE000ceo \uFB00ceo \u200Bceo'
  const id = (await makeTicket(acme, { customer, message })).id
  expect(await found('from:ceo')).toEqual([])
  expect(await found('from:mallory ceo')).toEqual([id])
})

test('a renamed customer is found by the new name in all their tickets, in the same order', async () => {
  const email = 'renate@example.com'
  const ids: string[] = []
  for (let turn = 0; turn < 60; turn += 1) {
    ids.unshift((await makeTicket(acme, { customer: { name: 'Renate Alt', email } })).id)
  }
  expect(await found('from:alt')).toEqual(ids)
  ids.unshift((await makeTicket(acme, { customer: { name: 'Renate Neumann', email } })).id)
  expect(await found('from:neumann')).toEqual(ids)
  expect(await found('from:alt')).toEqual([])
  await makeTicket(acme, { customer: { name: 'Renate Drei', email } })
  await makeTicket(acme, { customer: { name: 'Renate Vier', email } })
  expect(await found('from:vier')).toHaveLength(63)
  expect([...(await found('from:drei')), ...(await found('from:neumann'))]).toEqual([])
})
