import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { StorageError } from '../../server/database/database.ts'
import { tickets } from '../../server/database/schema.ts'
import { type Answer, type Client, call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { rawRequest } from '../support/raw-request.ts'
import { storedRows } from '../support/stored-rows.ts'
import { listTickets, makeTicket, NO_TICKET, problemOf, ticketInput } from '../support/tickets.ts'

// Specification, section 7, and the contract: problem documents, the order of checks, further statuses, request ids.

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
beforeEach(() => clock.advance(61_000))

const KIB = 1024

describe('a problem document (RFC 9457)', () => {
  test('has these members and no others', async () => {
    const client = await bellhop.organization()
    const answer = await client.call('GET', `/tickets/${NO_TICKET}`, {
      headers: { 'x-request-id': 'mine-1' },
    })
    expect(JSON.parse(answer.text)).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'There is no ticket with this id.',
      code: 'not_found',
      requestId: 'mine-1',
    })
  })

  test('names every fault of a body at once, by pointer, with a code and what would be right', async () => {
    const client = await bellhop.organization()
    const body = {
      subject: 7,
      channel: 'email',
      customer: { email: 'nobody', phone: '1', 'a/b~c': 1 },
      tags: ['ok', '', 3],
      priority: 'high',
    }
    const problem = problemOf(await client.call('POST', '/tickets', { body }), 400, 'invalid_request')
    expect(
      problem.errors?.toSorted((one, other) => ((one.pointer ?? '') < (other.pointer ?? '') ? -1 : 1)),
    ).toEqual([
      { pointer: '/channel', code: 'not_allowed', detail: 'Must be api.' },
      { pointer: '/customer/a~1b~0c', code: 'unknown_field', detail: 'This field is not known here.' },
      { pointer: '/customer/email', code: 'invalid_format', detail: 'Must be an e-mail address.' },
      { pointer: '/customer/phone', code: 'unknown_field', detail: 'This field is not known here.' },
      { pointer: '/message', code: 'required', detail: 'This field is required.' },
      { pointer: '/priority', code: 'unknown_field', detail: 'This field is not known here.' },
      { pointer: '/subject', code: 'wrong_type', detail: 'Must be a string.' },
      { pointer: '/tags/1', code: 'too_short', detail: 'Needs at least 1 character.' },
      { pointer: '/tags/2', code: 'wrong_type', detail: 'Must be a string.' },
    ])
    expect(problem.detail).toBe('9 fields are wrong.')
  })
})

describe('checks come in the order 401, 403, 429, then what was sent', () => {
  const bad: [string, string, string][] = [
    ['a body that is no JSON', 'POST', '/tickets'],
    ['a query that is unknown', 'GET', '/tickets?x=1'],
    ['a ticket that is not there', 'GET', `/tickets/${NO_TICKET}`],
    ['a change of a ticket that is not there', 'PATCH', `/tickets/${NO_TICKET}`],
    ['a message to a ticket that is not there', 'POST', `/tickets/${NO_TICKET}/messages`],
  ]

  test.each(bad)('with %s', async (_, method, path) => {
    const owner = await bellhop.organization()
    const raw = method === 'GET' ? undefined : '{"broken'
    const ask = (client: Client) =>
      client.call(method, path, { raw, headers: { 'content-type': 'text/plain' } })
    problemOf(await call(method, `${bellhop.url}/v1${path}`, { raw }), 401, 'unauthorized')
    problemOf(await ask(await owner.withKey({ kind: 'public' })), 403, 'public_key')
    const scopes = path.endsWith('messages') ? ['tickets:read' as const] : ['messages:write' as const]
    problemOf(await ask(await owner.withKey({ scopes })), 403, 'missing_scope')
    const spent = await owner.withKey({ rateLimit: 1 })
    await spent.call('GET', '/tickets')
    problemOf(await ask(spent), 429, 'rate_limited')
    expect([400, 404, 415]).toContain((await ask(owner)).status)
  })

  test('a stranger with a body of 300 KiB is 401 like any other', async () => {
    const raw = 'x'.repeat(300 * KIB)
    problemOf(await call('POST', `${bellhop.url}/v1/tickets`, { raw }), 401, 'unauthorized')
  })
})

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

