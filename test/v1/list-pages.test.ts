import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Answer, type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { storeTicket } from '../support/stored-ticket.ts'
import { changeTicket, type ListJson, listTickets, makeTicket, problemOf } from '../support/tickets.ts'

// Specification, sections 2, 4 and 8, and what the contract adds to them: pages, cursors and links. Totals
// are in list-filters.test.ts and database/counters.test.ts.

const clock = createManualClock()
const bellhop = await startBellhop({ clock, settings: { BELLHOP_RATE_LIMIT: '1000000' } })
afterAll(() => bellhop.stop())

const TICKETS = 103
let client: Client

beforeAll(async () => {
  client = await bellhop.organization()
  await fill(client, TICKETS)
})

describe('pages', () => {
  test.each([
    ['', 25, 25],
    ['?per_page=1', 1, 1],
    ['?per_page=100', 100, 100],
    ['?per_page=101', 100, 100],
    ['?per_page=999999999999999', 100, 100],
    ['?page=2&per_page=100', 3, 100],
    ['?page=5', 3, 25],
  ])('%s holds so many tickets, and says so', async (query, held, perPage) => {
    const { data, meta } = await listTickets(client, query)
    expect([data.length, meta.perPage, meta.total]).toEqual([held, perPage, TICKETS])
  })

  test('together hold every ticket once', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => listTickets(client, `?page=${page}&per_page=30&sort=created_asc`)),
    )
    expect(pages.map(({ meta }) => meta.page)).toEqual([1, 2, 3, 4])
    const ids = pages.flatMap(({ data }) => data.map(({ id }) => id))
    expect(ids).toEqual((await everyId('sort=created_asc')).slice(0, TICKETS))
    expect(new Set(ids).size).toBe(TICKETS)
  })

  test.each(['6', '1000', '999999999999999'])('page %s past the end is 200 and empty', async (page) => {
    const answer = await client.call<ListJson>('GET', `/tickets?page=${page}`)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ data: [], meta: { total: TICKETS, page: Number(page), perPage: 25 } })
  })

  test.each(['0', '-1', '1.5', '1e3', '0x10', '', ' 1', '+1', 'one', 'NaN', 'Infinity', '9'.repeat(16)])(
    'refuses page and per_page %p',
    async (value) => {
      for (const parameter of ['page', 'per_page']) {
        const answer = await client.call('GET', `/tickets?${parameter}=${encodeURIComponent(value)}`)
        expect(problemOf(answer, 400, 'invalid_request').errors).toEqual([
          { parameter, code: expect.any(String), detail: 'Must be a whole number, 1 or more.' },
        ])
      }
    },
  )
})

