import { afterAll, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { events } from '../../server/database/tables/events.ts'
import { createId } from '../../server/ids.ts'
import { signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock, letRun } from '../support/clock.ts'
import { countersAndRecount } from '../support/counters.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { type MoveJson, mergeTickets, undoMove } from '../support/moves.ts'
import { indexed } from '../support/search.ts'
import { storedRows } from '../support/stored-rows.ts'
import { storedEvents, subscribe } from '../support/subscription.ts'
import { addNote, readDraft, readThread, replyPath, saveDraft, sendNow, textsOf } from '../support/threads.ts'
import { listTickets, makeTicket, problemOf, readTicket } from '../support/tickets.ts'
import { openWidget } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
await subscribe(bellhop.deps, acme.orgId)
const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben Okafor' })
const admin = await signInAgent(bellhop, acme.orgId, { name: 'Root', role: 'admin' })
const ledger = await openLedger(bellhop, acme.orgId, 'support@acme.example')

const merge = (into: string, from: string, client: Client = acme) => mergeTickets(client, into, from)

async function merged(into: string, from: string): Promise<MoveJson> {
  const answer = await merge(into, from)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

const undo = (id: string) => undoMove(acme, id)

async function twoTickets(more: Record<string, unknown> = {}): Promise<[string, string]> {
  clock.advance(2 * MINUTE_MS)
  const [into, from] = [
    await makeTicket(acme, { message: 'First' }),
    await makeTicket(acme, { message: 'Second', ...more }),
  ]
  return [into.id, from.id]
}

async function mailed(from: string, text: string): Promise<string> {
  using _ = letRun(clock)
  const head = [
    `From: ${from}`,
    'To: support@acme.example',
    `Subject: ${text}`,
    `Message-ID: <${crypto.randomUUID()}@x.test>`,
  ]
  return (await ledger.fetched([...head, '', text].join('\r\n'))).ticketId ?? ''
}

const textsIn = async (id: string) => (await readTicket(acme, id)).messages.map(({ text }) => text)

test('another customer of a merged ticket is a participant, and the customer again after undo', async () => {
  const [into, from] = [await mailed('ana@x.test', 'From Ana'), await mailed('Bo <bo@x.test>', 'From Bo')]
  const move = await merged(into, from)
  const { timeline } = await readThread(ben, into)
  const authors = timeline
    .filter(({ kind }) => kind === 'message')
    .map(({ author, authorName }) => [author, authorName])
  expect(authors).toEqual([
    [undefined, undefined],
    ['participant', 'Bo'],
  ])
  expect((await undo(move.id)).status).toBe(200)
  const again = (await readThread(ben, from)).timeline.find(({ kind }) => kind === 'message')
  expect([again?.author, again?.text]).toEqual([undefined, 'From Bo'])
})

test('the merged ticket leaves lists and counts, takes no message, and keeps its id', async () => {
  const [into, from] = await twoTickets({ tags: ['lamp'] })
  const { id } = await merged(into, from)
  const gone = await readTicket(acme, from)
  expect([gone.status, gone.messages]).toEqual(['resolved', []])
  expect(await readTicket(acme, into)).toMatchObject({ tags: ['lamp'] })
  const found = async (q: string) => {
    const { json } = await ben.call<{ data: { id: string }[] }>('GET', `/console/tickets?q=${q}`)
    return json.data.map((row) => row.id)
  }
  expect(await found('tag:lamp')).toEqual([into])
  expect(await found('is:merged')).toContain(from)
  expect([await found('is:merged tag:lamp'), await found('is:merged is:spam')]).toEqual([[from], []])
  expect(await found('-is:merged')).not.toContain(from)
  for (const [method, path, body] of [
    ['POST', 'messages', { text: 'Late' }],
    ['PUT', `messages/${createId('msg', clock.now())}`, { text: 'Late' }],
    ['POST', 'merge', { from: into }],
    ['POST', 'split', { messages: ['msg_1'], subject: 'x' }],
  ] as const) {
    const answer = await acme.call(method, `/tickets/${from}/${path}`, { body })
    expect(problemOf(answer, 409, 'ticket_merged').detail).toContain(into)
  }
  problemOf(await acme.call('PATCH', `/tickets/${from}`, { body: { status: 'open' } }), 409, 'ticket_merged')
  const { kept, counted } = await countersAndRecount(bellhop.deps, acme.orgId)
  expect(kept).toEqual(counted)
  expect((await undo(id)).status).toBe(200)
  problemOf(await undo(id), 409, 'already_undone')
  expect((await listTickets(acme, '?tag=lamp')).data.map((row) => row.id)).toEqual([from])
})

test('a ticket is found by the subjects of those that were merged into it, until that is undone', async () => {
  const [into, from] = await twoTickets({ subject: 'Zeppelin' })
  const [further] = await twoTickets()
  const found = async () => {
    using _ = letRun(clock)
    await indexed(bellhop, clock)
    const { json } = await ben.call<{ data: { id: string }[] }>('GET', '/console/tickets?q=zeppelin')
    return json.data.map((row) => row.id)
  }
  expect(await found()).toEqual([from])
  const { id } = await merged(into, from)
  expect(await found()).toEqual([into])
  const { id: second } = await merged(further, into)
  expect(await found()).toEqual([further])
  expect((await undo(second)).status).toBe(200)
  expect(await found()).toEqual([into])
  expect((await undo(id)).status).toBe(200)
  expect(await found()).toEqual([from])
})

const messagesSent = async () =>
  (await storedEvents(bellhop.deps, acme.orgId)).filter(({ type }) => type === 'message.sent').length

test('the log says what changed, and no message is sent again', async () => {
  const [into, from] = await twoTickets()
  const before = await messagesSent()
  const { id } = await merged(into, from)
  const logged = await bellhop.deps.database.read
    .select({ ticketId: events.ticketId, type: events.type, changes: events.changes })
    .from(events)
    .where(and(eq(events.orgId, acme.orgId), eq(events.type, 'ticket.updated')))
    .orderBy(events.number)
  expect(logged.slice(-2)).toEqual([
    {
      ticketId: from,
      type: 'ticket.updated',
      changes: {
        status: { from: 'open', to: 'resolved' },
        mergedInto: { from: null, to: into },
        messages: {},
      },
    },
    { ticketId: into, type: 'ticket.updated', changes: { messages: {} } },
  ])
  expect(await messagesSent()).toBe(before)
  await undo(id)
})

test('a ticket that was merged twice has its messages again after its own merge is undone', async () => {
  const [second, first] = await twoTickets()
  const [third] = await twoTickets()
  const one = await merged(second, first)
  const two = await merged(third, second)
  expect((await textsIn(third)).sort()).toEqual(['First', 'First', 'Second'])
  expect((await undo(one.id)).status).toBe(200)
  expect([await textsIn(first), await textsIn(third)]).toEqual([['Second'], ['First', 'First']])
  expect((await undo(two.id)).status).toBe(200)
  expect([await textsIn(second), await textsIn(third)]).toEqual([['First'], ['First']])
})

test('a reply that waits goes to those it was written to, and a draft comes below the other one', async () => {
  const [into, from] = [await mailed('ana@x.test', 'For Ana'), await mailed('bo@x.test', 'For Bo')]
  const sendAt = new Date(clock.now() + DAY_MS).toISOString()
  const id = createId('msg', clock.now())
  await ben.call('PUT', replyPath(from, id), { body: { text: 'To Bo', sendAt } })
  for (const [ticket, text] of [
    [into, 'Upper'],
    [from, 'Lower'],
  ] as const) {
    await saveDraft(ben, ticket, text)
  }
  const move = await merged(into, from)
  const { waiting } = (
    await ben.call<{ waiting: { text: string; recipients: unknown }[] }>('GET', `/console/tickets/${into}`)
  ).json
  expect(waiting).toMatchObject([{ text: 'To Bo', recipients: { to: [{ address: 'bo@x.test' }] } }])
  expect(await readDraft(ben, into, 'reply')).toBe('Upper\n\nLower')
  expect((await acme.call('GET', `/tickets/${from}/messages/${id}`)).status).toBe(200)
  await undo(move.id)
  expect([await readDraft(ben, into, 'reply'), await readDraft(ben, from, 'reply')]).toEqual([
    'Upper',
    'Lower',
  ])
})

test('a reply that waits to be emailed is held once its ticket is one that is answered by an integration', async () => {
  const [[into], from] = [await twoTickets(), await mailed('bo@x.test', 'For Bo')]
  const sendAt = new Date(clock.now() + DAY_MS).toISOString()
  const id = createId('msg', clock.now())
  await ben.call('PUT', replyPath(from, id), { body: { text: 'To Bo', sendAt } })
  await merged(into, from)
  const path = `/tickets/${into}/messages/${id}`
  clock.advance(DAY_MS)
  const held = await eventually(async () => {
    const { json } = await acme.call<{ delivery: { state: string; reason: string } }>('GET', path)
    return json.delivery.state === 'waiting' ? undefined : json.delivery
  })
  expect(held).toMatchObject({ state: 'held', reason: expect.stringContaining('not answered by email') })
  const { waiting } = (await ben.call<{ waiting: object[] }>('GET', `/console/tickets/${into}`)).json
  expect(waiting).toMatchObject([
    { heldBecause: 'not_by_email', recipients: { to: [{ address: 'bo@x.test' }] } },
  ])
  expect((await sendNow(ben, into, id)).status).toBe(204)
  expect(await textsIn(into)).toContain('To Bo')
})

test('a draft that a page saves on the merged ticket is kept on the other one', async () => {
  const [into, from] = await twoTickets()
  await merged(into, from)
  await saveDraft(ben, from, 'Typed on')
  expect(await readDraft(ben, into, 'reply')).toBe('Typed on')
})

test('a snoozed ticket that was merged stays away from the list, and is snoozed again after undo', async () => {
  const [into, from] = await twoTickets()
  const snoozedUntil = new Date(clock.now() + 60 * MINUTE_MS).toISOString()
  const items = [{ id: from, change: { snoozedUntil } }]
  const snoozed = await ben.call('POST', '/console/bulk', { body: { items } })
  expect(snoozed.status, snoozed.text).toBe(200)
  const move = await merged(into, from)
  expect(await readTicket(acme, from)).not.toHaveProperty('snoozedUntil')
  await undo(move.id)
  expect(await readTicket(acme, from)).toMatchObject({ status: 'open', snoozedUntil })
})

test('an organization makes at most 60 merges a minute', async () => {
  const globex = await bellhop.organization('Globex')
  const into = await makeTicket(globex)
  for (let made = 0; made < 60; made += 1) {
    const { id } = await makeTicket(globex)
    expect((await merge(into.id, id, globex)).status).toBe(200)
  }
  const { id } = await makeTicket(globex)
  problemOf(await merge(into.id, id, globex), 429, 'rate_limited')
  clock.advance(MINUTE_MS)
  expect((await merge(into.id, id, globex)).status).toBe(200)
})

test('messages are split off into a new ticket without being sent again, and come back', async () => {
  const { id } = await makeTicket(acme, { message: 'First' })
  const sent = await acme.call<{ id: string }>('POST', `/tickets/${id}/messages`, {
    body: { text: 'Second' },
  })
  const before = (await storedEvents(bellhop.deps, acme.orgId)).length
  const body = { messages: [sent.json.id], subject: 'Another question' }
  const split = await acme.call<MoveJson>('POST', `/tickets/${id}/split`, { body })
  expect([split.status, split.headers.get('location')]).toEqual([201, `/v1/tickets/${split.json.into}`])
  const opened = await readTicket(acme, split.json.into)
  expect(opened).toMatchObject({ subject: 'Another question', customer: { email: 'ana@example.com' } })
  expect([await textsIn(id), await textsIn(split.json.into)]).toEqual([['First'], ['Second']])
  const news = (await storedEvents(bellhop.deps, acme.orgId)).slice(before)
  // Each of the two says that its messages are others now.
  expect(news.map(({ type, ticketId }) => [type, ticketId])).toEqual([
    ['ticket.created', split.json.into],
    ['ticket.updated', split.json.into],
    ['ticket.updated', id],
  ])
  expect((await undo(split.json.id)).status).toBe(200)
  expect(await textsIn(id)).toEqual(['First', 'Second'])
  expect(await readTicket(acme, split.json.into)).toMatchObject({ mergedInto: id, messages: [] })
  const { kept, counted } = await countersAndRecount(bellhop.deps, acme.orgId)
  expect(kept).toEqual(counted)
})

test('a ticket keeps its external id and metadata when messages are split off', async () => {
  const own = { externalId: 'order-4821', metadata: { order: '4821' } }
  const { id } = await makeTicket(acme, { message: 'First', ...own })
  const sent = await acme.call<{ id: string }>('POST', `/tickets/${id}/messages`, {
    body: { text: 'Second' },
  })
  const body = { messages: [sent.json.id], subject: 'Another question' }
  const split = await acme.call<MoveJson>('POST', `/tickets/${id}/split`, { body })
  expect(split.status, split.text).toBe(201)
  expect(await readTicket(acme, id)).toMatchObject(own)
  expect(await readTicket(acme, split.json.into)).not.toContainAnyKeys(['externalId', 'metadata'])
})

test('from a message on, all later messages and notes are split off', async () => {
  const { id } = await makeTicket(acme, { message: 'First' })
  clock.advance(1_000)
  const second = await acme.call<{ id: string }>('POST', `/tickets/${id}/messages`, {
    body: { text: 'Second' },
  })
  clock.advance(1_000)
  await addNote(ben, id, 'About the second')
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'Third' } })
  const body = { message: second.json.id, andLater: true, subject: 'Later' }
  const split = await ben.call<MoveJson>('POST', `/console/tickets/${id}/split`, { body })
  expect(split.status, split.text).toBe(201)
  expect([await textsOf(ben, id), await textsOf(ben, split.json.into)]).toEqual([
    ['First'],
    ['Second', 'Third'],
  ])
  const { timeline } = await readThread(ben, split.json.into)
  expect(timeline.filter(({ kind }) => kind === 'note').map(({ text }) => text)).toEqual(['About the second'])
})