describe('request ids', () => {
  test('every answer has one of its own, errors repeat it', async () => {
    const client = await bellhop.organization()
    const answers = [
      await client.call('GET', '/tickets'),
      await client.call('GET', '/tickets'),
      await client.call('POST', '/tickets', { body: ticketInput() }),
      await client.call('GET', `/tickets/${NO_TICKET}`),
      await call('GET', `${bellhop.url}/v1/tickets`),
      await call('GET', `${bellhop.url}/nowhere`),
      await call('GET', `${bellhop.url}/v1/openapi.json`),
      await call('GET', `${bellhop.url}/docs`),
      await call('GET', `${bellhop.url}/health/live`),
    ]
    const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '')
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-z]{26}$/)
    expect(new Set(ids).size).toBe(ids.length)
    expect(JSON.parse(answers[3]?.text ?? '').requestId).toBe(ids[3])
  })

  test.each(['trace-1', 'A.b_c:d/e+f=g', '4bf92f3577b34da6a3ce929d0e0e4736', 'x'.repeat(128)])(
    "the caller's own %p is kept",
    async (id) => {
      const client = await bellhop.organization()
      const headers = { 'x-request-id': id }
      expect((await client.call('GET', '/tickets', { headers })).headers.get('x-request-id')).toBe(id)
      const refused = await client.call('GET', `/tickets/${NO_TICKET}`, { headers })
      expect(problemOf(refused, 404, 'not_found').requestId).toBe(id)
    },
  )

  test.each(['', 'x'.repeat(129), 'a b', '<b>', '"', 'ü', 'a,b', 'a\tb'])(
    'an unsafe %p is replaced',
    async (id) => {
      const client = await bellhop.organization()
      const answer = await client.call('GET', '/tickets', { headers: { 'x-request-id': id } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
    },
  )
})

