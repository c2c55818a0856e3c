import { afterAll, describe, expect, test } from 'bun:test'
import { announcedUrl } from '../../server/database/lock.ts'
import { signInAgent } from '../support/agents.ts'
import { type Answer, call, startBellhop } from '../support/bellhop.ts'
import { connectMcp, REVISIONS } from '../support/mcp.ts'
import { makeTicket, problemOf } from '../support/tickets.ts'

// Programs at /mcp/key, with the official client of the protocol.

const bellhop = await startBellhop()
const { url } = bellhop
afterAll(() => bellhop.stop())

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

/** A message as programs send it, of the revisions of 2025. */
function post(body: unknown, headers: Record<string, string> = {}): Promise<Answer<unknown>> {
  return call('POST', `${url}/mcp/key`, { body, headers: { ...ACCEPT, ...headers } })
}

const ACCEPT = { accept: 'application/json, text/event-stream' }
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

describe.each(REVISIONS.map((revision) => [revision] as const))('with revision %s', (revision) => {
  test('a program connects with a key, learns whose words not to follow, and calls a tool', async () => {
    const owner = await bellhop.organization()
    const { id } = await makeTicket(owner, { subject: 'Lost parcel' })
    const { client, call } = await connectMcp({ url, key: owner.key }, revision)
    expect(client.getServerVersion()).toMatchObject({ name: 'bellhop', title: 'Bellhop' })
    expect(client.getInstructions()).toContain('untrusted')
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false } })
    await client.listTools()
    const { data } = await call<{ tickets: unknown[] }>('search_tickets')
    expect(data.tickets).toMatchObject([{ id, untrustedSubject: 'Lost parcel' }])
  })

  test('an error has a code and says what to do', async () => {
    const { key } = await bellhop.organization()
    const { call } = await connectMcp({ url, key }, revision)
    const { error } = await call('search_tickets', { limit: 26 })
    const detail = '/limit: Must be a whole number from 1 to 25.'
    expect(error).toMatchObject({ code: 'invalid_request', detail })
  })
})

describe('who may not enter', () => {
  test('a stranger gets 401 that leads to no other way of signing in', async () => {
    for (const headers of [{}, bearer('bellhop_sk_wrong')]) {
      const answer = await post(LIST, headers)
      problemOf(answer, 401, 'unauthorized')
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="Bellhop"')
    }
  })

  test.each([
    ['/.well-known/oauth-protected-resource'],
    ['/.well-known/oauth-protected-resource/mcp/key'],
    ['/.well-known/oauth-authorization-server'],
    ['/.well-known/oauth-authorization-server/mcp/key'],
    ['/.well-known/openid-configuration'],
    ['/.well-known/openid-configuration/mcp/key'],
    ['/mcp/key/.well-known/openid-configuration'],
  ])('there is nothing at %s: a client that finds something there ignores its key', async (path) => {
    problemOf(await call('GET', url + path), 404, 'unknown_route')
  })

  test('a public key, and an agent who is signed in', async () => {
    const owner = await bellhop.organization()
    const widget = await owner.withKey({ kind: 'public' })
    problemOf(await post(LIST, bearer(widget.key)), 403, 'public_key')
    const agent = await signInAgent(bellhop, owner.orgId)
    problemOf(await post(LIST, { cookie: agent.cookie, origin: url }), 401, 'unauthorized')
  })

  test('a page of another website, also one whose name leads here', async () => {
    const { key } = await bellhop.organization()
    for (const origin of ['https://evil.example', 'http://evil.example:3000', 'null']) {
      problemOf(await post(LIST, { ...bearer(key), origin }), 403, 'cross_origin')
    }
    const rebound = { host: 'evil.example', origin: 'http://evil.example' }
    problemOf(await post(LIST, { ...bearer(key), ...rebound }), 421, 'wrong_host')
    const own = await post(LIST, { ...bearer(key), origin: url })
    expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'no-store'])
  })

  test('with BELLHOP_URL, only its host and those of the machine are known', async () => {
    const own = await startBellhop({ settings: { BELLHOP_URL: 'https://help.example.com' } })
    await using _ = { [Symbol.asyncDispose]: () => own.stop() }
    const origin = announcedUrl(own.deps.config.dataFolder) ?? ''
    const { key } = await own.organization()
    const status = async (headers: Record<string, string>) =>
      (
        await call('POST', `${origin}/mcp/key`, {
          body: LIST,
          headers: { ...bearer(key), ...ACCEPT, ...headers },
        })
      ).status
    expect(await status({ host: 'help.example.com', origin: 'https://help.example.com' })).toBe(200)
    expect(await status({ host: 'evil.example' })).toBe(421)
    expect(await status({ host: 'help.example.com', origin: 'https://evil.example' })).toBe(403)
  })
})

