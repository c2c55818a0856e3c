import { describe, expect, test } from 'bun:test'
import type { Answer } from '../support/bellhop.ts'
import { rawRequest } from '../support/raw-request.ts'
import { problemOf, ticketInput } from '../support/tickets.ts'
import { startUntouched } from './bad-input.ts'

// Whatever is sent: a 4xx problem document that names what is wrong, never a 500, and nothing changed.

const { bellhop, client, ticketId } = await startUntouched()

describe('queries', () => {
  test.each([
    ['?limit=10', 'limit', 'unknown_parameter'],
    ['?Page=1', 'Page', 'unknown_parameter'],
    ['?perPage=10', 'perPage', 'unknown_parameter'],
    ['?q=x', 'q', 'unknown_parameter'],
    ['?status[]=open', 'status[]', 'unknown_parameter'],
    ['?__proto__=1', '__proto__', 'unknown_parameter'],
    ['?constructor=1', 'constructor', 'unknown_parameter'],
    ['?toString=1', 'toString', 'unknown_parameter'],
    ['?=1', '', 'unknown_parameter'],
    ['?page', 'page', 'not_whole_number'],
    ['?page=1&page=2', 'page', 'repeated_parameter'],
    ['?page=1&page=1', 'page', 'repeated_parameter'],
    ['?status=open&status=open', 'status', 'repeated_parameter'],
    ['?tag=a&tag=b', 'tag', 'repeated_parameter'],
    ['?status=open,pending', 'status', 'not_allowed'],
    ['?tag=a%00b', 'tag', 'invalid_text'],
    ['?assignedTo=%00', 'assignedTo', 'invalid_text'],
    ['?cursor=%00', 'cursor', 'invalid_text'],
    ['?per_page=-1', 'per_page', 'not_whole_number'],
    ['?page=0', 'page', 'not_whole_number'],
    ['?page=1%00', 'page', 'invalid_text'],
    ['?page=%D9%A1', 'page', 'not_whole_number'],
    ['?page=null', 'page', 'not_whole_number'],
    ['?page={"a":1}', 'page', 'not_whole_number'],
    ['?sort=created_desc;drop', 'sort', 'not_allowed'],
  ])('%s', async (query, parameter, code) => {
    const { errors } = problemOf(await client.call('GET', `/tickets${query}`), 400, 'invalid_request')
    expect(errors?.map((fault) => [fault.parameter, fault.code])).toEqual([[parameter, code]])
  })

  test('where none is taken', async () => {
    const calls: [string, string, object | undefined][] = [
      ['GET', `/tickets/${ticketId}`, undefined],
      ['POST', '/tickets', ticketInput()],
      ['PATCH', `/tickets/${ticketId}`, { status: 'resolved' }],
      ['POST', `/tickets/${ticketId}/messages`, { text: 'Hello' }],
    ]
    for (const [method, path, body] of calls) {
      const answer = await client.call(method, `${path}?status=open`, { body })
      expect(problemOf(answer, 400, 'invalid_request').errors).toEqual([
        { parameter: 'status', code: 'unknown_parameter', detail: 'Unknown parameter.' },
      ])
    }
  })

  test('of 10,000 characters', async () => {
    for (const query of [
      `?tag=${'x'.repeat(10_000)}`,
      `?${'x'.repeat(10_000)}=1`,
      `?${'a=1&'.repeat(2_500)}`,
    ]) {
      const answer = await client.call('GET', `/tickets${query}`)
      expect(problemOf(answer, 414, 'address_too_long').detail).toBe(
        'The URL can have at most 8192 characters.',
      )
    }
  })

  test('of a thousand parameters name them all in a short answer', async () => {
    const query = Array.from({ length: 1000 }, (_, number) => `p${number}=`).join('&')
    const answer = await client.call('GET', `/tickets?${query}`)
    expect(problemOf(answer, 400, 'invalid_request').errors?.length).toBeGreaterThan(0)
    expect(answer.text.length).toBeLessThan(150_000)
  })

  test('with bytes that are no text find nothing and break nothing', async () => {
    for (const query of ['?tag=%ff', '?tag=%c0%af', '?assignedTo=%ED%A0%80']) {
      const answer = await client.call<{ data: unknown[] }>('GET', `/tickets${query}`)
      expect([query, answer.status, answer.json.data]).toEqual([query, 200, []])
    }
  })

  test('with broken percent signs are refused', async () => {
    for (const query of ['?tag=%', '?tag=%zz', '?tag=a%2']) {
      const answer = await client.call('GET', `/tickets${query}`)
      expect(problemOf(answer, 400, 'invalid_request').errors).toMatchObject([
        { parameter: 'tag', code: 'invalid_encoding' },
      ])
    }
  })
})