describe('bodies', () => {
  test.each([
    ['text/plain'],
    ['text/json'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/jsonp'],
    ['application/json, text/plain'],
    ['application/json; charset=latin1'],
    ['application/merge-patch+json'],
    [''],
  ])('%p is 415', async (type) => {
    const client = await bellhop.organization()
    const raw = JSON.stringify(ticketInput())
    const answer = await client.call('POST', '/tickets', { raw, headers: { 'content-type': type } })
    expect(problemOf(answer, 415, 'unsupported_media_type').detail).toBe(
      'Send the body as Content-Type: application/json.',
    )
    expect((await listTickets(client)).meta.total).toBe(0)
  })

  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('%p is taken', async (type) => {
    const client = await bellhop.organization()
    const raw = JSON.stringify(ticketInput())
    const answer = await client.call('POST', '/tickets', { raw, headers: { 'content-type': type } })
    expect(answer.status).toBe(201)
  })

  test('a compressed body is 415', async () => {
    const client = await bellhop.organization()
    const raw = Bun.gzipSync(Buffer.from(JSON.stringify(ticketInput())))
    const answer = await client.call('POST', '/tickets', { raw, headers: { 'content-encoding': 'gzip' } })
    problemOf(answer, 415, 'unsupported_media_type')
  })

  test('of exactly 256 KiB are read, one byte more is 413', async () => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client)
    const padded = (bytes: number) => {
      const raw = JSON.stringify({ text: 'Hello' })
      return raw + ' '.repeat(bytes - raw.length)
    }
    const post = (raw: string) => client.call('POST', `/tickets/${id}/messages`, { raw })
    expect((await post(padded(256 * KIB))).status).toBe(201)
    const answer = await post(padded(256 * KIB + 1))
    expect(problemOf(answer, 413, 'body_too_large').detail).toBe('The body may have at most 262144 bytes.')
    for (const [method, path] of [
      ['POST', '/tickets'],
      ['PATCH', `/tickets/${id}`],
    ] as const) {
      problemOf(await client.call(method, path, { raw: padded(300 * KIB) }), 413, 'body_too_large')
    }
  })

  test('that do not say how long they are may not be longer either', async () => {
    const client = await bellhop.organization()
    const send = (chunks: number) =>
      fetch(`${bellhop.url}/v1/tickets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
        body: chunked([
          JSON.stringify(ticketInput()),
          ...Array.from({ length: chunks }, () => ' '.repeat(KIB)),
        ]),
      })
    expect((await send(100)).status).toBe(201)
    const refused = await send(257)
    const answer: Answer<unknown> = {
      status: refused.status,
      headers: refused.headers,
      text: await refused.text(),
      json: undefined,
    }
    problemOf(answer, 413, 'body_too_large')
    expect((await listTickets(client)).meta.total).toBe(1)
  })

  test('of many megabytes get a problem document too', async () => {
    const client = await bellhop.organization()
    const raw = new Uint8Array(16 * KIB * KIB).fill(0x20)
    problemOf(await client.call('POST', '/tickets', { raw }), 413, 'body_too_large')
  })

  test('announced as immense are refused before they are sent', async () => {
    const client = await bellhop.organization()
    const headers = {
      authorization: `Bearer ${client.key}`,
      'content-type': 'application/json',
      'content-length': '99999999999',
    }
    const answer = await rawRequest(bellhop.url, { method: 'POST', target: '/v1/tickets', headers })
    expect(answer.status).toBe(413)
  })
})

describe('our own faults', () => {
  test('are 500 without a detail of what broke, and the log has it under the request id', async () => {
    const own = await startBellhop()
    const client = await own.organization()
    const { id } = await makeTicket(client)
    // A ticket as no version of ours would have written it: its answer would break the contract.
    await own.deps.database.write(async (tx) => {
      await tx.update(tickets).set({ status: sql`'secret-word'` })
    })
    const answer = await client.call('GET', `/tickets/${id}`, { headers: { 'x-request-id': 'trace-7' } })
    const problem = problemOf(answer, 500, 'internal_error')
    expect(problem.detail).toBe(
      'Something went wrong on the server. Try again; the request id helps us find it.',
    )
    expect(answer.text).not.toMatch(/secret-word|status.*literal|stack|at /)
    const lines = own.logLines
      .map((line) => JSON.parse(line))
      .filter(({ requestId }) => requestId === 'trace-7')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ level: 'error', event: 'request_failed' })
    await own.stop()
  })

  test('when the change cannot be stored it is 503, says so, and nothing was changed', async () => {
    const own = await startBellhop()
    const client = await own.organization()
    await makeTicket(client)
    const before = await storedRows(own.deps)
    const { write } = own.deps.database
    // What a closed or full storage throws; the real disk is filled in test/database.
    own.deps.database.write = async () => {
      throw new StorageError('The disk refused the change.', { cause: new Error('/data/bellhop.db is full') })
    }
    const answer = await client.call('POST', '/tickets', { body: ticketInput() })
    const problem = problemOf(answer, 503, 'storage_unavailable')
    expect(problem.detail).toBe('The change could not be stored. Nothing was changed; try again.')
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(own.logLines.some((line) => line.includes(problem.requestId) && line.includes('is full'))).toBe(
      true,
    )
    own.deps.database.write = write
    expect(await storedRows(own.deps)).toEqual(before)
    expect((await client.call('POST', '/tickets', { body: ticketInput() })).status).toBe(201)
    await own.stop()
  })

  test('what callers get wrong is not logged as a fault, and bodies never are', async () => {
    const client = await bellhop.organization()
    const from = bellhop.logLines.length
    await client.call('POST', '/tickets', { body: ticketInput({ subject: 'private words', nonsense: 1 }) })
    await client.call('POST', '/tickets', { body: ticketInput({ subject: 'private words' }) })
    await client.call('GET', `/tickets/${NO_TICKET}`)
    const lines = bellhop.logLines.slice(from).join('\n')
    expect(lines).not.toContain('private words')
    expect(lines).not.toContain('"level":"error"')
  })
})

function chunked(parts: string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const left = [...parts]
  return new ReadableStream({
    pull(controller) {
      const part = left.shift()
      if (part === undefined) controller.close()
      else controller.enqueue(encoder.encode(part))
    },
  })
}
