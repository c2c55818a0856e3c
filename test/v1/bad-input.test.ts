import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { rawRequest } from '../support/raw-request.ts'
import { storedRows } from '../support/stored-rows.ts'
import { makeTicket, NO_TICKET, problemOf, ticketInput } from '../support/tickets.ts'

// Whatever is sent: a 4xx problem document that names what is wrong, never a 500, and nothing changed.

const bellhop = await startBellhop({
  clock: createManualClock(),
  settings: { BELLHOP_RATE_LIMIT: '1000000' },
})
afterAll(() => bellhop.stop())

let client: Client
let ticketId: string
let before: Record<string, string[]>

beforeAll(async () => {
  client = await bellhop.organization()
  ticketId = (await makeTicket(client, { tags: ['vip'] })).id
})
beforeEach(async () => {
  before = await storedRows(bellhop.deps)
})
afterEach(async () => {
  expect(await storedRows(bellhop.deps)).toEqual(before)
})

const create = (more: Record<string, unknown>) => client.call('POST', '/tickets', { body: ticketInput(more) })
const createRaw = (raw: string | Uint8Array<ArrayBuffer>) => client.call('POST', '/tickets', { raw })

describe('values of the wrong kind', () => {
  const wrong: [field: string, value: unknown][] = [
    ...['subject', 'message', 'channel', 'tags', 'customer'].flatMap((field) =>
      [null, 0, 1.5, true, {}, [[]], -1e308].map((value): [string, unknown] => [field, value]),
    ),
    ['subject', ['Missing invoice']],
    ['customer', 'ana@example.com'],
    ['customer', []],
    ['tags', 'vip'],
    ['tags', { 0: 'vip' }],
    ['tags', [null]],
    ['tags', [['vip']]],
    ['tags', ['vip', 7]],
  ]
  test.each(wrong)('%s as %j', async (field, value) => {
    const { errors } = problemOf(await create({ [field]: value }), 400, 'invalid_request')
    expect(errors?.length).toBeGreaterThan(0)
    for (const { pointer } of errors ?? []) expect(pointer).toStartWith(`/${field}`)
  })

  test.each([
    ['name', null],
    ['name', 7],
    ['email', null],
    ['email', ['ana@example.com']],
  ])('customer.%s as %j', async (field, value) => {
    const customer = { email: 'ana@example.com', [field]: value }
    const { errors } = problemOf(await create({ customer }), 400, 'invalid_request')
    expect(errors).toEqual([
      { pointer: `/customer/${field}`, code: 'wrong_type', detail: 'Must be a string.' },
    ])
  })

  test.each<[string, unknown]>([
    ['status', null],
    ['status', ''],
    ['status', 'Open'],
    ['status', 'open '],
    ['status', 'closed'],
    ['status', ['open']],
    ['assignedTo', 7],
    ['assignedTo', {}],
    ['assignedTo', 'a'.repeat(65)],
    ['tags', null],
    ['tags', 'vip'],
    ['tags', ['']],
    ['tags', [' ']],
    ['subject', 'Other'],
    ['channel', 'email'],
    ['customer', { name: 'Eva' }],
    ['messages', []],
    ['id', NO_TICKET],
    ['orgId', 'org_00000000000000000000000000'],
    ['createdAt', '2020-01-01T00:00:00.000Z'],
    ['updatedAt', '2020-01-01T00:00:00.000Z'],
  ])('a change of %s to %j', async (field, value) => {
    const answer = await client.call('PATCH', `/tickets/${ticketId}`, { body: { [field]: value } })
    const { errors } = problemOf(answer, 400, 'invalid_request')
    expect(errors?.[0]?.pointer).toStartWith(`/${field}`)
  })

  test.each(['role', 'agentName', 'id', 'createdAt', 'Text', 'text '])('a message with %p', async (field) => {
    const body = { text: 'Hello', [field]: 'customer' }
    const answer = await client.call('POST', `/tickets/${ticketId}/messages`, { body })
    expect(problemOf(answer, 400, 'invalid_request').errors).toEqual([
      { pointer: `/${field}`, code: 'unknown_field', detail: 'This field is not known here.' },
    ])
  })

  test.each(['[]', 'null', 'true', '7', '"text"', '[{"subject":"x"}]'])('a body of %s', async (raw) => {
    for (const [method, path] of [
      ['POST', '/tickets'],
      ['PATCH', `/tickets/${ticketId}`],
      ['POST', `/tickets/${ticketId}/messages`],
    ] as const) {
      const problem = problemOf(await client.call(method, path, { raw }), 400, 'invalid_request')
      expect(problem.errors).toEqual([{ pointer: '', code: 'wrong_type', detail: 'Must be an object.' }])
    }
  })
})

