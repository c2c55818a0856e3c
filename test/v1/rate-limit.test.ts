import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, type Client, call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { listTickets, makeTicket, NO_TICKET, problemOf, ticketInput } from '../support/tickets.ts'

// Specification, sections 7 and 8: 300 requests in a rolling 60 seconds for each key.

const clock = createManualClock(Date.parse('2026-03-01T09:00:00.000Z'))
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
beforeEach(() => clock.advance(61_000))

const read = (client: Client) => client.call('GET', '/tickets')

test('a key may make 300 requests in 60 seconds by default; the next one is 429', async () => {
  const client = await bellhop.organization()
  const answers = await Promise.all(Array.from({ length: 320 }, () => read(client)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(300)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused).toHaveLength(20)
  for (const answer of refused) {
    const { detail } = problemOf(answer, 429, 'rate_limited')
    expect(detail).toBe('This key has reached its rate limit. Try again in 60 s.')
    expect(answer.headers.get('retry-after')).toBe('60')
  }
})

test('the window rolls: each request makes room exactly 60 seconds after it was counted', async () => {
  const client = await (await bellhop.organization()).withKey({ rateLimit: 3 })
  const statuses: [number, number][] = []
  let at = 0
  for (const next of [0, 10_000, 30_000, 59_999, 60_000, 60_001, 69_999, 70_000, 89_999, 90_000, 90_000]) {
    clock.advance(next - at)
    at = next
    statuses.push([next, (await read(client)).status])
  }
  expect(statuses).toEqual([
    [0, 200],
    [10_000, 200],
    [30_000, 200],
    [59_999, 429],
    [60_000, 200],
    [60_001, 429],
    [69_999, 429],
    [70_000, 200],
    [89_999, 429],
    [90_000, 200],
    [90_000, 429],
  ])
})

test.each([1, 999, 1000, 1001, 59_000, 59_999])(
  'a request after the time that Retry-After says, %d ms later, is accepted; never a second early',
  async (passed) => {
    const client = await (await bellhop.organization()).withKey({ rateLimit: 1 })
    await read(client)
    clock.advance(passed)
    const refused = await read(client)
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBe(Math.max(1, Math.ceil((60_000 - passed) / 1000)))
    clock.advance((seconds - 1) * 1000)
    expect((await read(client)).status).toBe(429)
    clock.advance(1000)
    expect((await read(client)).status).toBe(200)
  },
)

test('invalid requests and requests for unknown resources count; those without permission do not', async () => {
  const owner = await bellhop.organization()
  const client = await owner.withKey({ rateLimit: 3, scopes: ['tickets:read', 'tickets:write'] })
  problemOf(await client.call('POST', `/tickets/${NO_TICKET}/messages`, { body: {} }), 403, 'missing_scope')
  problemOf(await client.call('GET', '/tickets?page=0'), 400, 'invalid_request')
  problemOf(await client.call('GET', `/tickets/${NO_TICKET}`), 404, 'not_found')
  problemOf(await client.call('POST', '/tickets', { raw: '{' }), 400, 'malformed_json')
  problemOf(await read(client), 429, 'rate_limited')
})

test('a refused request is not carried out', async () => {
  const owner = await bellhop.organization()
  const client = await owner.withKey({ rateLimit: 1 })
  await makeTicket(client)
  problemOf(await client.call('POST', '/tickets', { body: ticketInput() }), 429, 'rate_limited')
  expect((await listTickets(owner)).meta.total).toBe(1)
})

test('every key has its own window and may have its own limit', async () => {
  const owner = await bellhop.organization()
  const slow = await owner.withKey({ rateLimit: 1 })
  const fast = await owner.withKey({ rateLimit: 1000 })
  expect([(await read(slow)).status, (await read(slow)).status]).toEqual([200, 429])
  const answers = await Promise.all(Array.from({ length: 400 }, () => read(fast)))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect((await read(owner)).status).toBe(200)
})

test('the server may be given another default', async () => {
  await using own = await startBellhop({ clock, settings: { BELLHOP_RATE_LIMIT: '2' } }).then(disposable)
  const client = await own.organization()
  const statuses = [await read(client), await read(client), await read(client)].map(({ status }) => status)
  expect(statuses).toEqual([200, 200, 429])
})

describe('the headers show the remaining requests', () => {
  test('on answers of every kind, with the oldest request leaving first', async () => {
    const client = await (await bellhop.organization()).withKey({ rateLimit: 3 })
    const [first] = [await read(client)]
    clock.advance(1500)
    const second = await client.call('GET', `/tickets/${NO_TICKET}`)
    const third = await client.call('POST', '/tickets', { body: {} })
    const refused = await read(client)
    expect([first, second, third, refused].map((answer) => limitsOf(answer))).toEqual([
      { limit: '3', remaining: '2', reset: 60, fields: ['"default";q=3;w=60', '"default";r=2;t=60'] },
      { limit: '3', remaining: '1', reset: 59, fields: ['"default";q=3;w=60', '"default";r=1;t=59'] },
      { limit: '3', remaining: '0', reset: 59, fields: ['"default";q=3;w=60', '"default";r=0;t=59'] },
      { limit: '3', remaining: '0', reset: 59, fields: ['"default";q=3;w=60', '"default";r=0;t=59'] },
    ])
  })
})

describe('wrong keys', () => {
  test('are counted by address: 60 a minute, then 429 until the oldest is a minute old', async () => {
    const stranger = (forwarded?: string) =>
      call('GET', `${bellhop.url}/v1/tickets`, {
        headers: {
          authorization: 'Bearer bellhop_sk_guess',
          ...(forwarded ? { 'x-forwarded-for': forwarded } : {}),
        },
      })
    for (let guess = 0; guess < 60; guess += 1) problemOf(await stranger(), 401, 'unauthorized')
    clock.advance(20_500)
    const refused = await stranger()
    expect(problemOf(refused, 429, 'rate_limited').detail).toContain('without a valid key')
    expect(refused.headers.get('retry-after')).toBe('40')
    // Nobody is believed about where they come from unless a proxy is trusted.
    problemOf(await stranger('203.0.113.9'), 429, 'rate_limited')
    const client = await bellhop.organization()
    expect((await read(client)).status).toBe(200)
    clock.advance(39_500)
    problemOf(await stranger(), 401, 'unauthorized')
  })

  test('behind a trusted proxy the address it forwards counts, the last one that is not its own', async () => {
    const settings = { BELLHOP_TRUST_PROXY: '127.0.0.0/8,::1/128,10.0.0.0/8' }
    await using own = await startBellhop({ clock, settings }).then(disposable)
    const from = (forwarded: string) =>
      call('GET', `${own.url}/v1/tickets`, { headers: { 'x-forwarded-for': forwarded } })
    for (let guess = 0; guess < 60; guess += 1) {
      expect((await from(`198.51.100.${guess}, 203.0.113.9, 10.0.0.2`)).status).toBe(401)
    }
    expect((await from('203.0.113.9')).status).toBe(429)
    expect((await from('203.0.113.10')).status).toBe(401)
    expect((await from('203.0.113.9, 203.0.113.10')).status).toBe(401)
    // A customer of IPv6 has a whole network of addresses.
    for (let guess = 0; guess < 60; guess += 1) await from(`2001:db8:1:2::${guess.toString(16)}`)
    expect((await from('2001:db8:1:2:ffff::1')).status).toBe(429)
    expect((await from('2001:db8:1:3::1')).status).toBe(401)
  })
})

function limitsOf({ headers }: Answer<unknown>) {
  const now = clock.now() / 1000
  return {
    limit: headers.get('x-ratelimit-limit'),
    remaining: headers.get('x-ratelimit-remaining'),
    reset: Number(headers.get('ratelimit')?.split('t=')[1]),
    fields: [headers.get('ratelimit-policy'), headers.get('ratelimit')],
    ...(Number(headers.get('x-ratelimit-reset')) > now ? {} : { isInThePast: true }),
  }
}

function disposable<T extends { stop(): Promise<void> }>(one: T): T & AsyncDisposable {
  return Object.assign(one, { [Symbol.asyncDispose]: () => one.stop() })
}
