import { afterAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { freshPlace } from '../support/engine.ts'
import { readThread, sendReply, untilSent } from '../support/threads.ts'
import { makeTicket, problemOf } from '../support/tickets.ts'
import { openWidget } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MINUTE_MS = 60_000

interface Row {
  id: string
  isUnread: boolean
  snoozedUntil?: string
  snooze?: { by: string; why: string; until: string; isOver: boolean }
}

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

async function organization(of: Bellhop = bellhop) {
  const acme = await of.organization()
  const nora = await signInAgent(of, acme.orgId, { name: 'Nora Quist' })
  const ben = await signInAgent(of, acme.orgId)
  return { acme, nora, ben }
}

const iso = (after: number) => new Date(clock.now() + after).toISOString()

function change(agent: SignedInAgent, ids: string[], what: object) {
  const items = ids.map((id) => ({ id, change: what }))
  return agent.call<{ data: { id: string; before: object }[] }>('POST', '/console/bulk', { body: { items } })
}

async function rows(agent: SignedInAgent, q = '', sort = 'message_desc'): Promise<Row[]> {
  const path = `/console/tickets?sort=${sort}&q=${encodeURIComponent(q)}`
  return (await agent.call<{ data: Row[] }>('GET', path)).json.data
}

async function counts(agent: SignedInAgent): Promise<Record<string, number>> {
  return (await agent.call<{ views: Record<string, number> }>('GET', '/console/counts')).json.views
}

/** How often the thread says that the snooze ended. */
async function wakings(agent: SignedInAgent, id: string): Promise<number> {
  const { timeline } = await readThread(agent, id)
  const changes = timeline.flatMap((entry) => entry.changes ?? [])
  return changes.filter(({ field, to }) => field === 'snoozedUntil' && to === '').length
}

async function isAwake(agent: SignedInAgent, id: string): Promise<boolean> {
  return (await rows(agent)).some((row) => row.id === id)
}

test('a snoozed ticket leaves the lists, and comes back on top and unread at its time', async () => {
  const { acme, nora, ben } = await organization()
  const { id } = await makeTicket(acme)
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'We asked the carrier.' } })
  clock.advance(HOUR_MS)
  const { id: other } = await makeTicket(acme)
  const until = iso(DAY_MS)
  await change(nora, [id], { snoozedUntil: until, why: 'call the carrier' })
  expect((await rows(ben)).map((row) => row.id)).toEqual([other])
  expect(await rows(ben, 'is:snoozed', 'wake')).toMatchObject([
    { id, snoozedUntil: until, snooze: { by: 'Nora Quist', why: 'call the carrier', until, isOver: false } },
  ])
  expect(await counts(ben)).toMatchObject({ open: 1, snoozed: 1 })
  const shown = await acme.call<Row>('GET', `/tickets/${id}`)
  expect(shown.json).toMatchObject({ status: 'open', spam: false, snoozedUntil: until })
  clock.advance(DAY_MS)
  await eventually(() => isAwake(ben, id))
  const snooze = { by: 'Nora Quist', why: 'call the carrier', until, isOver: true }
  expect(await rows(ben)).toMatchObject([{ id, isUnread: true, snooze }, { id: other }])
  expect((await rows(ben, 'is:unread')).map((row) => row.id)).toEqual([id, other])
  expect(await counts(ben)).toMatchObject({ open: 2, snoozed: 0 })
  expect((await acme.call<Row>('GET', `/tickets/${id}`)).json.snoozedUntil).toBeUndefined()
  expect(await wakings(ben, id)).toBe(1)
  const messageId = (await readThread(ben, id)).timeline.findLast(({ kind }) => kind === 'message')?.id
  await ben.call('PUT', `/console/tickets/${id}/read`, { body: { messageId } })
  expect((await rows(ben))[0]).toMatchObject({ id, isUnread: false })
  expect((await rows(nora))[0]).toMatchObject({ id, isUnread: true })
})