describe('cursors', () => {
  test.each([
    ['sort=created_desc', 7],
    ['sort=created_asc', 7],
    ['sort=updated_desc', 10],
    ['tag=vip&sort=updated_desc', 4],
    ['tag=vip&sort=created_asc&status=open', 4],
    ['status=open', 1],
    ['assignedTo=unassigned&channel=api', 103],
  ])('lead through the whole list %s, forwards and back again', async (query, perPage) => {
    const wanted = await everyId(query)
    const start = `/v1/tickets?${query}&per_page=${perPage}`
    const forwards = await walk(start, 'next')
    expect(forwards.flatMap(idsOf)).toEqual(wanted)
    expect(forwards.map(({ json }) => json.meta.page)).toEqual(forwards.map((_, place) => place + 1))
    expect(forwards.every(({ json }) => json.meta.total === wanted.length)).toBe(true)
    const last = forwards.at(-1)
    const backwards = last && forwards.length > 1 ? await walk(linkOf(last, 'prev') ?? '', 'prev') : []
    expect(backwards.map(({ json }) => json.data)).toEqual(
      forwards
        .slice(0, -1)
        .map(({ json }) => json.data)
        .reverse(),
    )
    expect(backwards.every(({ json }) => json.meta.nextCursor !== undefined)).toBe(true)
  })

  test('the Link header and meta.nextCursor lead to the same page; the last page has neither', async () => {
    const first = await get('/v1/tickets?per_page=60&status=open')
    const { nextCursor } = first.json.meta
    const byHeader = await get(linkOf(first, 'next') ?? '')
    const byMeta = await listTickets(client, `?per_page=60&status=open&cursor=${nextCursor}`)
    expect(byHeader.json).toEqual(byMeta)
    expect(linkOf(first, 'prev')).toBeUndefined()
    const all = await get('/v1/tickets?per_page=100&tag=vip')
    expect([all.json.meta.nextCursor, linkOf(all, 'next')]).toEqual([undefined, undefined])
  })

  test('a page reached by its number leads on and back by cursor', async () => {
    const second = await get('/v1/tickets?page=2&per_page=10')
    const third = await get(linkOf(second, 'next') ?? '')
    const first = await get(linkOf(second, 'prev') ?? '')
    expect(idsOf(third)).toEqual((await everyId('')).slice(20, 30))
    expect(idsOf(first)).toEqual((await everyId('')).slice(0, 10))
    expect([first.json.meta.page, third.json.meta.page]).toEqual([1, 3])
  })

  test('what arrives or changes in between neither repeats nor hides a ticket', async () => {
    const own = await bellhop.organization()
    await fill(own, 30)
    const before = (await listTickets(own, '?per_page=100')).data.map(({ id }) => id)
    const seen: string[] = []
    let query: string | undefined = '?per_page=8'
    while (query) {
      const { data, meta } = await listTickets(own, query)
      seen.push(...data.map(({ id }) => id))
      clock.advance(5)
      const { id } = await makeTicket(own)
      await changeTicket(own, id, { status: 'resolved' })
      query = meta.nextCursor && `?per_page=8&cursor=${meta.nextCursor}`
    }
    expect(seen).toEqual(before)
  })

  test('belong to one list, and only to it', async () => {
    const { meta } = await listTickets(client, '?status=open&per_page=5')
    for (const other of ['', 'status=pending&', 'status=open&sort=created_asc&', 'status=open&tag=vip&']) {
      const answer = await client.call('GET', `/tickets?${other}cursor=${meta.nextCursor}`)
      expect(problemOf(answer, 400, 'invalid_request').errors).toEqual([
        {
          parameter: 'cursor',
          code: 'foreign_cursor',
          detail: 'This cursor belongs to a list with other filters or another sort.',
        },
      ])
    }
    const both = await client.call('GET', `/tickets?status=open&page=2&cursor=${meta.nextCursor}`)
    expect(problemOf(both, 400, 'invalid_request').errors).toMatchObject([
      { parameter: 'page', code: 'page_with_cursor' },
    ])
    // The page may be cut anew: per_page is no part of it.
    expect(
      (await listTickets(client, `?status=open&per_page=2&cursor=${meta.nextCursor}`)).data,
    ).toHaveLength(2)
  })

  test('an empty one is the first page', async () => {
    expect(await listTickets(client, '?per_page=2&page=1&cursor=')).toEqual(
      await listTickets(client, '?per_page=2'),
    )
  })

  test.each([
    ['a word', 'next'],
    ['no list', Buffer.from('{}').toString('base64url')],
    ['nested lists', Buffer.from('['.repeat(300)).toString('base64url')],
    ['more than 512 characters', 'a'.repeat(513)],
  ])('refuses one of %s', async (_, cursor) => {
    const answer = await client.call('GET', `/tickets?cursor=${cursor}`)
    expect(problemOf(answer, 400, 'invalid_request').errors?.[0]?.parameter).toBe('cursor')
  })

  test.each([
    ['an id with NUL', { 3: '\0' }],
    ['an id of half a character', { 3: '\ud800' }],
    ['an id of another kind', { 3: 'org_00000000000000000000000000' }],
    ['a time that is none', { 2: 1.5 }],
    ['a time before time', { 2: -(2 ** 53) }],
    ['a page of none', { 4: 0 }],
    ['a page beyond counting', { 4: Number.MAX_SAFE_INTEGER }],
    ['a direction of its own', { 0: 'x' }],
  ])('refuses one that was made up with %s', async (_, change) => {
    const { meta } = await listTickets(client, '?per_page=5')
    const parts: unknown[] = JSON.parse(Buffer.from(meta.nextCursor ?? '', 'base64url').toString())
    const made = Buffer.from(JSON.stringify(Object.assign([...parts], change))).toString('base64url')
    const answer = await client.call('GET', `/tickets?per_page=5&cursor=${made}`)
    expect(problemOf(answer, 400, 'invalid_request').errors?.[0]?.parameter).toBe('cursor')
  })

  test("another organization's cursor shows nothing of that organization", async () => {
    const other = await bellhop.organization()
    const { meta } = await listTickets(client, '?per_page=5')
    expect(await listTickets(other, `?per_page=5&cursor=${meta.nextCursor}`)).toMatchObject({
      data: [],
      meta: { total: 0 },
    })
  })
})

async function fill(owner: Client, howMany: number): Promise<void> {
  for (let number = 0; number < howMany; number += 1) {
    await storeTicket(bellhop.deps, owner.orgId, {
      status: number % 3 ? 'open' : 'pending',
      channel: 'api',
      assignedTo: '',
      tags: number % 4 ? ['vip'] : [],
      createdAt: clock.now() + Math.floor(number / 20),
      updatedAt: clock.now() + (number % 9),
    })
  }
}

/** All ids of a list, in two pages by number. */
async function everyId(query: string): Promise<string[]> {
  const pages = [1, 2].map((page) =>
    listTickets(client, `?${query}&per_page=100&page=${page}`.replace('?&', '?')),
  )
  return (await Promise.all(pages)).flatMap(({ data }) => data.map(({ id }) => id))
}

async function walk(start: string, rel: 'next' | 'prev'): Promise<Answer<ListJson>[]> {
  const answers: Answer<ListJson>[] = []
  for (let path: string | undefined = start; path; path = linkOf(answers.at(-1), rel)) {
    answers.push(await get(path))
  }
  return answers
}

async function get(path: string): Promise<Answer<ListJson>> {
  const answer = await client.call<ListJson>('GET', path.slice('/v1'.length))
  expect(answer.status, answer.text).toBe(200)
  return answer
}

function idsOf({ json }: Answer<ListJson>): string[] {
  return json.data.map(({ id }) => id)
}

/** RFC 8288: `<target>; rel="next"`. */
function linkOf(answer: Answer<unknown> | undefined, rel: 'next' | 'prev'): string | undefined {
  const links = answer?.headers.get('link')?.split(', ') ?? []
  return links.find((link) => link.endsWith(`; rel="${rel}"`))?.match(/^<([^>]+)>/)?.[1]
}
