import { afterAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { messages } from '../../server/database/tables/messages.ts'
import { type Answer, type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { listTickets, type MessageJson, makeTicket, problemOf, readTicket } from '../support/tickets.ts'

const START = Date.parse('2026-03-01T09:30:00.000Z')
const clock = createManualClock(START)
const bellhop = await startBellhop({ clock, settings: { BELLHOP_RATE_LIMIT: '1000000' } })
afterAll(() => bellhop.stop())

type MessageOfTicket = MessageJson & { ticketId: string }
interface Page {
  data: MessageOfTicket[]
  meta: { perPage: number; nextCursor?: string }
}

test('shows each message as its ticket does, with the id of the ticket and its files, oldest first', async () => {
  const acme = await bellhop.organization()
  const file = await acme.call<{ id: string }>('POST', '/attachments?name=a.txt', { raw: 'A file' })
  const tickets = [await makeTicket(acme, { attachments: [file.json.id] }), await makeTicket(acme)]
  for (const { id } of [...tickets, ...tickets]) {
    clock.advance(1)
    await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'On it.' } })
  }
  const all = await copyMessages(acme, 'per_page=4')
  const ofTickets: MessageOfTicket[] = []
  for (const { id } of tickets) {
    const { messages: own } = await readTicket(acme, id)
    ofTickets.push(...own.map((message) => ({ ...message, ticketId: id })))
  }
  const inOrder = ofTickets.sort((one, other) =>
    `${one.createdAt}${one.id}` < `${other.createdAt}${other.id}` ? -1 : 1,
  )
  expect(all.data).toEqual(inOrder)
  expect(all.data[0]?.attachments?.[0]?.name).toBe('a.txt')
  expect(all.requests).toBe(2)
  expect((await copyMessages(await bellhop.organization('Other'))).data).toEqual([])
})

test('finds those of one role, and of a time', async () => {
  const acme = await bellhop.organization()
  const ids: string[] = []
  for (let number = 0; number < 3; number += 1) {
    clock.advance(1_000)
    ids.push((await makeTicket(acme)).id)
    await acme.call('POST', `/tickets/${ids.at(-1)}/messages`, { body: { text: 'On it.' } })
  }
  const rolesAndTickets = async (query: string) =>
    (await copyMessages(acme, query)).data.map(({ role, ticketId }) => [role, ids.indexOf(ticketId)])
  expect(await rolesAndTickets('role=agent&per_page=1')).toEqual([
    ['agent', 0],
    ['agent', 1],
    ['agent', 2],
  ])
  const [first, second] = (await listTickets(acme, '?sort=created_asc')).data.map(
    ({ createdAt }) => createdAt,
  )
  expect(await rolesAndTickets(`created_since=${second}&role=customer`)).toEqual([
    ['customer', 1],
    ['customer', 2],
  ])
  expect(await rolesAndTickets(`created_since=${first}&created_before=${second}`)).toEqual([
    ['customer', 0],
    ['agent', 0],
  ])
})

test('finds the only message of a rare role behind thousands of others', async () => {
  const acme = await bellhop.organization()
  const { id } = await makeTicket(acme)
  const many = Array.from({ length: 2_500 }, () => ({
    id: bellhop.deps.newId('msg'),
    createdAt: clock.now(),
  }))
  await bellhop.deps.database.write(undefined, async (tx) => {
    const [first] = await tx.select().from(messages).where(eq(messages.ticketId, id))
    if (!first) throw new Error('The ticket has a message.')
    for (let start = 0; start < many.length; start += 500) {
      await tx.insert(messages).values(many.slice(start, start + 500).map((more) => ({ ...first, ...more })))
    }
  })
  clock.advance(1)
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'The only answer' } })
  const { data, requests } = await copyMessages(acme, 'role=agent')
  expect([data.map(({ text }) => text), requests]).toEqual([['The only answer'], 1])
  expect((await copyMessages(acme, 'per_page=100')).data).toHaveLength(2_502)
})

test('copies tickets and messages with one request for each hundred', async () => {
  const acme = await bellhop.organization()
  for (let number = 0; number < 110; number += 1) {
    const { id } = await makeTicket(acme)
    await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'On it.' } })
  }
  let requests = 0
  const copied: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; requests += 1) {
    const { data, meta } = await listTickets(acme, `?sort=created_asc&per_page=100&cursor=${cursor}`)
    copied.push(...data.map(({ id }) => id))
    cursor = meta.nextCursor
  }
  const all = await copyMessages(acme, 'per_page=100')
  expect(new Set(copied).size).toBe(110)
  expect(new Set(all.data.map(({ ticketId }) => ticketId))).toEqual(new Set(copied))
  expect([requests, all.requests]).toEqual([2, 3])
})

test('refuses pages by number, and cursors of other lists', async () => {
  const acme = await bellhop.organization()
  const { id } = await makeTicket(acme)
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'On it.' } })
  const page = await acme.call<Page>('GET', '/messages?per_page=1')
  expect(page.headers.get('link')).toContain('rel="next"')
  const faults = async (query: string) =>
    problemOf(await acme.call('GET', `/messages?${query}`), 400, 'invalid_request').errors?.[0]
  expect(await faults('page=2')).toMatchObject({ parameter: 'page', code: 'unknown_parameter' })
  expect(await faults('cursor=x')).toMatchObject({ parameter: 'cursor', code: 'invalid_cursor' })
  expect(await faults(`cursor=${page.json.meta.nextCursor}&role=agent`)).toMatchObject({
    code: 'foreign_cursor',
  })
  const { meta } = (await acme.call<Page>('GET', `/tickets/${id}/messages?per_page=1`)).json
  expect(await faults(`cursor=${meta.nextCursor}`)).toMatchObject({ code: 'foreign_cursor' })
  expect(await faults('created_since=2026-03-01T09:30:00')).toMatchObject({ code: 'invalid_format' })
})

/** All pages, until one has no cursor. */
async function copyMessages(client: Client, query = '') {
  const data: MessageOfTicket[] = []
  let requests = 0
  for (let cursor: string | undefined = ''; cursor !== undefined; requests += 1) {
    const answer: Answer<Page> = await client.call('GET', `/messages?${query}&cursor=${cursor}`)
    expect(answer.status, answer.text).toBe(200)
    data.push(...answer.json.data)
    cursor = answer.json.meta.nextCursor
  }
  return { data, requests }
}
