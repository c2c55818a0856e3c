import { describe, expect, test } from 'bun:test'
import { problemOf, ticketInput } from '../support/tickets.ts'
import { startUntouched } from './bad-input.ts'

// Whatever is sent: a 4xx problem document that names what is wrong, never a 500, and nothing changed.

const { client, ticketId } = await startUntouched()
const createRaw = (raw: string | Uint8Array<ArrayBuffer>) => client.call('POST', '/tickets', { raw })

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
        { pointer, code: 'unknown_field', detail: 'Unknown field.' },
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
