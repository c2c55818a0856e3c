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
    ['/v1/tickets/a/messages/b/c'],
    ['/v2/tickets'],
    ['/tickets'],
    ['/v1/Tickets'],
    ['/v1//tickets'],
    ['/favicon.ico'],
  ])('%s is 404 with a problem document; below /v1 a stranger does not even learn that', async (path) => {
    const { key } = await bellhop.organization()
    const ask = (headers?: Record<string, string>) => call('GET', `${bellhop.url}${path}`, { headers })
    problemOf(await ask({ authorization: `Bearer ${key}` }), 404, 'unknown_route')
    if (path.startsWith('/v1/')) problemOf(await ask(), 401, 'unauthorized')
    else problemOf(await ask(), 404, 'unknown_route')
  })

  test.each([
    ['DELETE', '/v1/tickets', 'GET, HEAD, POST'],
    ['PUT', '/v1/tickets', 'GET, HEAD, POST'],
    ['PATCH', '/v1/tickets', 'GET, HEAD, POST'],
    ['PUT', `/v1/tickets/${NO_TICKET}`, 'DELETE, GET, HEAD, PATCH'],
    ['POST', `/v1/tickets/${NO_TICKET}`, 'DELETE, GET, HEAD, PATCH'],
    ['PATCH', `/v1/tickets/${NO_TICKET}/messages`, 'GET, HEAD, POST'],
    ['PUT', '/v1/tickets/bulk', 'POST'],
    ['PATCH', '/v1/customers/external/crm-1', 'PUT'],
    ['DELETE', '/v1/openapi.json', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['PUT', '/', 'GET, HEAD'],
  ])('%s %s is 405 and says what the address takes', async (method, path, allow) => {
    const { key } = await bellhop.organization()
    const answer = await call(method, `${bellhop.url}${path}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(problemOf(answer, 405, 'method_not_allowed').detail).toBe(`This path supports ${allow}.`)
    expect(answer.headers.get('allow')).toBe(allow)
  })

  test('a preflight request gets only the methods of its own path', async () => {
    const allowed = async (path: string) =>
      (await call('OPTIONS', `${bellhop.url}/v1${path}`)).headers.get('allow')
    expect(await allowed('/tickets/bulk')).toBe('POST')
    expect(await allowed(`/tickets/${NO_TICKET}`)).toBe('DELETE, GET, HEAD, PATCH')
  })

  test('what /v1 does not have is refused after the key, the permission and the limit', async () => {
    const owner = await bellhop.organization()
    problemOf(await call('DELETE', `${bellhop.url}/v1/tickets`), 401, 'unauthorized')
    const widget = await owner.withKey({ kind: 'public' })
    problemOf(await widget.call('DELETE', '/tickets'), 403, 'public_key')
    const slow = await owner.withKey({ rateLimit: 1, scopes: ['messages:write'] })
    const counted = await slow.call('GET', '/nope')
    problemOf(counted, 404, 'unknown_route')
    expect(counted.headers.get('x-ratelimit-remaining')).toBe('0')
    problemOf(await slow.call('DELETE', '/tickets'), 429, 'rate_limited')
  })

  test('an unknown method is refused like a known one', async () => {
    const answer = await rawRequest(bellhop.url, { method: 'PURGE', target: '/v1/tickets' })
    expect([400, 401, 405, 501]).toContain(answer.status)
  })
})