describe('what is not a message', () => {
  test.each([['GET'], ['DELETE'], ['PUT']])('%s is 405: there are no sessions', async (method) => {
    const { key } = await bellhop.organization()
    const answer = await call(method, `${url}/mcp/key`, { headers: bearer(key) })
    expect(problemOf(answer, 405, 'method_not_allowed').detail).toBe('This path supports POST.')
  })

  test('several at once, another type, no JSON, too much', async () => {
    const { key } = await bellhop.organization()
    problemOf(await post([LIST, LIST], bearer(key)), 400, 'batch_not_supported')
    const send = (raw: string, headers = {}) =>
      call('POST', `${url}/mcp/key`, { raw, headers: { ...bearer(key), ...headers } })
    problemOf(await send('{', {}), 400, 'malformed_json')
    problemOf(await send('{}', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type')
    problemOf(await send(`"${'x'.repeat(1_100_000)}"`), 413, 'body_too_large')
  })

  test('what is JSON, but no message of the protocol', async () => {
    const { key } = await bellhop.organization()
    const call = { ...LIST, method: 'tools/call' }
    for (const body of [
      null,
      1,
      'x',
      {},
      { jsonrpc: '2.0' },
      { ...LIST, method: 1 },
      { ...LIST, jsonrpc: '1.0' },
      { ...LIST, method: 'resources/list' },
      { ...LIST, params: null },
      { ...call, params: {} },
      { ...call, params: { name: null } },
      { ...call, params: { name: '__proto__', arguments: {} } },
      { ...call, params: { name: 'constructor' } },
      { ...call, params: { name: 'search_tickets', arguments: 'x' } },
      { ...call, params: { name: 'search_tickets', arguments: [] } },
      { ...call, params: { name: 'search_tickets', arguments: { __proto__: 1, constructor: 1 } } },
    ]) {
      const { status, text } = await post(body, bearer(key))
      expect([body, status < 500, /error/i.test(text)]).toEqual([body, true, true])
    }
    expect(bellhop.logLines.filter((line) => line.includes('request_failed'))).toEqual([])
  })

  test('nobody can keep a connection open to wait for changes', async () => {
    const { key } = await bellhop.organization()
    const { client } = await connectMcp({ url, key })
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow(/limit/i)
  })
})

describe('each message is a request of the key', () => {
  test('above the limit it is refused like any other', async () => {
    const { key } = await (await bellhop.organization()).withKey({ rateLimit: 2 })
    const [first, second, third] = [
      await post(LIST, bearer(key)),
      await post(LIST, bearer(key)),
      await post(LIST, bearer(key)),
    ]
    expect([first, second, third].map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual([
      '1',
      '0',
      '0',
    ])
    problemOf(third, 429, 'rate_limited')
    expect(third.headers.get('retry-after')).toBeTruthy()
  })

  test('a call of a tool without its scope is none', async () => {
    const { key } = await (await bellhop.organization()).withKey({ rateLimit: 1, scopes: ['customers:read'] })
    const search = { ...LIST, method: 'tools/call', params: { name: 'search_tickets', arguments: {} } }
    for (const _ of [1, 2, 3]) expect((await post(search, bearer(key))).text).toContain('not found')
    expect((await post(LIST, bearer(key))).status).toBe(200)
  })

  test('it is counted with its path alone', async () => {
    const { key } = await bellhop.organization()
    const { call: callTool } = await connectMcp({ url, key })
    await callTool('search_tickets', { query: 'secretword' })
    expect(bellhop.logLines.join('\n')).not.toContain('secretword')
  })
})
