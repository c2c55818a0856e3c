import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { indexed } from '../support/search.ts'
import { makeTicket } from '../support/tickets.ts'

let bellhop: Bellhop
let acme: Client
let ben: SignedInAgent

beforeAll(async () => {
  bellhop = await startBellhop()
  acme = await bellhop.organization()
  ben = await signInAgent(bellhop, acme.orgId)
})
afterAll(() => bellhop.stop())

async function found(q: string): Promise<string[]> {
  await indexed(bellhop)
  const answer = await ben.call<{ data: { id: string }[] }>(
    'GET',
    `/console/tickets?limit=100&q=${encodeURIComponent(q)}`,
  )
  expect(answer.status, answer.text).toBe(200)
  return answer.json.data.map(({ id }) => id)
}

test('nothing a customer writes makes a ticket look like that of another customer', async () => {
  const customer = { name: 'Mallory', email: 'mallory@evil.example' }
  const message = 'zzfromceo zz from ceo \uE000ceo \uE000\uE000ceo \uFB00ceo \u200Bceo'
  const id = (await makeTicket(acme, { customer, message })).id
  expect(await found('from:ceo')).toEqual([])
  expect(await found('from:mallory ceo')).toEqual([id])
})
