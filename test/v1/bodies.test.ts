import { afterAll, describe, expect, test } from 'bun:test'
import { type Answer, startBellhop } from '../support/bellhop.ts'
import { rawRequest } from '../support/raw-request.ts'
import { listTickets, makeTicket, problemOf, ticketInput } from '../support/tickets.ts'

// The contract's 413 and 415: how a body is sent, and how long it may be.

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

const KIB = 1024

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
      'Send the body as Content-Type: application/json, in UTF-8.',
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
    expect(problemOf(answer, 415, 'unsupported_media_type').detail).toContain('not compressed')
  })

  test('of exactly 1 MiB with a text, or 256 KiB without one, are read; one byte more is 413', async () => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client)
    const padded = (bytes: number) => {
      const raw = JSON.stringify({ text: 'Hello' })
      return raw + ' '.repeat(bytes - raw.length)
    }
    const post = (raw: string) => client.call('POST', `/tickets/${id}/messages`, { raw })
    expect((await post(padded(1024 * KIB))).status).toBe(201)
    const answer = await post(padded(1024 * KIB + 1))
    expect(problemOf(answer, 413, 'body_too_large').detail).toBe('The body may have at most 1048576 bytes.')
    problemOf(await client.call('POST', '/tickets', { raw: padded(1100 * KIB) }), 413, 'body_too_large')
    const change = await client.call('PATCH', `/tickets/${id}`, { raw: padded(256 * KIB + 1) })
    expect(problemOf(change, 413, 'body_too_large').detail).toBe('The body may have at most 262144 bytes.')
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
    const refused = await send(1025)
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

  test('of more than 32 MiB end their connection unread, with a valid key or without', async () => {
    const { key } = await bellhop.organization()
    const send = (authorization: string, path: string) =>
      rawRequest(bellhop.url, {
        method: 'POST',
        target: `/v1${path}`,
        headers: {
          authorization,
          connection: 'keep-alive',
          'content-type': 'application/json',
          'content-length': String(33 * 1024 * KIB),
        },
        // The rest never comes: without the server's word this would wait for it.
        body: ' '.repeat(KIB),
      })
    problemOf(await send(`Bearer ${key}`, '/tickets'), 413, 'body_too_large')
    problemOf(await send(`Bearer ${key}`, '/tickets/x/messages'), 413, 'body_too_large')
    problemOf(await send('Bearer nobody', '/tickets'), 401, 'unauthorized')
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