describe('addresses that are none', () => {
  test.each([
    '',
    ' ',
    '@',
    'ana',
    'ana@',
    '@example.com',
    'ana@@example.com',
    'ana@example..com',
    'ana@.example.com',
    'ana@-example.com',
    'ana @example.com',
    ' ana@example.com',
    'ana@example.com ',
    'ana@example.com\n',
    'ana@exa mple.com',
    'Ana <ana@example.com>',
    'mailto:ana@example.com ',
    'ana@example.com,eva@example.com',
    'ana\u0007@example.com',
    'ana@example.com\r\nBcc: eva@example.com',
  ])('%j', async (email) => {
    const { errors } = problemOf(await create({ customer: { email } }), 400, 'invalid_request')
    expect(errors).toEqual([
      { pointer: '/customer/email', code: 'invalid_format', detail: 'Must be an e-mail address.' },
    ])
  })
})

describe('bodies that are no JSON', () => {
  const bytes = (...values: number[]) => Uint8Array.from(values)
  test.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ['nothing', ''],
    ['blanks', '  \n'],
    ['half an object', '{"subject":"x"'],
    ['a trailing comma', '{"subject":"x",}'],
    ['single quotes', "{'subject':'x'}"],
    ['a comment', '{/**/}'],
    ['two values', '{}{}'],
    ['a raw line break in a text', '{"subject":"a\nb"}'],
    ['a raw NUL', '{"subject":"a\0b"}'],
    ['NaN', '{"subject":NaN}'],
    ['an unknown escape', '{"subject":"\\x41"}'],
    ['a form', 'subject=x&message=y'],
    ['XML', '<ticket/>'],
    ['bytes that are no UTF-8', bytes(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ['an overlong encoding', bytes(0x22, 0xc0, 0xaf, 0x22)],
    ['an encoded surrogate', bytes(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ['UTF-16', new Uint8Array(Buffer.from('\ufeff{}', 'utf16le'))],
    ['100,000 open brackets', '['.repeat(100_000)],
  ])('%s', async (_, raw) => {
    const problem = problemOf(await createRaw(raw), 400, 'malformed_json')
    expect(problem.detail).toBe('The body is not valid JSON in UTF-8.')
  })
})

describe('JSON that means harm', () => {
  const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)
  test.each<[string, string]>([
    ['100,000 nested lists', deep('[', ']', 100_000)],
    ['nested lists in an unknown field', `{"subject":"x","deep":${deep('[', ']', 100_000)}}`],
    ['nested lists as a text', `{"subject":${deep('[', ']', 100_000)}}`],
    ['nested lists as tags', `{"tags":${deep('[', ']', 100_000)}}`],
    ['nested lists beside an escape', `{"subject":"\\u0041","deep":${deep('[', ']', 100_000)}}`],
    ['40,000 nested objects', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`],
    [
      'nested objects beside an escape',
      `{"subject":"\\u0041","deep":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_001)}`,
    ],
    ['60,000 empty texts as tags', `{"tags":[${Array(60_000).fill('""').join()}]}`],
    ['20,000 unknown fields', `{${Array.from({ length: 20_000 }, (_, n) => `"f${n}":1`).join()}}`],
    ['a field name of 200,000 characters', `{"${'x'.repeat(200_000)}":1}`],
  ])('%s', async (_, raw) => {
    const answer = await createRaw(raw)
    problemOf(answer, 400, answer.text.includes('malformed_json') ? 'malformed_json' : 'invalid_request')
    expect(answer.text.length).toBeLessThan(raw.length + 1000)
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', '$ref', '', '/', '~'])(
    'a field called %j',
    async (name) => {
      const value = name === '__proto__' ? '{"subject":"polluted"}' : '1'
      const raw = `{"subject":"x","message":"y","customer":{"email":"a@b.co"},${JSON.stringify(name)}:${value}}`
      const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      expect(problemOf(await createRaw(raw), 400, 'invalid_request').errors).toEqual([
        { pointer, code: 'unknown_field', detail: 'This field is not known here.' },
      ])
      const inside = `{"subject":"x","message":"y","customer":{"email":"a@b.co",${JSON.stringify(name)}:${value}}}`
      expect(problemOf(await createRaw(inside), 400, 'invalid_request').errors?.[0]?.pointer).toBe(
        `/customer${pointer}`,
      )
    },
  )

  test('required fields hidden in a prototype', async () => {
    const raw = `{"__proto__":${JSON.stringify(ticketInput())}}`
    const { errors } = problemOf(await createRaw(raw), 400, 'invalid_request')
    expect(errors?.map(({ pointer }) => pointer)).toContain('/subject')
    expect(({} as Record<string, unknown>).subject).toBeUndefined()
  })

  test('numbers beyond any measure', async () => {
    for (const number of ['1e400', '-1e400', '9'.repeat(400), '0.0000000000000000000001']) {
      const { errors } = problemOf(await createRaw(`{"subject":${number}}`), 400, 'invalid_request')
      expect(errors).toContainEqual({ pointer: '/subject', code: 'wrong_type', detail: 'Must be a string.' })
    }
  })
})

describe('text that cannot be kept', () => {
  const broken = {
    NUL: '\\u0000',
    'half a pair': '\\ud83d',
    'the other half': '\\udc4b',
    'a pair backwards': '\\udc4b\\ud83d',
  }
  test.each(Object.entries(broken))('%s in any text of a ticket', async (_, text) => {
    const bodies: [string, string][] = [
      ['/subject', `{"subject":"a${text}b","message":"y","customer":{"email":"a@b.co"}}`],
      ['/message', `{"subject":"x","message":"${text}","customer":{"email":"a@b.co"}}`],
      ['/customer/name', `{"subject":"x","message":"y","customer":{"email":"a@b.co","name":"A${text}"}}`],
      ['/customer/email', `{"subject":"x","message":"y","customer":{"email":"a${text}@b.co"}}`],
      ['/tags/1', `{"subject":"x","message":"y","customer":{"email":"a@b.co"},"tags":["ok","${text}"]}`],
      ['', `{"subject":"x","message":"y","customer":{"email":"a@b.co"},"${text}":1}`],
    ]
    for (const [pointer, raw] of bodies) {
      expect(problemOf(await createRaw(raw), 400, 'invalid_request').errors).toEqual([
        {
          pointer,
          code: 'invalid_text',
          detail: 'Must not contain the NUL character or half of a surrogate pair.',
        },
      ])
    }
    const path = `/tickets/${ticketId}`
    problemOf(await client.call('PATCH', path, { raw: `{"assignedTo":"${text}"}` }), 400, 'invalid_request')
    problemOf(await client.call('PATCH', path, { raw: `{"tags":["${text}"]}` }), 400, 'invalid_request')
    problemOf(
      await client.call('POST', `${path}/messages`, { raw: `{"text":"${text}"}` }),
      400,
      'invalid_request',
    )
  })
})

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
        { parameter: 'status', code: 'unknown_parameter', detail: 'This parameter is not known here.' },
      ])
    }
  })

  test('of a million characters', async () => {
    for (const query of [
      `?tag=${'x'.repeat(1_000_000)}`,
      `?${'x'.repeat(1_000_000)}=1`,
      `?${'a=1&'.repeat(250_000)}`,
    ]) {
      const answer = await client.call('GET', `/tickets${query}`)
      expect(problemOf(answer, 414, 'address_too_long').detail).toBe(
        'The address may have at most 8192 characters.',
      )
    }
  })

  test('of a thousand parameters name them all in a short answer', async () => {
    const query = Array.from({ length: 1000 }, (_, number) => `p${number}=`).join('&')
    const answer = await client.call('GET', `/tickets?${query}`)
    expect(problemOf(answer, 400, 'invalid_request').errors?.length).toBeGreaterThan(0)
    expect(answer.text.length).toBeLessThan(150_000)
  })

  test('with broken percent signs find nothing and break nothing', async () => {
    for (const query of ['?tag=%', '?tag=%ff', '?tag=%zz', '?tag=%c0%af', '?assignedTo=%ED%A0%80']) {
      const answer = await client.call<{ data: unknown[] }>('GET', `/tickets${query}`)
      expect([query, answer.status, answer.json.data]).toEqual([query, 200, []])
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

  test('an address of 100,000 characters', async () => {
    const answer = await send(`/v1/tickets/${'x'.repeat(100_000)}`)
    isRefused(answer, [404, 414])
  })

  test('an address of half a megabyte that is not there', async () => {
    const answer = await send(`/${'x'.repeat(500_000)}`)
    isRefused(answer, [404, 414])
    expect(answer.text.length).toBeLessThan(1000)
  })
})

test('a GET with a body is answered as if it had none', async () => {
  const body = '{"status":"resolved"}'
  const answer = await rawRequest(bellhop.url, {
    method: 'GET',
    target: `/v1/tickets/${ticketId}`,
    headers: {
      authorization: `Bearer ${client.key}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    },
    body,
  })
  expect([answer.status, JSON.parse(answer.text).status]).toEqual([200, 'open'])
})

test('a request with both a length and chunks, or with two lengths, is refused', async () => {
  const shared = { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' }
  const target = `/v1/tickets/${ticketId}/messages`
  const both = { ...shared, 'content-length': '4', 'transfer-encoding': 'chunked' }
  expect(
    (await rawRequest(bellhop.url, { method: 'POST', target, headers: both, body: '0\r\n\r\n' })).status,
  ).toBe(400)
  const two = { ...shared, 'Content-Length': '4', 'content-length': '5' }
  expect(
    (await rawRequest(bellhop.url, { method: 'POST', target, headers: two, body: 'null ' })).status,
  ).toBe(400)
})

function isRefused(answer: Answer<unknown>, statuses: number[]): void {
  expect(statuses, answer.text.slice(0, 300)).toContain(answer.status)
  const { code } = JSON.parse(answer.text || '{}')
  problemOf(answer, answer.status, code ?? 'a problem document')
}