describe('paths, sent as they are', () => {
  const send = (target: string, method = 'GET', body?: string) =>
    rawRequest(bellhop.url, {
      method,
      target,
      headers: {
        authorization: `Bearer ${client.key}`,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(body.length) }),
      },
      body,
    })

  test.each([
    '%00',
    'tkt_%00',
    '%ff',
    '%',
    '%zz',
    '%ED%A0%80',
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e%2f',
    '%252e',
    "'%20or%201=1--",
    '%F0%9F%91%8B',
    'tkt_00000000000000000000000000%20',
    'tkt_00000000000000000000000000%0a',
    'tkt_00000000000000000000000000%00',
    'tkt_0000000000000000000000000%30',
    ':id',
    '*',
    'x'.repeat(7_000),
    '%41'.repeat(2_000),
  ])('a ticket called %p', async (id) => {
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', '{}'],
      ['POST', '/messages', '{"text":"Hello"}'],
    ] as const) {
      const answer = await send(`/v1/tickets/${id}${path}`, method, body)
      isRefused(answer, [400, 404])
    }
  })

  test.each(['%00', 'user%004711'])('an external id %p can’t be stored', async (externalId) => {
    const answer = await send(`/v1/customers/external/${externalId}`, 'PUT', '{"name":"Ana"}')
    expect(problemOf(answer, 400, 'invalid_request').errors).toMatchObject([
      { parameter: 'externalId', code: 'invalid_text' },
    ])
  })

  test.each(['%ED%A0%80', '%FF', '%C0%AF', 'a%2', '%', '%zz'])(
    'an external id %p would be read as another one',
    async (externalId) => {
      const answer = await send(`/v1/customers/external/${externalId}`, 'PUT', '{"name":"Ana"}')
      expect(problemOf(answer, 400, 'invalid_request').errors).toMatchObject([{ code: 'invalid_encoding' }])
    },
  )

  test.each([
    ['GET', '/v1/tickets/%00', undefined],
    ['GET', '/v1/customers/%00', undefined],
    ['PATCH', '/v1/customers/%00', '{}'],
    ['POST', '/v1/customers/%00/merge', '{"from":"usr_00000000000000000000000000"}'],
    ['POST', '/v1/tickets/%00/merge', '{"from":"tkt_00000000000000000000000000"}'],
    ['GET', '/v1/attachments/%00', undefined],
    ['PUT', '/v1/tickets/%00/messages/%00', '{"text":"Hello"}'],
  ] as const)('%s %s finds nothing', async (method, target, body) => {
    problemOf(await send(target, method, body), 404, 'not_found')
  })

  test.each([
    '/v1/tickets/../tickets/x',
    '/v1/./x',
    '/v1/tickets/../../etc/passwd',
    '//v1/tickets/',
    '/%76%31/x',
    '/v1/tickets%2f',
  ])('%s', async (target) => {
    isRefused(await send(target), [400, 404])
  })

  test.each(['/v1/tickets/%', '/%', '/%ff/%00', '/docs/../../etc/passwd'])(
    '%s without a key',
    async (target) => {
      isRefused(await rawRequest(bellhop.url, { method: 'GET', target }), [400, 401, 404])
    },
  )

  test('an address of 10,000 characters that is not there', async () => {
    const answer = await send(`/${'x'.repeat(10_000)}`)
    isRefused(answer, [404, 414])
    expect(answer.text.length).toBeLessThan(1000)
  })

  test.each([100_000, 500_000])(
    'an address of %d characters is more than headers may have',
    async (length) => {
      const answer = await send(`/v1/tickets/${'x'.repeat(length)}`)
      expect([answer.status, answer.headers.get('connection')]).toEqual([431, 'close'])
    },
  )
})

function isRefused(answer: Answer<unknown>, statuses: number[]): void {
  expect(statuses, answer.text.slice(0, 300)).toContain(answer.status)
  const { code } = JSON.parse(answer.text || '{}')
  problemOf(answer, answer.status, code ?? 'a problem document')
}
