import { afterAll, expect, test } from 'bun:test'
import { createId } from '../../server/ids.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { storeTicket } from '../support/stored-ticket.ts'
import {
  newestMessage,
  readThread,
  replyPath,
  sendNow,
  sendReply,
  textsOf,
  UNDO_MS,
  untilSent,
} from '../support/threads.ts'
import { makeTicket, problemOf, readTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)
const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Lima' })
const admin = await signInAgent(bellhop, acme.orgId, { name: 'Root', role: 'admin' })

test('a reply waits ten seconds, then it is sent once, in the name of its agent', async () => {
  const { id } = await makeTicket(acme)
  await ben.call('PUT', `/console/tickets/${id}/draft`, { body: { kind: 'reply', text: 'It is attached. ' } })
  const reply = await sendReply(ben, id, { text: 'It is attached.' })
  const sendAt = new Date(clock.now() + UNDO_MS).toISOString()
  expect(reply).toMatchObject({ agentName: 'Ben Okafor', delivery: { state: 'waiting', sendAt } })
  expect((await readThread(ana, id)).waiting).toEqual([
    {
      id: reply.id,
      agentId: ben.id,
      agentName: 'Ben Okafor',
      text: 'It is attached.',
      format: 'plain',
      isHeld: false,
      sendAt,
    },
  ])
  expect((await readThread(ben, id)).drafts).toEqual([])
  clock.advance(UNDO_MS - 1)
  await Bun.sleep(20)
  expect((await readTicket(acme, id)).messages).toHaveLength(1)
  await untilSent(bellhop, clock)
  expect((await readTicket(acme, id)).messages).toMatchObject([
    { role: 'customer' },
    { role: 'agent', text: 'It is attached.', agentName: 'Ben Okafor' },
  ])
  expect((await readThread(ben, id)).waiting).toEqual([])
})

test('sending deletes the draft with the same text, and keeps one from another device', async () => {
  const { id } = await makeTicket(acme)
  const draft = (text: string) =>
    ben.call('PUT', `/console/tickets/${id}/draft`, { body: { kind: 'reply', text } })
  await draft('It is attached. I am sorry that it')
  await sendReply(ben, id, { text: 'It is attached.' })
  const [kept] = (await readThread(ben, id)).drafts
  expect(kept?.text).toBe('It is attached. I am sorry that it')
  await sendReply(ben, id, { text: kept?.text ?? '' })
  expect((await readThread(ben, id)).drafts).toEqual([])
})

test('the status chosen with a reply comes with it, and not when it is taken back', async () => {
  const { id } = await makeTicket(acme)
  const undone = await sendReply(ben, id, { text: 'Done?', status: 'resolved' })
  await ben.call('DELETE', replyPath(id, undone.id))
  await untilSent(bellhop, clock)
  expect(await readTicket(acme, id)).toMatchObject({ status: 'open', messages: [{}] })
  await sendReply(ben, id, { text: 'Done.', status: 'resolved' })
  await untilSent(bellhop, clock)
  expect((await readTicket(acme, id)).status).toBe('resolved')
  expect((await readThread(ben, id)).timeline.at(-1)).toMatchObject({
    actor: { kind: 'agent', name: 'Ben Okafor' },
    changes: [
      { field: 'status', from: 'open', to: 'resolved' },
      { field: 'assignedTo', from: '', to: ben.id },
    ],
  })
})

test('a reply that is taken back is its agent’s draft again, before what they wrote since', async () => {
  const { id } = await makeTicket(acme)
  const reply = await sendReply(ben, id, { text: 'Dear Ana' })
  await ben.call('PUT', `/console/tickets/${id}/draft`, { body: { kind: 'reply', text: 'P.S.' } })
  const undone = await ben.call('DELETE', replyPath(id, reply.id))
  expect(undone.status).toBe(204)
  expect(await readThread(ben, id)).toMatchObject({
    waiting: [],
    drafts: [{ kind: 'reply', text: 'Dear Ana\n\nP.S.' }],
  })
  problemOf(await ben.call('DELETE', replyPath(id, reply.id)), 404, 'not_found')
})

test('a reply that is taken back comes once, although its beginning is still saved as a draft', async () => {
  const { id } = await makeTicket(acme)
  await ben.call('PUT', `/console/tickets/${id}/draft`, { body: { kind: 'reply', text: 'Dear ' } })
  const reply = await sendReply(ben, id, { text: 'Dear Ana' })
  expect((await ben.call('DELETE', replyPath(id, reply.id))).status).toBe(204)
  expect((await readThread(ben, id)).drafts).toMatchObject([{ text: 'Dear Ana' }])
})

test("a note begun since is kept apart from it, so it can't reach the customer", async () => {
  const { id } = await makeTicket(acme)
  const reply = await sendReply(ben, id, { text: 'Dear Ana' })
  await ben.call('PUT', `/console/tickets/${id}/draft`, { body: { kind: 'note', text: 'She is difficult.' } })
  expect((await ben.call('DELETE', replyPath(id, reply.id))).status).toBe(204)
  expect((await readThread(ben, id)).drafts).toMatchObject([
    { kind: 'note', text: 'She is difficult.' },
    { kind: 'reply', text: 'Dear Ana' },
  ])
})

test("a sent message can't be taken back", async () => {
  const { id } = await makeTicket(acme)
  const reply = await sendReply(ben, id, { text: 'Gone.' })
  expect((await sendNow(ben, id, reply.id)).status).toBe(204)
  expect(await textsOf(ben, id)).toHaveLength(2)
  problemOf(await ben.call('DELETE', replyPath(id, reply.id)), 409, 'already_sent')
  problemOf(await sendNow(ben, id, reply.id), 409, 'already_sent')
  await untilSent(bellhop, clock)
  expect(await textsOf(ben, id)).toHaveLength(2)
})

