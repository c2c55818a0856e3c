import { afterAll, expect, test } from 'bun:test'
import { createId } from '../../server/ids.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import {
  type ListedTicketJson,
  listTickets,
  makeTicket,
  problemOf,
  readTicket,
  ticketInput,
} from '../support/tickets.ts'

// Odd, but right: kept and given back to the byte.

const bellhop = await startBellhop({
  clock: createManualClock(),
  settings: { BELLHOP_RATE_LIMIT: '1000000' },
})
afterAll(() => bellhop.stop())

test.each([
  ['markup', '<script>alert(1)</script> &amp; "quoted"'],
  ['SQL', "'; drop table tickets; --"],
  [
    'every control character but NUL',
    String.fromCharCode(...Array.from({ length: 31 }, (_, n) => n + 1)).concat('x'),
  ],
  ['right-to-left text and its marks', 'שלום \u202eevil\u202c עולם'],
  ['combined letters, not normalized', 'e\u0301 é \u1e9b\u0323'],
  ['pairs and joined emoji', '👩‍👩‍👧‍👦 𝒳 🏳️‍🌈'],
  ['a byte order mark inside', 'a\ufeffb'],
  ['the last and the replaced character', '\uffff\ufffd\u{10ffff}'],
  ['line breaks of all kinds', 'a\r\nb\nc\rd\u2028e\u2029f'],
  ['blanks around', '  x  '],
  ['backslashes and percents', '\\u0000 %00 %s {0} $1 $& \\'],
])('%s', async (_, text) => {
  const client = await bellhop.organization()
  const made = await makeTicket(client, {
    subject: text,
    message: text,
    customer: { name: text, email: 'ana@example.com' },
  })
  const read = await readTicket(client, made.id)
  expect([read.subject, read.messages[0]?.text, read.customer.name]).toEqual([text, text, text])
  await client.call('POST', `/tickets/${made.id}/messages`, { body: { text } })
  expect((await readTicket(client, made.id)).messages[1]?.text).toBe(text)
  expect((await listTickets(client)).data[0]?.subject).toBe(text)
})

test.each(['a&b=c', 'ü/ß', '100%', '+', 'a b', '#1', '?', "o'clock", '👋', '__proto__', 'status:open', ','])(
  'a tag %j is found again',
  async (tag) => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client, { tags: [tag] })
    await makeTicket(client, { tags: ['other'] })
    const { data, meta } = await listTickets(client, `?tag=${encodeURIComponent(tag)}`)
    expect([data.map((ticket) => ticket.id), meta.total]).toEqual([[id], 1])
    const first = await client.call<{ meta: { nextCursor?: string } }>('GET', '/tickets?per_page=1')
    expect(first.json.meta.nextCursor).toBeString()
  },
)

test.each([
  'a@b.co',
  'first.last+tag@sub.example.com',
  "o'neil_%&*=?^{|}~!#$/`-@example.com",
  '1@example.com',
  'ana@xn--bcher-kva.example',
  'ANA@EXAMPLE.COM',
])('the address %s', async (email) => {
  const client = await bellhop.organization()
  const { customer } = await makeTicket(client, { customer: { email } })
  expect(customer).toMatchObject({ email, name: email.slice(0, email.lastIndexOf('@')) })
})

test('of a field given twice the last one counts, as JSON has it everywhere', async () => {
  const client = await bellhop.organization()
  const raw = '{"subject":"one","message":"y","customer":{"email":"a@b.co"},"subject":"two"}'
  const answer = await client.call<ListedTicketJson>('POST', '/tickets', { raw })
  expect([answer.status, answer.json.subject]).toEqual([201, 'two'])
})

test('a byte order mark before the body is passed over', async () => {
  const client = await bellhop.organization()
  const raw = '\ufeff{"subject":"one","message":"y","customer":{"email":"a@b.co"}}'
  const answer = await client.call<ListedTicketJson>('POST', '/tickets', { raw })
  expect([answer.status, answer.json.subject]).toEqual([201, 'one'])
})

test('lengths count characters as people and JSON Schema do: an emoji is one', async () => {
  const client = await bellhop.organization()
  const input = { ...ticketInput(), subject: '🎉'.repeat(255), tags: ['🎉'.repeat(64)] }
  expect((await makeTicket(client, input)).subject).toBe(input.subject)
  const tooLong = { ...ticketInput(), subject: '🎉'.repeat(256), tags: ['🎉'.repeat(65)] }
  const { errors } = problemOf(
    await client.call('POST', '/tickets', { body: tooLong }),
    400,
    'invalid_request',
  )
  expect(errors?.map(({ pointer, code }) => [pointer, code])).toEqual([
    ['/subject', 'too_long'],
    ['/tags/0', 'too_long'],
  ])
})

test.each([
  ['a control character', '\u0001', '\\u0001'],
  ['an emoji', '🎉', '\\ud83c\\udf89'],
])('65,536 times %s fit, escaped as JSON escapes them', async (_, character, escaped) => {
  const client = await bellhop.organization()
  const long = (count: number) => `x${escaped.repeat(count - 1)}`
  const text = `x${character.repeat(65_535)}`
  const customer = '{"email":"ana@example.com"}'
  const create = (count: number) =>
    client.call<ListedTicketJson>('POST', '/tickets', {
      raw: `{"subject":"s","message":"${long(count)}","customer":${customer}}`,
    })
  const { status, json } = await create(65_536)
  expect(status).toBe(201)
  const path = `/tickets/${json.id}/messages`
  expect((await client.call('POST', path, { raw: `{"text":"${long(65_536)}"}` })).status).toBe(201)
  const id = createId('msg', bellhop.deps.clock.now())
  const put = await client.call('PUT', `${path}/${id}`, { raw: `{"text":"${long(65_536)}"}` })
  expect(put.status, put.text).toBe(201)
  expect((await readTicket(client, json.id)).messages.map((message) => message.text === text)).toEqual([
    true,
    true,
    true,
  ])
  expect(problemOf(await create(65_537), 400, 'invalid_request').errors).toMatchObject([{ code: 'too_long' }])
})
