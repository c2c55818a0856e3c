import { afterAll, describe, expect, test } from 'bun:test'
import { disableAgent } from '../../server/agents/disable-agent.ts'
import { recordEvents } from '../../server/events/events.ts'
import { openPageStream } from '../../server/live/streams.ts'
import { signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { type LiveEvent, openLive } from '../support/live.ts'
import { storedEvents } from '../support/subscription.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Pires', role: 'admin' })
const ben = await signInAgent(bellhop, acme.orgId)

async function ticket(of: Client = acme): Promise<string> {
  const body = { subject: 'Missing invoice', message: 'Where?', customer: { email: 'ana@example.com' } }
  return (await of.call<{ id: string }>('POST', '/tickets', { body })).json.id
}

async function numbersOf(orgId: string): Promise<number[]> {
  return (await storedEvents(bellhop.deps, orgId)).map(({ number }) => number)
}

/** Creates many events at once, like an import. */
function record(orgId: string, ticketId: string, howMany: number): Promise<void> {
  const event = { type: 'ticket.updated', ticketId, createdAt: bellhop.deps.clock.now() } as const
  return bellhop.deps.database.write(undefined, async (tx) =>
    recordEvents(
      bellhop.deps,
      tx,
      orgId,
      Array.from({ length: howMany }, () => event),
    ),
  )
}

describe('an open page', () => {
  test('gets the newest event number, then every change in order', async () => {
    await using page = await openLive(bellhop.url, ana)
    const hello = await page.next('hello')
    const before = await numbersOf(acme.orgId)
    expect(hello).toMatchObject({ id: before.at(-1) ?? 0, data: { number: before.at(-1) ?? 0 } })
    const ticketId = await ticket()
    await page.next('changed', (data) => data.type === 'message.sent' && data.ticketId === ticketId)
    await ben.call('PATCH', `/v1/tickets/${ticketId}`, { body: { status: 'pending' } })
    await page.next('changed', (data) => data.type === 'ticket.updated' && data.ticketId === ticketId)
    expect(page.numbers()).toEqual((await numbersOf(acme.orgId)).slice(before.length))
  })

  test('that reconnects gets every missed event once', async () => {
    await using first = await openLive(bellhop.url, ana)
    const { id } = await first.next('hello')
    await first.close()
    for (let made = 0; made < 5; made += 1) await ticket()
    await using second = await openLive(bellhop.url, ana, { after: id ?? 0 })
    const hello = await second.next('hello')
    const missed = (await numbersOf(acme.orgId)).filter((number) => number > (id ?? 0))
    expect(missed).toHaveLength(10)
    expect(second.numbers()).toEqual(missed)
    expect(hello.id).toBe(missed.at(-1))
  })

  test('that was disconnected too long, or comes from other data, is told to read everything again', async () => {
    const ticketId = await ticket()
    await record(acme.orgId, ticketId, 1_001)
    const newest = (await numbersOf(acme.orgId)).at(-1) ?? 0
    for (const after of [newest - 1_001, newest + 1]) {
      await using page = await openLive(bellhop.url, ana, { after })
      expect(await page.next('reset')).toMatchObject({ id: newest })
      await page.next('hello')
      expect(page.numbers()).toEqual([])
    }
    await using page = await openLive(bellhop.url, ana, { after: newest - 1_000 })
    await page.next('hello')
    expect(page.numbers()).toHaveLength(1_000)
  })

  test('that took a while to load gets the events of that time', async () => {
    const lia = await bellhop.organization('Loading')
    const agent = await signInAgent(bellhop, lia.orgId, { name: 'Lia' })
    const ticketId = await ticket(lia)
    await using page = await openLive(bellhop.url, agent, { back: 5 })
    await page.next('hello')
    const all = await numbersOf(lia.orgId)
    expect(page.numbers()).toEqual(all)
    await record(lia.orgId, ticketId, 300)
    await using busy = await openLive(bellhop.url, agent, { back: 5 })
    expect(await busy.next('reset')).toMatchObject({ id: all.length + 300 })
  })

  test('gets every event exactly once while many write and it reconnects', async () => {
    const start = (await numbersOf(acme.orgId)).at(-1) ?? 0
    const writing = Array.from({ length: 8 }, async () => {
      for (let made = 0; made < 25; made += 1) await ticket()
    })
    let isWriting = true
    const done = Promise.all(writing).then(() => {
      isWriting = false
    })
    const seen: number[] = []
    while (isWriting) {
      await using page = await openLive(bellhop.url, ana, { after: seen.at(-1) ?? start })
      await Bun.sleep(Math.random() * 40)
      await page.close()
      seen.push(...page.numbers())
    }
    await done
    await using last = await openLive(bellhop.url, ana, { after: seen.at(-1) ?? start })
    await last.next('hello')
    seen.push(...last.numbers())
    expect(seen).toEqual((await numbersOf(acme.orgId)).filter((number) => number > start))
    expect(seen.length).toBe(400)
  })

  test('of another organization gets none of them', async () => {
    const other = await bellhop.organization('Other')
    const eve = await signInAgent(bellhop, other.orgId, { name: 'Eve' })
    await using page = await openLive(bellhop.url, eve)
    await page.next('hello')
    const theirs = await ticket()
    await ana.call('POST', '/console/presence', {
      body: { pageId: 'p1', ticketId: theirs, state: 'viewing' },
    })
    await ticket(other)
    await page.next('changed', (data) => data.type === 'message.sent')
    expect(page.seen.filter(({ event }) => event === 'changed')).toHaveLength(2)
    expect(JSON.stringify(page.seen)).not.toContain(theirs)
    expect(JSON.stringify(page.seen)).not.toContain(ana.id)
    const refused = await eve.call('POST', '/console/presence', {
      body: { pageId: 'p1', ticketId: theirs, state: 'viewing' },
    })
    expect(refused.status).toBe(404)
  })
})

