import { afterAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import {
  newestMessage,
  type OutgoingJson,
  readDraft,
  readThread,
  replyPath,
  sendNow,
  sendReply,
  textsOf,
  untilSent,
} from '../support/threads.ts'
import { makeTicket, problemOf } from '../support/tickets.ts'

const LONG = 60_000
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Lima' })
const admin = await signInAgent(bellhop, acme.orgId, { name: 'Root', role: 'admin' })

/** A reply of an agent who is disabled before it goes; its time has come. */
async function leftBehind(text: string): Promise<{ ben: SignedInAgent; id: string; reply: OutgoingJson }> {
  const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben Okafor' })
  const { id } = await makeTicket(acme)
  const reply = await sendReply(ben, id, { text, status: 'resolved' })
  await admin.call('POST', `/console/agents/${ben.id}/disable`)
  await untilSent(bellhop, clock)
  return { ben, id, reply }
}

test("a waiting reply of an agent who was disabled isn't sent in their name; another agent can send it in their own", async () => {
  const { id, reply } = await leftBehind('From Ben.')
  expect((await readThread(ana, id)).waiting).toMatchObject([
    { id: reply.id, agentName: 'Ben Okafor', isHeld: true, heldBecause: 'disabled' },
  ])
  expect(await textsOf(ana, id)).toHaveLength(1)
  expect((await sendNow(ana, id, reply.id)).status).toBe(204)
  const { timeline, waiting, ticket } = await readThread(ana, id)
  expect(waiting).toEqual([])
  expect(ticket.status).toBe('resolved')
  expect(timeline.find(({ role }) => role === 'agent')).toMatchObject({
    text: 'From Ben.',
    agentId: ana.id,
    agentName: 'Ana Lima',
  })
})

test('another agent can take it over as their own draft', async () => {
  const { id, reply } = await leftBehind('Almost right.')
  await ana.call('PUT', `/console/tickets/${id}/draft`, { body: { kind: 'reply', text: 'P.S.' } })
  const taken = await ana.call('DELETE', replyPath(id, reply.id))
  expect(taken.status).toBe(204)
  expect(await readDraft(ana, id, 'reply')).toBe('Almost right.\n\nP.S.')
  expect(await readThread(ana, id)).toMatchObject({ waiting: [] })
})

test("it isn't sent after another agent's reply, unless sent again", async () => {
  const { id, reply } = await leftBehind('Late.')
  clock.advance(1)
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'From the shop.' } })
  problemOf(await sendNow(ana, id, reply.id), 409, 'answered_meanwhile')
  expect((await readThread(ana, id)).waiting).toMatchObject([{ heldBecause: 'answered' }])
  clock.advance(1)
  expect((await sendNow(ana, id, reply.id)).status).toBe(204)
  expect((await textsOf(ana, id)).slice(1)).toEqual(['From the shop.', 'Late.'])
})

test('a reply that is held because of another reply says so', async () => {
  const cy = await signInAgent(bellhop, acme.orgId, { name: 'Cy Young' })
  const { id } = await makeTicket(acme)
  const after = await newestMessage(cy, id)
  await sendReply(cy, id, { text: 'One.', after })
  clock.advance(5)
  await sendReply(ana, id, { text: 'Two.', after })
  await untilSent(bellhop, clock)
  expect((await readThread(ana, id)).waiting).toMatchObject([{ isHeld: true, heldBecause: 'answered' }])
})

test("a reply that doesn't fit into the draft is held: neither is lost, and nothing is sent", async () => {
  const { id } = await makeTicket(acme)
  const reply = await sendReply(ana, id, { text: 'r'.repeat(LONG) })
  const save = (text: string) =>
    ana.call('PUT', `/console/tickets/${id}/draft`, { body: { kind: 'reply', text } })
  await save('d'.repeat(LONG))
  problemOf(await ana.call('DELETE', replyPath(id, reply.id)), 409, 'draft_too_long')
  await untilSent(bellhop, clock)
  expect(await textsOf(ana, id)).toHaveLength(1)
  expect((await readThread(ana, id)).waiting).toMatchObject([{ isHeld: true, heldBecause: 'too_long' }])
  expect(await readDraft(ana, id, 'reply')).toHaveLength(LONG)
  await save('P.S.')
  expect((await ana.call('DELETE', replyPath(id, reply.id))).status).toBe(204)
  const whole = await readDraft(ana, id, 'reply')
  expect(whole).toBe(`${'r'.repeat(LONG)}\n\nP.S.`)
  expect((await save(whole ?? '')).status).toBe(200)
})

interface Held {
  views: { held: number }
  heldReplies: { id: string; ticketId: string; customer: string; answeredBy: string }[]
}

test('its author finds a held reply, and all agents do once its author is disabled', async () => {
  const acme = await bellhop.organization('Held')
  const [dee, eli, boss] = [
    await signInAgent(bellhop, acme.orgId, { name: 'Dee Fox' }),
    await signInAgent(bellhop, acme.orgId, { name: 'Eli Roth' }),
    await signInAgent(bellhop, acme.orgId, { name: 'Boss', role: 'admin' }),
  ]
  const countsOf = async (agent: SignedInAgent) => (await agent.call<Held>('GET', '/console/counts')).json
  const found = async (agent: SignedInAgent, q: string) => {
    const path = `/console/tickets?q=${encodeURIComponent(q)}`
    const { data } = (await agent.call<{ data: { id: string; hasHeldReply: boolean }[] }>('GET', path)).json
    return data.map(({ id, hasHeldReply }) => [id, hasHeldReply])
  }
  const { id } = await makeTicket(acme)
  const after = await newestMessage(dee, id)
  await sendReply(dee, id, { text: 'First.', after })
  clock.advance(5)
  const late = await sendReply(eli, id, { text: 'Second.', after })
  await untilSent(bellhop, clock)

  expect(await countsOf(eli)).toMatchObject({
    views: { held: 1 },
    heldReplies: [{ id: late.id, ticketId: id, customer: 'Ana Pires', answeredBy: 'Dee Fox' }],
  })
  expect(await found(eli, 'is:held')).toEqual([[id, true]])
  expect(await found(eli, '-is:held')).toEqual([])
  expect(await countsOf(dee)).toMatchObject({ views: { held: 0 }, heldReplies: [] })
  expect(await found(dee, 'is:held')).toEqual([])
  expect(await found(dee, 'status:open')).toEqual([[id, false]])

  await boss.call('POST', `/console/agents/${eli.id}/disable`)
  expect(await countsOf(dee)).toMatchObject({ views: { held: 1 }, heldReplies: [] })
  expect(await found(dee, 'is:held status:open')).toEqual([[id, true]])
})
