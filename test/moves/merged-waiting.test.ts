import { afterAll, expect, test } from 'bun:test'
import { createId } from '../../server/ids.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import type { MoveJson } from '../support/random-merges.ts'
import { storedRows } from '../support/stored-rows.ts'
import { newestMessage, readThread, replyPath, sendNow } from '../support/threads.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben Okafor' })
const leila = await signInAgent(bellhop, acme.orgId, { name: 'Leïla Haddad' })

async function replied(agent: SignedInAgent, ticketId: string, more: Record<string, unknown>) {
  clock.advance(MINUTE_MS)
  const id = createId('msg', clock.now())
  const after = await newestMessage(agent, ticketId)
  const answer = await agent.call('PUT', replyPath(ticketId, id), { body: { text: 'Hello', after, ...more } })
  expect(answer.status, answer.text).toBe(201)
  return id
}

const tomorrow = () => new Date(clock.now() + DAY_MS).toISOString()

async function merged(into: string, from: string): Promise<string> {
  clock.advance(MINUTE_MS)
  const answer = await acme.call<MoveJson>('POST', `/tickets/${into}/merge`, { body: { from } })
  expect(answer.status, answer.text).toBe(200)
  return answer.json.id
}

async function waitingRow(id: string): Promise<string | undefined> {
  const { scheduled_messages: rows = [] } = await storedRows(bellhop.deps)
  return rows.find((row) => row.includes(id))
}

/** Ben has seen what is in the first ticket, Leïla answered in the other one, and then Ben writes. */
async function bensReply() {
  const [from, into] = [
    await makeTicket(acme, { message: 'One' }),
    await makeTicket(acme, { message: 'Two' }),
  ]
  await replied(leila, into.id, { text: 'An older answer' })
  const id = await replied(ben, from.id, { text: 'See you on Friday', sendAt: tomorrow() })
  return { from: from.id, into: into.id, id }
}

test('a reply that waits is sent after a merge, whatever the other ticket was answered before it was written', async () => {
  const [due, now] = [await bensReply(), await bensReply()]
  const other = await replied(ben, now.into, { text: 'On the other ticket', sendAt: tomorrow() })
  for (const { into, from } of [due, now]) await merged(into, from)
  expect((await sendNow(ben, now.into, now.id)).status).toBe(204)
  expect((await sendNow(ben, now.into, other)).status).toBe(204)
  clock.advance(DAY_MS)
  await eventually(async () => (await readThread(ben, due.into)).waiting.length === 0)
  const { timeline } = await readThread(ben, due.into)
  expect(timeline.filter(({ text }) => text === 'See you on Friday')).toHaveLength(1)
})

test('a reply of a colleague after it was written holds it, in either ticket and after the merge', async () => {
  const [before, after] = [await bensReply(), await bensReply()]
  await replied(leila, before.into, { text: 'Meanwhile' })
  await merged(before.into, before.from)
  await merged(after.into, after.from)
  await replied(leila, after.into, { text: 'Meanwhile' })
  clock.advance(DAY_MS)
  for (const { into } of [before, after]) {
    const held = await eventually(async () => {
      const { waiting } = await readThread(ben, into)
      return waiting[0]?.isHeld ? waiting : undefined
    })
    expect(held).toMatchObject([{ text: 'See you on Friday', heldBecause: 'answered' }])
  }
})

test('undoing the merge puts back what the author of a reply that waits had read', async () => {
  const { from, into, id } = await bensReply()
  const before = await waitingRow(id)
  const move = await merged(into, from)
  expect(await waitingRow(id)).not.toBe(before)
  expect((await acme.call('POST', `/moves/${move}/undo`)).status).toBe(200)
  expect(await waitingRow(id)).toBe(before)
})
