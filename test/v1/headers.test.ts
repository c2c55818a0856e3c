import { afterAll, describe, expect, test } from 'bun:test'
import { type Answer, call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { makeTicket, NO_TICKET, problemOf, ticketInput } from '../support/tickets.ts'

// Specification, sections 1, 4 and 9; the contract's CORS row; the headers that every response must and must not have.

const bellhop = await startBellhop({ clock: createManualClock() })
afterAll(() => bellhop.stop())

async function answersOfEveryKind(): Promise<[string, Answer<unknown>][]> {
  const client = await bellhop.organization()
  const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' }
  const { id } = await makeTicket(client)
  return [
    ['200', await client.call('GET', `/tickets/${id}`, { headers })],
    ['list', await client.call('GET', '/tickets', { headers })],
    ['201', await client.call('POST', '/tickets', { body: ticketInput(), headers })],
    ['304', await client.call('GET', `/tickets/${id}`, { headers: { ...headers, 'if-none-match': '*' } })],
    ['400', await client.call('POST', '/tickets', { body: {}, headers })],
    ['401', await call('GET', `${bellhop.url}/v1/tickets`, { headers })],
    ['404', await client.call('GET', `/tickets/${NO_TICKET}`, { headers })],
    ['preflight', await client.call('OPTIONS', '/tickets', { headers })],
    ['preflight without a key', await call('OPTIONS', `${bellhop.url}/v1/tickets`, { headers })],
    ['the description', await call('GET', `${bellhop.url}/v1/openapi.json`, { headers })],
  ]
}

test('no answer lets a page of another site in', async () => {
  for (const [name, answer] of await answersOfEveryKind()) {
    const cors = [...answer.headers.keys()].filter((header) => header.startsWith('access-control-'))
    expect([name, cors]).toEqual([name, []])
  }
})

test('no answer with data is kept by a browser or a proxy', async () => {
  for (const [name, { headers }] of await answersOfEveryKind()) {
    const isPublic = name === 'the description'
    expect([name, headers.get('cache-control')]).toEqual([name, isPublic ? 'no-cache' : 'no-store'])
  }
})

test('a preflight is answered without a key, allows nothing, and does not count as a wrong key', async () => {
  const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' }
  for (let time = 0; time < 70; time += 1) {
    const answer = await call('OPTIONS', `${bellhop.url}/v1/tickets`, { headers })
    expect([answer.status, answer.headers.get('allow'), answer.text]).toEqual([204, 'GET, HEAD, POST', ''])
  }
  problemOf(await call('GET', `${bellhop.url}/v1/tickets`), 401, 'unauthorized')
})

test('no answer tells what the server is made of, or sets a cookie', async () => {
  for (const [name, { headers, text }] of await answersOfEveryKind()) {
    for (const header of ['server', 'x-powered-by', 'via', 'set-cookie']) {
      expect([name, header, headers.get(header)]).toEqual([name, header, null])
    }
    if (name !== 'the description') expect(text).not.toMatch(/bun|elysia|drizzle|sqlite|postgres|typebox/i)
  }
})

test('bodies are JSON in UTF-8 and say so; times are ISO 8601 in UTC with milliseconds', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  for (const path of ['/tickets', `/tickets/${id}`]) {
    const { headers, text } = await client.call('GET', path)
    expect(headers.get('content-type')).toMatch(/^application\/json(;\s*charset=utf-8)?$/i)
    const times = [...text.matchAll(/"\w+At":"([^"]*)"/g)].map((match) => match[1])
    expect(times.length).toBeGreaterThan(1)
    for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  }
})

describe('HEAD', () => {
  test('responds like GET without the body', async () => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client)
    for (const path of ['/tickets', `/tickets/${id}`, `/tickets/${NO_TICKET}`, '/tickets?page=0']) {
      const get = await client.call('GET', path)
      const head = await client.call('HEAD', path)
      expect([head.status, head.text]).toEqual([get.status, ''])
      for (const name of ['etag', 'content-type', 'link']) {
        expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)])
      }
    }
  })

  test('needs a key like GET', async () => {
    expect((await call('HEAD', `${bellhop.url}/v1/tickets`)).status).toBe(401)
    const client = await bellhop.organization()
    const writer = await client.withKey({ scopes: ['tickets:write'] })
    expect((await writer.call('HEAD', '/tickets')).status).toBe(403)
  })
})

describe('the version', () => {
  test('is in the path: what has none or another is not there', async () => {
    const { key } = await bellhop.organization()
    const headers = { authorization: `Bearer ${key}` }
    for (const path of ['/tickets', '/v0/tickets', '/v2/tickets', '/V1/tickets', '/api/v1/tickets']) {
      problemOf(await call('GET', `${bellhop.url}${path}`, { headers }), 404, 'unknown_route')
    }
    expect((await call('GET', `${bellhop.url}/v1/tickets`, { headers })).status).toBe(200)
  })

  test('/v1 is current: nothing in it is deprecated', async () => {
    for (const [, { headers }] of await answersOfEveryKind()) {
      expect([headers.has('deprecation'), headers.has('sunset')]).toEqual([false, false])
    }
  })
})

test('the console of keys is no part of the API', async () => {
  const client = await bellhop.organization()
  for (const path of ['/keys', '/api-keys', '/webhooks', '/sessions']) {
    problemOf(await client.call('GET', path), 404, 'unknown_route')
    problemOf(await client.call('POST', path, { body: {} }), 404, 'unknown_route')
  }
})