test('a customer who writes ends the snooze, also in the second in which it would end', async () => {
  const { acme, nora } = await organization()
  const visitor = await (await openWidget(bellhop, acme.orgId, {})).visit()
  const { conversation } = await visitor.say('Is it in stock?')
  const id = (await rows(nora))[0]?.id ?? ''
  await change(nora, [id], { snoozedUntil: iso(HOUR_MS), why: 'ask' })
  clock.advance(HOUR_MS)
  await visitor.say('Hello?', conversation.id)
  await eventually(() => isAwake(nora, id))
  clock.advance(HOUR_MS)
  expect((await rows(nora))[0]).toMatchObject({ id, isUnread: true })
  expect(await wakings(nora, id)).toBe(1)
})

test('customers who write in the second in which their snoozes end wake each of them once', async () => {
  const { acme, nora } = await organization()
  const widget = await openWidget(bellhop, acme.orgId, {})
  const chats = []
  for (let made = 0; made < 20; made += 1) {
    const visitor = await widget.visit()
    chats.push({ visitor, conversation: (await visitor.say('Is it in stock?')).conversation.id })
  }
  const ids = (await rows(nora)).map((row) => row.id)
  await change(nora, ids, { snoozedUntil: iso(HOUR_MS) })
  clock.advance(HOUR_MS - 1)
  const said = chats.map(({ visitor, conversation }) => visitor.say('Hello?', conversation))
  clock.advance(1)
  await Promise.all(said)
  await eventually(async () => (await counts(nora)).snoozed === 0)
  clock.advance(HOUR_MS)
  expect(await Promise.all(ids.map((id) => wakings(nora, id)))).toEqual(ids.map(() => 1))
  expect((await rows(nora)).every((row) => row.isUnread)).toBe(true)
})

test('a snooze that ended while the server was off ends once, when it starts', async () => {
  const { BELLHOP_DATA, DATABASE_URL } = await freshPlace()
  const settings = { BELLHOP_DATA, ...(DATABASE_URL !== undefined && { DATABASE_URL }) }
  const time = createManualClock()
  const start = () => startBellhop({ clock: time, settings })
  const before = await start()
  const { acme, nora } = await organization(before)
  const [{ id: ended }, { id: later }] = [await makeTicket(acme), await makeTicket(acme)]
  await change(nora, [ended], { snoozedUntil: new Date(time.now() + HOUR_MS).toISOString(), why: 'ask' })
  await change(nora, [later], { snoozedUntil: new Date(time.now() + DAY_MS).toISOString() })
  await before.stop()
  time.advance(2 * HOUR_MS)
  for (const _ of ['the snooze ended', 'it ended before']) {
    const after = await start()
    const ana = await signInAgent(after, acme.orgId, { name: 'Ana Lima' })
    await eventually(() => isAwake(ana, ended))
    time.advance(HOUR_MS)
    expect(await rows(ana)).toMatchObject([{ id: ended, isUnread: true, snooze: { isOver: true } }])
    expect([await wakings(ana, ended), await wakings(ana, later)]).toEqual([1, 0])
    await after.stop()
  }
})

test('a clock that is set forward or back by an hour wakes a ticket once, when the clock shows its time', async () => {
  const { acme, nora } = await organization()
  const [{ id: soon }, { id: late }] = [await makeTicket(acme), await makeTicket(acme)]
  await change(nora, [soon], { snoozedUntil: iso(HOUR_MS) })
  await change(nora, [late], { snoozedUntil: iso(2 * HOUR_MS) })
  clock.jump(HOUR_MS)
  clock.advance(MINUTE_MS)
  await eventually(() => isAwake(nora, soon))
  expect(await isAwake(nora, late)).toBe(false)
  clock.jump(-HOUR_MS)
  clock.advance(HOUR_MS)
  expect(await isAwake(nora, late)).toBe(false)
  clock.advance(HOUR_MS)
  await eventually(() => isAwake(nora, late))
  expect([await wakings(nora, soon), await wakings(nora, late)]).toEqual([1, 1])
})

