import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { makeTicket } from '../support/tickets.ts'
import { openWidget } from '../support/visitors.ts'
import { requireBuiltWeb } from '../support/web.ts'

const bellhop = await startBellhop({ clock: createManualClock() })
afterAll(() => bellhop.stop())
const client = await bellhop.organization()
const { id } = await makeTicket(client, { message: 'My invoice is missing. '.repeat(200) })

const read = (path: string, accepted: string, by: Client = client, more: Record<string, string> = {}) =>
  by.call('GET', path, { headers: { 'accept-encoding': accepted, ...more } })

describe('a response is compressed', () => {
  test.each([
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5, br;q=0.1', 'gzip'],
    ['zstd;q=0, *', 'br'],
  ])('for %p as %s', async (accepted, encoding) => {
    const plain = await read(`/tickets/${id}`, 'identity')
    const packed = await read(`/tickets/${id}`, accepted)
    expect(packed.headers.get('content-encoding')).toBe(encoding)
    expect(packed.headers.get('vary')).toBe('Accept-Encoding')
    expect(packed.headers.get('content-type')).toBe(plain.headers.get('content-type'))
    expect(packed.headers.get('x-request-id')).toMatch(/^req_/)
    expect(packed.text).toBe(plain.text)
  })

  test.each(['identity', 'deflate', 'gzip;q=0', 'nonsense;;q'])('not for %p', async (accepted) => {
    const { headers } = await read(`/tickets/${id}`, accepted)
    expect(headers.get('content-encoding')).toBeNull()
  })

  test('unless it is small, as most errors are', async () => {
    const small = await makeTicket(client, { message: 'Short' })
    const answer = await read(`/tickets/${small.id}`, 'gzip')
    expect(answer.headers.get('content-encoding')).toBeNull()
    expect(answer.headers.get('vary')).toBe('Accept-Encoding')
    const refused = await read('/tickets?page=0', 'gzip')
    expect([refused.status, refused.headers.get('content-encoding')]).toEqual([400, null])
  })

  test('with a weak ETag, which If-None-Match and If-Match take', async () => {
    const etag = (await read(`/tickets/${id}`, 'gzip')).headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[^"]+"$/)
    const again = await read(`/tickets/${id}`, 'gzip', client, { 'if-none-match': etag })
    expect([again.status, again.text]).toEqual([304, ''])
    const changed = await client.call('PATCH', `/tickets/${id}`, {
      body: { status: 'pending' },
      headers: { 'if-match': etag },
    })
    expect(changed.status).toBe(200)
    const late = { body: { status: 'open' }, headers: { 'if-match': etag } }
    expect((await client.call('PATCH', `/tickets/${id}`, late)).status).toBe(412)
  })
})

test('a cached ticket is read again after every change', async () => {
  const made = await makeTicket(client)
  const texts = async () =>
    (await client.call<{ messages: { text: string }[] }>('GET', `/tickets/${made.id}`)).json.messages.length
  expect([await texts(), await texts()]).toEqual([1, 1])
  await client.call('POST', `/tickets/${made.id}/messages`, { body: { text: 'More' } })
  expect([await texts(), await texts()]).toEqual([2, 2])
  const other = await bellhop.organization('Other')
  expect((await other.call('GET', `/tickets/${made.id}`)).status).toBe(404)
})

test('pages, guides, the description of the API and the settings of a widget are compressed once', async () => {
  await requireBuiltWeb()
  const { key } = await openWidget(bellhop, client.orgId, { origins: ['https://shop.example'] })
  const get = (path: string, encoding: string) =>
    fetch(bellhop.url + path, { headers: { 'accept-encoding': encoding }, decompress: false })
  const zlib = process.getBuiltinModule('node:zlib')
  using inThread = spyOn(zlib, 'brotliCompress')
  using atOnce = spyOn(zlib, 'brotliCompressSync')
  const compressions = () => inThread.mock.calls.length + atOnce.mock.calls.length
  for (const path of ['/docs', '/docs/api', '/v1/openapi.json', '/inbox', `/widget/${key}/settings`]) {
    const plain = await get(path, 'identity')
    const packed = await get(path, 'br')
    const isSmall = Number(plain.headers.get('content-length')) < 1024
    expect([path, packed.headers.get('content-encoding')]).toEqual([path, isSmall ? null : 'br'])
    expect(packed.headers.get('vary')).toContain('Accept-Encoding')
    const before = compressions()
    await get(path, 'br')
    expect([path, compressions()]).toEqual([path, before])
  }
  expect(compressions()).toBeGreaterThan(0)
})