// Tests the stream directly: sockets would buffer megabytes before anything has to wait.
test('a page that reads too slowly gets nothing until it has caught up, and then reads everything again', async () => {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
  const frame = (words: string) => new TextEncoder().encode(words)
  let newest = 0
  const page = openPageStream({ catchUp: () => [frame(`reset ${newest}`)], onEnd: () => {} })
  for (newest = 1; newest <= 100_000; newest += 1) page.send(frame(`changed ${newest}`))
  const reader = page.body.getReader()
  const received: string[] = []
  for (let more = await reader.read(); more.value; more = await reader.read()) {
    received.push(text(more.value))
    if (received.at(-1)?.startsWith('reset')) page.send(frame('changed again'))
    if (received.at(-1) === 'changed again') page.end(frame('bye'))
  }
  const sentBefore = received.length - 3
  expect(received.slice(0, sentBefore)).toEqual(
    Array.from({ length: sentBefore }, (_, place) => `changed ${place + 1}`),
  )
  expect(received.slice(sentBefore)).toEqual([`reset ${newest}`, 'changed again', 'bye'])
  expect(received.join('').length).toBeLessThan(300_000)
})

describe('the stream ends', () => {
  test('with an event when the agent is disabled, and is refused without a session', async () => {
    const cleo = await signInAgent(bellhop, acme.orgId, { name: 'Cleo' })
    await using page = await openLive(bellhop.url, cleo)
    await page.next('hello')
    await disableAgent(bellhop.deps, acme.orgId, cleo.id)
    await page.next('signed-out')
    await page.ended
    expect((await openLive(bellhop.url, cleo)).status).toBe(401)
  })

  test('of a page that opens another one, but an agent with too many streams gets no new one', async () => {
    const dan = await signInAgent(bellhop, acme.orgId, { name: 'Dan' })
    const first = await openLive(bellhop.url, dan, { page: 'tab' })
    await using again = await openLive(bellhop.url, dan, { page: 'tab' })
    await first.ended
    await again.next('hello')
    const more = await Promise.all(Array.from({ length: 19 }, () => openLive(bellhop.url, dan)))
    expect((await dan.call('GET', '/console/live')).json).toMatchObject({
      status: 429,
      code: 'too_many_streams',
    })
    for (const page of more) await page.close()
    await eventually(async () => {
      await using page = await openLive(bellhop.url, dan)
      return page.status === 200
    })
  })

  test('at once when the server stops', async () => {
    const stopping = await startBellhop()
    const { orgId } = await stopping.organization()
    const eva = await signInAgent(stopping, orgId)
    const pages = await Promise.all(Array.from({ length: 5 }, () => openLive(stopping.url, eva)))
    for (const page of pages) await page.next('hello')
    await stopping.stop()
    await Promise.all(pages.map(({ ended }) => ended))
  })
})

test('agents see who is online, who views a ticket, and who replies to it', async () => {
  const clock = createManualClock()
  const still = await startBellhop({ clock })
  const client = await still.organization()
  const dora = await signInAgent(still, client.orgId, { name: 'Dora' })
  const eli = await signInAgent(still, client.orgId, { name: 'Eli' })
  const { id: ticketId } = await makeTicket(client)
  await using page = await openLive(still.url, dora)
  /** The page gets this state eventually. Updates are sent at most every tenth of a second. */
  const seen = (fits: (data: LiveEvent['data']) => boolean) =>
    eventually(() => {
      clock.advance(100)
      const newest = page.seen.findLast(({ event }) => event === 'presence')
      return newest !== undefined && fits(newest.data)
    })
  const online = ({ online }: LiveEvent['data']) => (Array.isArray(online) ? online : [])
  await seen((data) => online(data).includes(dora.id))

  await using other = await openLive(still.url, eli, { page: 'eli-1' })
  const say = async (state: string) => {
    const body = { pageId: 'eli-1', ticketId, state }
    expect((await eli.call('POST', '/console/presence', { body })).status).toBe(204)
    const here = JSON.stringify({ [ticketId]: [{ agentId: eli.id, state }] }).slice(1, -1)
    await seen(({ tickets }) => JSON.stringify(tickets).includes(here))
  }
  await say('viewing')
  await say('replying')
  await other.close()
  const closedAt = clock.now()
  await seen((data) => !online(data).includes(eli.id) && !JSON.stringify(data.tickets).includes(ticketId))
  // A page that reloads stays online.
  expect(clock.now() - closedAt).toBeGreaterThanOrEqual(3_000)
  await still.stop()
})