test("a reply is held when another agent replied and its author hadn't seen that", async () => {
  const { id } = await makeTicket(acme)
  const after = await newestMessage(ben, id)
  clock.advance(1)
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'From the shop.' } })
  const reply = await sendReply(ben, id, { text: 'From Ben.', after })
  await untilSent(bellhop, clock)
  expect((await readThread(ben, id)).waiting).toMatchObject([{ id: reply.id, isHeld: true }])
  expect((await sendNow(ben, id, reply.id)).status).toBe(204)
  expect((await textsOf(ben, id)).slice(1)).toEqual(['From the shop.', 'From Ben.'])
})

test('when two agents reply at once, one reply is sent, and the other is held until it is sent anyway', async () => {
  const { id } = await makeTicket(acme)
  const seen = await newestMessage(ben, id)
  await sendReply(ben, id, { text: 'From Ben.', after: seen })
  clock.advance(5)
  const late = await sendReply(ana, id, { text: 'From Ana.', after: seen })
  await untilSent(bellhop, clock)
  expect((await textsOf(ben, id)).slice(1)).toEqual(['From Ben.'])
  expect((await readThread(ana, id)).waiting).toMatchObject([{ id: late.id, isHeld: true }])
  expect((await sendNow(ana, id, late.id)).status).toBe(204)
  expect((await textsOf(ben, id)).slice(1)).toEqual(['From Ben.', 'From Ana.'])
})

test('an agent’s second reply is not held by their own first one', async () => {
  const { id } = await makeTicket(acme)
  await sendReply(ben, id, { text: 'One.' })
  clock.advance(1)
  await sendReply(ben, id, { text: 'Two.' })
  await untilSent(bellhop, clock)
  expect((await textsOf(ben, id)).slice(1)).toEqual(['One.', 'Two.'])
})

test("other agents can't change an agent’s waiting reply; administrators can take it back", async () => {
  const { id } = await makeTicket(acme)
  const reply = await sendReply(ben, id, { text: 'Mine.' })
  problemOf(await ana.call('DELETE', replyPath(id, reply.id)), 403, 'not_yours')
  problemOf(await sendNow(ana, id, reply.id), 403, 'not_yours')
  await ben.call('PUT', `/console/tickets/${id}/draft`, { body: { kind: 'reply', text: 'Not said yet.' } })
  const taken = await admin.call('DELETE', replyPath(id, reply.id))
  expect([taken.status, taken.text]).toEqual([204, ''])
  expect((await readThread(ben, id)).drafts).toMatchObject([{ text: 'Mine.\n\nNot said yet.' }])
})

test('whenever Undo, Send now and the clock meet, a reply is sent once or is a draft again, never both', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { id } = await makeTicket(acme, { customer: { email: `c${round}@example.com` } })
    const reply = await sendReply(ben, id, { text: 'Once.', status: 'pending' })
    clock.advance(UNDO_MS - (round % 2))
    const answers = await Promise.all([
      ben.call('DELETE', replyPath(id, reply.id)),
      sendNow(ben, id, reply.id),
      sendNow(ben, id, reply.id),
    ])
    await untilSent(bellhop, clock)
    const { timeline, drafts, waiting } = await readThread(ben, id)
    const sent = timeline.filter(({ role }) => role === 'agent').length
    const isUndone = answers[0]?.status === 204
    expect([sent, drafts[0]?.text, waiting]).toEqual(isUndone ? [0, 'Once.', []] : [1, undefined, []])
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  }
})

test("a clock that is set back doesn't delay a reply, and scheduled messages before it wait for their time", async () => {
  const { id } = await makeTicket(acme)
  const sendAt = new Date(clock.now() + 12 * UNDO_MS).toISOString()
  for (const text of ['One', 'Two', 'Three']) {
    await ben.call('PUT', replyPath(id, createId('msg', ben.now())), { body: { text, sendAt } })
  }
  clock.advance(11.5 * UNDO_MS)
  await sendReply(ben, id, { text: 'On time.' })
  clock.jump(-3_600_000)
  clock.advance(UNDO_MS)
  await eventually(async () => (await textsOf(ben, id)).includes('On time.'))
  expect(await textsOf(ben, id)).toHaveLength(2)
  clock.jump(3_600_000)
  await untilSent(bellhop, clock)
  expect(await textsOf(ben, id)).toHaveLength(5)
})

test('a message that failed is sent again only if it can leave now', async () => {
  const about = { status: 'open', assignedTo: ben.id, tags: [], createdAt: 1, updatedAt: 1 } as const
  const id = await storeTicket(bellhop.deps, acme.orgId, { ...about, tags: [], channel: 'email' })
  await sendReply(ben, id, { text: 'Hello' })
  await untilSent(bellhop, clock)
  const messageId = await newestMessage(ben, id)
  const resend = (message: string) =>
    ben.call('POST', `/console/tickets/${id}/messages/${message}/resend`, { body: {} })
  const failed = { sending: 'failed', sendError: 'No mailbox is connected.' }
  expect((await readThread(ben, id)).timeline.at(-1)).toMatchObject(failed)
  problemOf(await resend(messageId), 409, 'no_transport')
  const answered = await makeTicket(acme)
  await sendReply(ben, answered.id, { text: 'Hello' })
  await untilSent(bellhop, clock)
  const sent = await newestMessage(ben, answered.id)
  const path = `/console/tickets/${answered.id}/messages/${sent}/resend`
  problemOf(await ben.call('POST', path, { body: {} }), 409, 'not_failed')
  problemOf(await resend(sent), 404, 'not_found')
})
