import { afterAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { newestMessage, readThread } from '../support/threads.ts'
import { makeTicket, problemOf } from '../support/tickets.ts'

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)
const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Lima' })

const posts =
  (ticketId: string, what: 'replies' | 'notes') => (agent: SignedInAgent, key: string, body: object) =>
    agent.call<{ id: string }>('POST', `/console/tickets/${ticketId}/${what}`, {
      body,
      headers: { 'idempotency-key': key },
    })

test('a reply that is sent again because the answer was lost is one reply', async () => {
  const { id } = await makeTicket(acme)
  const send = posts(id, 'replies')
  const key = crypto.randomUUID()
  const body = { text: 'It is attached.', lastMessageId: await newestMessage(ben, id) }
  const first = await send(ben, key, body)
  const again = await send(ben, key, body)
  expect([first.status, again.status, again.json]).toEqual([201, 201, first.json])
  expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true'])
  expect((await readThread(ben, id)).waiting).toHaveLength(1)
})

test('a reply that has gone, or was taken back, does not come again with its key', async () => {
  const { id } = await makeTicket(acme)
  const send = posts(id, 'replies')
  const key = crypto.randomUUID()
  const body = { text: 'It is attached.', lastMessageId: await newestMessage(ben, id) }
  const { json } = await send(ben, key, body)
  await ben.call('DELETE', `/console/tickets/${id}/replies/${json.id}`)
  expect((await send(ben, key, body)).json).toEqual(json)
  expect((await readThread(ben, id)).waiting).toEqual([])
})

test('a try from a later version of the draft is the same reply', async () => {
  const { id } = await makeTicket(acme)
  const send = posts(id, 'replies')
  const key = crypto.randomUUID()
  const body = { text: 'It is attached.', lastMessageId: await newestMessage(ben, id) }
  const first = await send(ben, key, { ...body, base: null })
  const again = await send(ben, key, { ...body, base: new Date(clock.now()).toISOString() })
  expect([again.status, again.json]).toEqual([201, first.json])
})

test('a note that is sent again is one note', async () => {
  const { id } = await makeTicket(acme)
  const add = posts(id, 'notes')
  const key = crypto.randomUUID()
  const answers = [
    await add(ben, key, { text: 'Ask Dana.' }),
    await add(ben, key, { text: 'Ask Dana.' }),
    await add(ben, crypto.randomUUID(), { text: 'Ask Dana.' }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(new Set(answers.map(({ json }) => json.id)).size).toBe(2)
  const { timeline } = await readThread(ben, id)
  expect(timeline.filter(({ kind }) => kind === 'note')).toHaveLength(2)
})

test('a key stands for one text of one agent', async () => {
  const { id } = await makeTicket(acme)
  const add = posts(id, 'notes')
  const key = crypto.randomUUID()
  await add(ben, key, { text: 'Ask Dana.' })
  problemOf(await add(ben, key, { text: 'Ask Dana tomorrow.' }), 422, 'idempotency_mismatch')
  problemOf(await add(ana, key, { text: 'Ask Dana.' }), 422, 'idempotency_mismatch')
})

test('a reply that was refused may be sent with the same key when it is sent anyway', async () => {
  const { id } = await makeTicket(acme)
  const send = posts(id, 'replies')
  const key = crypto.randomUUID()
  const body = { text: 'From Ben.', lastMessageId: await newestMessage(ben, id) }
  clock.advance(1)
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'From the shop.' } })
  problemOf(await send(ben, key, body), 409, 'answered_meanwhile')
  expect((await send(ben, key, { ...body, force: true })).status).toBe(201)
})

test('many of the same at once are one reply', async () => {
  const { id } = await makeTicket(acme)
  const send = posts(id, 'replies')
  const key = crypto.randomUUID()
  const body = { text: 'Once.', lastMessageId: await newestMessage(ben, id) }
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(ben, key, body)))
  expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
  const { waiting } = await readThread(ben, id)
  const made = answers.flatMap(({ status, json }) => (status === 201 ? [json.id] : []))
  expect([...new Set(made)]).toEqual(waiting.map(({ id: replyId }) => replyId))
  expect(waiting).toHaveLength(1)
})