test('a split leaves a message, and names only messages of the ticket', async () => {
  const { id } = await makeTicket(acme)
  const [first] = (await readTicket(acme, id)).messages
  const split = (messages: string[]) =>
    acme.call('POST', `/tickets/${id}/split`, { body: { messages, subject: 'x' } })
  expect(problemOf(await split([first?.id ?? '']), 400, 'invalid_request').errors?.[0]?.code).toBe('too_many')
  expect(problemOf(await split(['msg_1']), 400, 'invalid_request').errors?.[0]?.code).toBe('unknown_message')
})

test('a chat goes into a chat of the same visitor, or into an email of the same customer', async () => {
  const widget = await openWidget(bellhop, acme.orgId)
  const [eve, max] = [await widget.visit(), await widget.visit()]
  const say = async (page: typeof eve, text: string) => (await page.say(text)).conversation.id
  const [one, two, other] = [await say(eve, 'One'), await say(eve, 'Two'), await say(max, 'Three')]
  const mail = await mailed('ana@x.test', 'An email')
  const refusals = [
    [one, other, /two customers/],
    [one, mail, /two customers/],
    [mail, one, /two customers/],
  ] as const
  for (const [into, from, reason] of refusals) {
    const { detail } = problemOf(await merge(into, from), 409, 'cannot_merge')
    expect(detail).toMatch(reason)
    const preview = await ben.call<{ reason?: string }>('GET', `/console/tickets/${into}/merge/${from}`)
    expect(preview.json.reason).toBe(detail)
  }
  problemOf(
    await acme.call('POST', `/tickets/${one}/split`, { body: { messages: ['msg_1'], subject: 'x' } }),
    409,
    'cannot_split',
  )
  await merged(one, two)
  expect(await textsIn(one)).toEqual(['One', 'Two'])
})

