import { describe, expect, test } from 'bun:test'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import type { OpenApiDocument } from '../../server/http/openapi/document.ts'
import { THEN } from '../../server/messages/schemas.ts'
import { NO_TICKET, problemOf, ticketInput } from '../support/tickets.ts'
import { startUntouched } from './bad-input.ts'

// Whatever is sent: a 4xx problem document that names what is wrong, never a 500, and nothing changed.

const { bellhop, client, ticketId } = await startUntouched()
const everything = await client.withKey({ scopes: [...KEY_SCOPES] })
const create = (more: Record<string, unknown>) => client.call('POST', '/tickets', { body: ticketInput(more) })

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
    ['assignedTo', 'a'.repeat(255)],
    ['tags', null],
    ['tags', 'vip'],
    ['tags', ['']],
    ['tags', [' ']],
    ['subject', null],
    ['subject', ' '],
    ['spam', 'true'],
    ['addTags', ['']],
    ['removeTags', 'vip'],
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

  test.each(['agentName', 'id', 'createdAt', 'Text', 'text '])('a message with %p', async (field) => {
    const body = { text: 'Hello', [field]: 'customer' }
    const answer = await client.call('POST', `/tickets/${ticketId}/messages`, { body })
    expect(problemOf(answer, 400, 'invalid_request').errors).toEqual([
      { pointer: `/${field}`, code: 'unknown_field', detail: 'Unknown field.' },
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

describe('times without an offset', () => {
  const NO_OFFSET = '2026-12-01T10:00:00'
  const detail =
    'Must be a time that exists, with Z or an offset, such as 2026-03-01T09:30:00Z or 2026-03-01T09:30:00+01:00.'

  test('are refused in every parameter', async () => {
    const { json: document } = await client.call<OpenApiDocument>('GET', '/openapi.json')
    const found = Object.entries(document.paths).flatMap(([path, { get }]) =>
      (get?.parameters ?? []).flatMap((parameter) => {
        const { in: place, name, schema } = parameter
        return place === 'query' && schema.format === 'date-time' ? { path, name } : []
      }),
    )
    expect(found.length).toBeGreaterThanOrEqual(7)
    for (const { path, name } of found) {
      const answer = await everything.call('GET', `${path}?${name}=${NO_OFFSET}`)
      const { errors } = problemOf(answer, 400, 'invalid_request')
      expect([path, errors]).toEqual([path, [{ parameter: name, code: 'invalid_format', detail }]])
    }
  })

  test.each<[string, object]>([
    ['/sendAt', { sendAt: NO_OFFSET }],
    ['/then/snoozedUntil', { [THEN]: { snoozedUntil: NO_OFFSET } }],
  ])('are refused in %s of a message', async (pointer, more) => {
    const path = `/tickets/${ticketId}/messages/${bellhop.deps.newId('msg')}`
    const answer = await client.call('PUT', path, { body: { text: 'Hello', ...more } })
    const { errors } = problemOf(answer, 400, 'invalid_request')
    expect(errors).toEqual([{ pointer, code: 'invalid_format', detail }])
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
      { pointer: '/customer/email', code: 'invalid_format', detail: 'Must be an email address.' },
    ])
  })
})
