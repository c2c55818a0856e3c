import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { StorageError } from '../../server/database/database.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { type Client, call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { storedRows } from '../support/stored-rows.ts'
import { makeTicket, NO_TICKET, problemOf, ticketInput } from '../support/tickets.ts'

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
      { pointer: '/customer/a~1b~0c', code: 'unknown_field', detail: 'Unknown field.' },
      { pointer: '/customer/email', code: 'invalid_format', detail: 'Must be an email address.' },
      { pointer: '/customer/phone', code: 'unknown_field', detail: 'Unknown field.' },
      { pointer: '/message', code: 'required', detail: 'This field is required.' },
      { pointer: '/priority', code: 'unknown_field', detail: 'Unknown field.' },
      { pointer: '/subject', code: 'wrong_type', detail: 'Must be a string.' },
      { pointer: '/tags/1', code: 'too_short', detail: 'Must have at least 1 character.' },
      { pointer: '/tags/2', code: 'wrong_type', detail: 'Must be a string.' },
    ])
    expect(problem.detail).toBe('9 fields are invalid.')
  })
})

describe('checks come in the order 401, 403, 429, then the input', () => {
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

describe('our own faults', () => {
  test('are 500 without a detail of what broke, and the log has it under the request id', async () => {
    const own = await startBellhop()
    const client = await own.organization()
    await makeTicket(client)
    // A ticket as no version of ours would have written it: its tags are not JSON.
    await own.deps.database.write(undefined, async (tx) => {
      await tx.update(tickets).set({ tags: sql`'secret-word'` })
    })
    const answer = await client.call('GET', '/tickets', { headers: { 'x-request-id': 'trace-7' } })
    const problem = problemOf(answer, 500, 'internal_error')
    expect(problem.detail).toBe(
      'Something went wrong on the server. Try again. To find the cause, search the server log for the request id.',
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
    expect(problem.detail).toBe("The change couldn't be saved. Nothing changed. Try again.")
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
