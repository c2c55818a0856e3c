import { afterAll, expect, test } from 'bun:test'
import { createId } from '../../server/ids.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { type MoveJson, mergeTickets, undoMove } from '../support/moves.ts'
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
  const answer = await mergeTickets(acme, into, from)
  expect(answer.status, answer.text).toBe(200)
  return answer.json.id
}

const undo = async (move: string) => expect((await undoMove(acme, move)).status).toBe(200)

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
  await undo(move)
  expect(await waitingRow(id)).toBe(before)
})

interface Shown {
  status: string
  snoozedUntil?: string
  lastMessageAt: string
}

const shown = async (id: string) => (await acme.call<Shown>('GET', `/tickets/${id}`)).json
const outcome = async (into: string, from: string) =>
  (await ben.call('GET', `/console/tickets/${into}/merge/${from}`)).json

async function snooze(id: string, snoozedUntil: string): Promise<void> {
  const items = [{ id, change: { snoozedUntil, why: 'call the carrier' } }]
  expect((await leila.call('POST', '/console/bulk', { body: { items } })).status).toBe(200)
}

/** The rows of a ticket that a merge and its undo leave as they were, without the times at which they changed. */
async function rowsOf(id: string): Promise<string[]> {
  const { tickets = [], snoozes = [], timers = [], read_marks = [] } = await storedRows(bellhop.deps)
  return [...tickets, ...snoozes, ...timers, ...read_marks]
    .filter((row) => row.includes(`d":"${id}"`))
    .map((row) => row.replace(/"(version|updatedAt)":\d+,/g, ''))
}

async function listed(query: string): Promise<{ id: string; isUnread: boolean }[]> {
  const path = `/console/tickets?sort=message_desc&q=${encodeURIComponent(query)}`
  return (await ben.call<{ data: { id: string; isUnread: boolean }[] }>('GET', path)).json.data
}

test('a snoozed ticket comes back when one that waits for an answer is merged into it, and is snoozed again after undo', async () => {
  const [{ id: into }, { id: from }] = [await makeTicket(acme), await makeTicket(acme)]
  for (const agent of [ben, leila]) {
    const messageId = await newestMessage(agent, into)
    await agent.call('PUT', `/console/tickets/${into}/read`, { body: { messageId } })
  }
  const until = tomorrow()
  await snooze(into, until)
  const before = await rowsOf(into)
  expect(await outcome(into, from)).toMatchObject({ status: 'open', endsSnooze: true, snoozedUntil: until })
  const move = await merged(into, from)
  expect((await shown(into)).snoozedUntil).toBeUndefined()
  expect((await listed(''))[0]).toMatchObject({ id: into, isUnread: true })
  const lines = (await readThread(ben, into)).timeline.flatMap(({ changes = [] }) => changes)
  expect(lines.slice(2)).toMatchObject([{ field: 'merged' }, { field: 'snoozedUntil', from: until, to: '' }])
  clock.advance(MINUTE_MS)
  await undo(move)
  expect(await shown(into)).toMatchObject({ status: 'open', snoozedUntil: until })
  expect(await rowsOf(into)).toEqual(before)
  clock.advance(DAY_MS)
  await eventually(async () => (await shown(into)).snoozedUntil === undefined)
})

test('a snoozed ticket that is answered after the merge stays awake when that is undone', async () => {
  const [{ id: into }, { id: from }] = [await makeTicket(acme), await makeTicket(acme)]
  await snooze(into, tomorrow())
  const move = await merged(into, from)
  await replied(ben, into, { text: 'Here you are' })
  await undo(move)
  expect((await shown(into)).snoozedUntil).toBeUndefined()
})

test('a snoozed ticket stays away when a resolved or snoozed one is merged into it', async () => {
  for (const change of [{ status: 'resolved' }, { snoozedUntil: tomorrow() }]) {
    const [{ id: into }, { id: from }] = [await makeTicket(acme), await makeTicket(acme)]
    const snoozedUntil = tomorrow()
    await snooze(into, snoozedUntil)
    await ben.call('POST', '/console/bulk', { body: { items: [{ id: from, change }] } })
    expect(await outcome(into, from)).toMatchObject({ endsSnooze: false, snoozedUntil })
    await merged(into, from)
    expect(await shown(into)).toMatchObject({ snoozedUntil })
  }
})

test('a ticket that came back from its snooze stays on top when it is merged or split, and after undo', async () => {
  const [{ id: woken }, { id: other }] = [await makeTicket(acme), await makeTicket(acme)]
  const sent = await acme.call<{ id: string }>('POST', `/tickets/${woken}/messages`, {
    body: { text: 'More' },
  })
  await snooze(woken, new Date(clock.now() + MINUTE_MS).toISOString())
  clock.advance(MINUTE_MS)
  await eventually(async () => (await shown(woken)).snoozedUntil === undefined)
  const { lastMessageAt } = await shown(woken)
  expect(Date.parse(lastMessageAt)).toBe(clock.now())
  const before = await rowsOf(woken)
  for (const [into, from] of [
    [other, woken],
    [woken, other],
  ] as const) {
    const move = await merged(into, from)
    expect((await shown(into)).lastMessageAt).toBe(lastMessageAt)
    await undo(move)
    expect(await rowsOf(woken)).toEqual(before)
  }
  const body = { messages: [sent.json.id], subject: 'Another question' }
  const split = await acme.call<MoveJson>('POST', `/tickets/${woken}/split`, { body })
  expect((await shown(woken)).lastMessageAt).toBe(lastMessageAt)
  await undo(split.json.id)
  expect(await rowsOf(woken)).toEqual(before)
})