test('erasing a ticket erases all that was merged into it', async () => {
  const [into, from] = await twoTickets({ subject: 'Quokka', message: 'The zebrafish is gone' })
  await merged(into, from)
  const erased = await admin.call('DELETE', `/console/tickets/${into}`)
  expect(erased.status, erased.text).toBe(204)
  expect(await rowsWith(/Quokka|zebrafish/)).toEqual([])
})

test('erasing a merged ticket erases what it had, and nothing of the other one', async () => {
  const [into, from] = await twoTickets({ subject: 'Quokka', message: 'The zebrafish is gone' })
  await merged(into, from)
  expect((await admin.call('DELETE', `/console/tickets/${from}`)).status).toBe(204)
  expect(await rowsWith(/Quokka|zebrafish/)).toEqual([])
  expect(await textsIn(into)).toEqual(['First'])
  const { kept, counted } = await countersAndRecount(bellhop.deps, acme.orgId)
  expect(kept).toEqual(counted)
})

test('erasing a ticket that messages were split off into erases what the log has of them', async () => {
  const { id } = await makeTicket(acme)
  const sent = await acme.call<{ id: string }>('POST', `/tickets/${id}/messages`, {
    body: { text: 'The zebrafish' },
  })
  const body = { messages: [sent.json.id], subject: 'Quokka' }
  const split = await acme.call<MoveJson>('POST', `/tickets/${id}/split`, { body })
  expect((await admin.call('DELETE', `/console/tickets/${split.json.into}`)).status).toBe(204)
  expect(await rowsWith(/Quokka|zebrafish/)).toEqual([])
  expect(await textsIn(id)).toHaveLength(1)
})

// Last, because it ends the sessions of agents.
test('a merge can be undone for 30 days', async () => {
  const [into, from] = await twoTickets()
  const [late, other] = await twoTickets()
  const one = await merged(into, from)
  const two = await merged(late, other)
  clock.advance(30 * DAY_MS - 10_000)
  expect((await undo(one.id)).status).toBe(200)
  clock.advance(MINUTE_MS)
  problemOf(await undo(two.id), 409, 'undo_expired')
})

/** Bytes are lists of numbers in them. */
async function rowsWith(words: RegExp): Promise<string[]> {
  const rows = Object.values(await storedRows(bellhop.deps)).flat()
  return rows.filter((row) => words.test(row) || words.test(textOfBytes(row)))
}

function textOfBytes(row: string): string {
  const { body } = JSON.parse(row)
  return body && typeof body === 'object'
    ? Buffer.from(Object.values<number>(body.data ?? body)).toString()
    : ''
}
