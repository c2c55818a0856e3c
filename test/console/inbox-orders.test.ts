import { afterAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { addNote } from '../support/threads.ts'
import { changeTicket, type ListJson, listTickets, makeTicket } from '../support/tickets.ts'
import { openWidget } from '../support/visitors.ts'

const HOUR_MS = 3_600_000

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

interface Row {
  id: string
  lastMessageAt: string
  waitingSince?: string
  longWaitAt?: string
}

async function rows(agent: SignedInAgent, sort?: string): Promise<Row[]> {
  const { json } = await agent.call<{ data: Row[] }>('GET', `/console/tickets${sort ? `?sort=${sort}` : ''}`)
  return json.data
}

async function rowOf(agent: SignedInAgent, ticketId: string): Promise<Row | undefined> {
  return (await rows(agent)).find(({ id }) => id === ticketId)
}

function now(): string {
  return new Date(clock.now()).toISOString()
}

test('a tag, an assignee, a note or a status leaves a row where its last message put it', async () => {
  const acme = await bellhop.organization()
  const ben = await signInAgent(bellhop, acme.orgId)
  const { id: old } = await makeTicket(acme)
  const written = now()
  clock.advance(HOUR_MS)
  const { id: recent } = await makeTicket(acme)
  clock.advance(HOUR_MS)
  await changeTicket(acme, old, { tags: ['vip'], assignedTo: ben.id, status: 'pending' })
  await addNote(ben, old, 'Ask the carrier.')
  expect(await rows(ben)).toMatchObject([
    { id: recent },
    { id: old, lastMessageAt: written, waitingSince: written },
  ])
  await acme.call('POST', `/tickets/${old}/messages`, { body: { text: 'On it.' } })
  expect((await rows(ben))[0]).toMatchObject({ id: old, lastMessageAt: now() })
})

test('a customer waits from their first message since our last answer until the ticket is resolved', async () => {
  const acme = await bellhop.organization()
  const ben = await signInAgent(bellhop, acme.orgId)
  const visitor = await (await openWidget(bellhop, acme.orgId, {})).visit()
  const asked = now()
  const { conversation } = await visitor.say('Is it in stock?')
  const [opened] = await rows(ben)
  const id = opened?.id ?? ''
  clock.advance(HOUR_MS)
  await visitor.say('Hello?', conversation.id)
  await changeTicket(acme, id, { tags: ['stock'] })
  expect(await rowOf(ben, id)).toMatchObject({ lastMessageAt: now(), waitingSince: asked })
  // Resolved and opened again, as an undo does.
  expect(await changeTicket(acme, id, { status: 'resolved' })).not.toHaveProperty('waitingSince')
  expect(await changeTicket(acme, id, { status: 'open' })).toMatchObject({ waitingSince: asked })
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'It is.' } })
  expect(await rowOf(ben, id)).not.toHaveProperty('waitingSince')
  // A message that opens a resolved ticket starts the waiting, whatever was never answered before.
  await visitor.say('Thanks', conversation.id)
  await changeTicket(acme, id, { status: 'resolved' })
  clock.advance(HOUR_MS)
  await visitor.say('One more question', conversation.id)
  expect(await rowOf(ben, id)).toMatchObject({ status: 'open', waitingSince: now() })
})

test('waiting longest lists who waits first, then the others by their last message, in the inbox and in the API', async () => {
  const acme = await bellhop.organization()
  const ben = await signInAgent(bellhop, acme.orgId)
  const ids: string[] = []
  for (const [index, change] of [{}, { status: 'resolved' }, { status: 'pending' }, {}, {}].entries()) {
    clock.advance(HOUR_MS)
    const { id } = await makeTicket(acme, { tags: ['order'] })
    await changeTicket(acme, id, change)
    ids[index] = id
  }
  clock.advance(HOUR_MS)
  await acme.call('POST', `/tickets/${ids[0]}/messages`, { body: { text: 'On it.' } })
  const wanted = [2, 3, 4, 0, 1].map((index) => ids[index] ?? '')
  expect((await rows(ben, 'waiting')).map(({ id }) => id)).toEqual(wanted)
  for (const filters of ['', '&tag=order', '&tag=order&spam=false', '&assignedTo=unassigned']) {
    expect(await pagesOf(`?sort=waiting&per_page=2${filters}`), filters).toEqual(wanted)
    const byMessage = [0, 4, 3, 2, 1].map((index) => ids[index] ?? '')
    expect(await pagesOf(`?sort=message_desc&per_page=2${filters}`), filters).toEqual(byMessage)
  }

  async function pagesOf(query: string): Promise<string[]> {
    const found: string[] = []
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      const page: ListJson = await listTickets(acme, `${query}&cursor=${cursor}`)
      found.push(...page.data.map(({ id }) => id))
      cursor = page.meta.nextCursor
    }
    return found
  }
})

test('a customer has waited for long after an hour of the opening hours of their widget, or of the only one', async () => {
  // Noon of a Saturday in New York.
  clock.advance(Date.parse('2026-05-02T16:00:00Z') - clock.now())
  const acme = await bellhop.organization()
  const ben = await signInAgent(bellhop, acme.orgId)
  await makeTicket(acme)
  const longWaits = async () => (await rows(ben)).map(({ longWaitAt }) => longWaitAt)
  expect(await longWaits()).toEqual(['2026-05-02T17:00:00.000Z'])
  const day = { from: '09:00', to: '17:00' }
  const days = [{ from: '16:30', to: '17:00' }, day, day, day, day, null, null]
  const hours = { timeZone: 'America/New_York', awayText: '', days }
  const shop = await openWidget(bellhop, acme.orgId, { hours })
  const always = await openWidget(bellhop, acme.orgId, {})
  await (await shop.visit()).say('Anyone?')
  await (await always.visit()).say('Anyone?')
  // Half an hour on Monday, and half an hour on Tuesday.
  const tuesday = '2026-05-05T13:30:00.000Z'
  expect((await longWaits()).toSorted()).toEqual(['2026-05-02T17:00:00.000Z', tuesday, tuesday])
  await openWidget(bellhop, acme.orgId, { hours })
  // With two that have hours, neither speaks for the other channels.
  expect((await longWaits()).toSorted()).toEqual([
    '2026-05-02T17:00:00.000Z',
    '2026-05-02T17:00:00.000Z',
    tuesday,
  ])
})
