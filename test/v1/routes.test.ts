import { afterAll, describe, expect, test } from 'bun:test'
import { call, startBellhop } from '../support/bellhop.ts'
import { rawRequest } from '../support/raw-request.ts'
import { NO_TICKET, problemOf } from '../support/tickets.ts'

// The contract's 404 and 405: what is at an address, and what it takes.

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

describe('addresses and methods', () => {
  test.each([
    ['/v1'],
    ['/v1/'],
    ['/v1/ticket'],
    ['/v1/tickets/a/b'],
    ['/v1/tickets/a/messages/b'],
    ['/v2/tickets'],
    ['/tickets'],
    ['/v1/Tickets'],
    ['/v1//tickets'],
    ['/favicon.ico'],
  ])('%s is 404 with a problem document, key or not', async (path) => {
    const { key } = await bellhop.organization()
    for (const headers of [undefined, { authorization: `Bearer ${key}` }]) {
      problemOf(await call('GET', `${bellhop.url}${path}`, { headers }), 404, 'unknown_route')
    }
  })

  test.each([
    ['DELETE', '/v1/tickets', 'GET, HEAD, POST'],
    ['PUT', '/v1/tickets', 'GET, HEAD, POST'],
    ['PATCH', '/v1/tickets', 'GET, HEAD, POST'],
    ['OPTIONS', '/v1/tickets', 'GET, HEAD, POST'],
    ['DELETE', `/v1/tickets/${NO_TICKET}`, 'GET, HEAD, PATCH'],
    ['POST', `/v1/tickets/${NO_TICKET}`, 'GET, HEAD, PATCH'],
    ['GET', `/v1/tickets/${NO_TICKET}/messages`, 'POST'],
    ['DELETE', '/v1/openapi.json', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['PUT', '/', 'GET, HEAD'],
  ])('%s %s is 405 and says what the address takes', async (method, path, allow) => {
    const answer = await call(method, `${bellhop.url}${path}`)
    expect(problemOf(answer, 405, 'method_not_allowed').detail).toBe(`This address takes ${allow}.`)
    expect(answer.headers.get('allow')).toBe(allow)
  })

  test('a method nobody knows is refused like a known one', async () => {
    const answer = await rawRequest(bellhop.url, { method: 'PURGE', target: '/v1/tickets' })
    expect([400, 405, 501]).toContain(answer.status)
  })
})
