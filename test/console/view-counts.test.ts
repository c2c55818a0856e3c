import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { storeTickets } from '../support/many-tickets.ts'
import { makeTicket } from '../support/tickets.ts'

const STORED = 12_000
let bellhop: Bellhop
let acme: Client

beforeAll(async () => {
  bellhop = await startBellhop()
  acme = await bellhop.organization()
  await storeTickets(bellhop.deps, acme.orgId, STORED)
}, 60_000)
afterAll(() => bellhop.stop())

interface Counts {
  saved: { id: string; count: number; isAtLeast?: true }[]
  askAgainMs?: number
}

/** An agent with one private view. */
async function agentWithView(query: string): Promise<{ agent: SignedInAgent; id: string }> {
  const agent = await signInAgent(bellhop, acme.orgId)
  return { agent, id: await addView(agent, query) }
}

async function addView(agent: SignedInAgent, query: string): Promise<string> {
  return (await agent.call<{ id: string }>('POST', '/console/views', { body: { name: query, query } })).json
    .id
}

async function counts(agent: SignedInAgent): Promise<Counts> {
  const answer = await agent.call<Counts>('GET', '/console/counts')
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

/** Like a page, asks again when `askAgainMs` says so. */
async function countOf({ agent, id }: { agent: SignedInAgent; id: string }) {
  for (;;) {
    const { saved, askAgainMs } = await counts(agent)
    if (askAgainMs === undefined) return saved.find((one) => one.id === id)
    await Bun.sleep(askAgainMs)
  }
}

test('a view over very many tickets shows a minimum', async () => {
  const view = await agentWithView('is:unread -status:pending')
  await makeTicket(acme)
  expect(await countOf(view)).toEqual({ id: view.id, count: 1, isAtLeast: true })
})

test('a view with few tickets is counted completely, and its creator sees each change', async () => {
  const view = await agentWithView('status:open -tag:later')
  for (let count = 2; count < 5; count += 1) {
    await makeTicket(acme)
    expect(await countOf(view)).toEqual({ id: view.id, count })
  }
})