test('a reply of a colleague ends the snooze, but not one of who snoozed the ticket', async () => {
  const { acme, nora, ben } = await organization()
  const { id } = await makeTicket(acme)
  await change(nora, [id], { snoozedUntil: iso(DAY_MS) })
  await sendReply(nora, id, { text: 'We are on it.' })
  await untilSent(bellhop, clock)
  expect(await isAwake(ben, id)).toBe(false)
  await sendReply(ben, id, { text: 'It left today.' })
  await untilSent(bellhop, clock)
  expect(await isAwake(ben, id)).toBe(true)
  expect(await wakings(ben, id)).toBe(1)
})

test('many tickets are snoozed at once, and undoing it puts each back where it was', async () => {
  const { acme, nora, ben } = await organization()
  const ids: string[] = []
  for (let made = 0; made < 3; made += 1) {
    ids.push((await makeTicket(acme)).id)
    clock.advance(1_000)
  }
  const before = (await rows(ben)).map((row) => row.id)
  const { json } = await change(nora, ids, { snoozedUntil: iso(DAY_MS), why: 'wait' })
  expect(await rows(ben)).toEqual([])
  const items = json.data.map((one) => ({ id: one.id, change: one.before }))
  expect((await nora.call('POST', '/console/bulk', { body: { items } })).status).toBe(200)
  expect((await rows(ben)).map((row) => [row.id, row.snooze])).toEqual(before.map((id) => [id, undefined]))
  clock.advance(DAY_MS)
  expect(await wakings(ben, ids[0] ?? '')).toBe(1)
})

test('the snoozed tickets are listed by when they wake, and found by words, mentions and drafts too', async () => {
  const { acme, nora } = await organization()
  const [{ id: late }, { id: soon }] = [await makeTicket(acme), await makeTicket(acme)]
  await change(nora, [late], { snoozedUntil: iso(2 * DAY_MS) })
  await change(nora, [soon], { snoozedUntil: iso(DAY_MS) })
  expect((await rows(nora, 'is:snoozed', 'wake')).map((row) => row.id)).toEqual([soon, late])
  const first = await nora.call<{ nextCursor: string }>(
    'GET',
    '/console/tickets?q=is:snoozed&sort=wake&limit=1',
  )
  const next = `/console/tickets?q=is:snoozed&sort=wake&limit=1&cursor=${first.json.nextCursor}`
  expect((await nora.call<{ data: Row[] }>('GET', next)).json.data.map((row) => row.id)).toEqual([late])
  await nora.call('PUT', `/console/tickets/${late}/follower`)
  expect((await rows(nora, 'is:followed')).map((row) => row.id)).toEqual([late])
  expect(await rows(nora, 'is:followed -is:snoozed')).toEqual([])
  expect(await rows(nora, 'is:snoozed is:spam')).toEqual([])
})

test('resolving a ticket, marking it as spam or deleting it ends the snooze for good', async () => {
  const { acme, nora } = await organization()
  const [{ id: done }, { id: junk }] = [await makeTicket(acme), await makeTicket(acme)]
  await change(nora, [done, junk], { snoozedUntil: iso(DAY_MS) })
  await change(nora, [done], { status: 'resolved' })
  await change(nora, [junk], { isSpam: true })
  clock.advance(2 * DAY_MS)
  const { id: later } = await makeTicket(acme)
  expect((await rows(nora)).map((row) => row.id)).toEqual([later, done])
  expect((await rows(nora))[1]?.snooze).toBeUndefined()
  expect((await rows(nora, 'is:spam')).map((row) => row.id)).toEqual([junk])
  expect(await counts(nora)).toMatchObject({ snoozed: 0, spam: 1, resolved: 1 })
})

test('a snooze ends within a year', async () => {
  const { acme, nora } = await organization()
  const { id } = await makeTicket(acme)
  for (const [snoozedUntil, pointer] of [
    [iso(-1), '/snoozedUntil'],
    [iso(400 * DAY_MS), '/snoozedUntil'],
    ['tomorrow', '/items/0/change/snoozedUntil'],
    ['', '/items/0/change/snoozedUntil'],
  ]) {
    const { errors } = problemOf(await change(nora, [id], { snoozedUntil }), 400, 'invalid_request')
    expect(errors).toMatchObject([{ pointer }])
  }
  expect(await isAwake(nora, id)).toBe(true)
})
