import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { createId } from '../../server/ids.ts'
import { addMessages } from '../support/add-messages.ts'
import { signInAgent } from '../support/agents.ts'
import { type Client, call } from '../support/bellhop.ts'
import { longestHold, type SeparateBellhop, startSeparateBellhop } from '../support/separate-bellhop.ts'
import { addNote, readThread } from '../support/threads.ts'
import { type ListedTicketJson, type MessageJson, makeTicket, type TicketJson } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

// A ticket with more text than can be read and sent at once: in slices, and to only so many clients at a time.

const TEXT = 'Dear Ana, 10 €. '.repeat(4_000)
const LARGE = 400
/** A quarter more than the budget of the whole server would be without slices. */
const READERS = 12
/** A hold is measured in steps. 20 ms is the limit, and the rest is for a machine that is busy. */
const MAX_HOLD_MS = 50
const MiB = 1024 * 1024

let bellhop: SeparateBellhop
let acme: Client
let other: Client
let id: string
const written: string[] = ['Hello']

beforeAll(async () => {
  bellhop = await startSeparateBellhop()
  ;[acme, other] = [await bellhop.organization(), await bellhop.organization('Other')]
  id = await largeTicket(acme, LARGE)
  for (let number = 0; number < LARGE; number += 1) written.push(`${number} ${TEXT}`)
})
afterAll(() => bellhop[Symbol.asyncDispose]())

async function largeTicket(client: Client, count: number): Promise<string> {
  const { id: ticketId } = await makeTicket(client, { message: 'Hello' })
  for (let start = 0; start < count; start += 50) {
    const numbers = Array.from({ length: Math.min(50, count - start) }, (_, place) => start + place)
    const texts = numbers.map((number) => ({ text: `${number} ${TEXT}` }))
    await addMessages(bellhop.deps, { orgId: client.orgId, ticketId }, ...texts)
  }
  return ticketId
}

test('is complete and in order, also compressed, and 304 is as short as ever', async () => {
  const plain = await acme.call<TicketJson>('GET', `/tickets/${id}`, {
    headers: { 'accept-encoding': 'identity' },
  })
  expect([plain.status, plain.headers.get('content-encoding')]).toEqual([200, null])
  expect(plain.json.messages.map(({ text }) => text)).toEqual(written)
  expect(plain.json).toMatchObject({ id, subject: 'Missing invoice', customer: { name: 'Ana Pires' } })
  const etag = plain.headers.get('etag') ?? ''
  for (const encoding of ['zstd', 'br', 'gzip']) {
    const packed = await acme.call('GET', `/tickets/${id}`, { headers: { 'accept-encoding': encoding } })
    expect([packed.headers.get('content-encoding'), packed.headers.get('etag')]).toEqual([
      encoding,
      `W/${etag}`,
    ])
    expect([packed.headers.get('vary'), packed.text === plain.text]).toEqual(['Accept-Encoding', true])
    const again = await acme.call('GET', `/tickets/${id}`, { headers: { 'if-none-match': `W/${etag}` } })
    expect([again.status, again.text]).toEqual([304, ''])
  }
  const head = await acme.call('HEAD', `/tickets/${id}`)
  expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag])
})

test('read by many clients at once doesn’t hold up others, and takes little memory', async () => {
  const headers = { authorization: `Bearer ${acme.key}`, 'accept-encoding': 'identity' }
  const before = await memoryOf(bellhop)
  let highest = before
  const read = async () => {
    let response = await fetch(`${bellhop.url}/v1/tickets/${id}`, { headers })
    // On a busy machine, the first ones may take longer than the last ones wait: these ask again.
    while (response.status === 503) response = await fetch(response.url, { headers })
    let bytes = 0
    for await (const chunk of response.body ?? []) bytes += chunk.byteLength
    return bytes
  }
  let isReading = true
  const hold = await longestHold(bellhop, async () => {
    const reading = Promise.all(Array.from({ length: READERS }, read)).finally(() => {
      isReading = false
    })
    while (isReading) {
      const made = await other.call<ListedTicketJson>('POST', '/tickets', { body: newTicket })
      expect(made.status).toBe(201)
      highest = Math.max(highest, await memoryOf(bellhop))
    }
    expect(new Set(await reading).size).toBe(1)
  })
  expect(hold).toBeLessThanOrEqual(MAX_HOLD_MS)
  // All at once they would be twelve times 25 MB as text, and as much again as JSON and as bytes.
  expect(highest - before).toBeLessThan(200 * MiB)
})

const newTicket = { subject: 'Small', message: 'Hello', customer: { email: 'bo@example.com' } }

describe('when clients don’t take what they asked for', () => {
  const sockets: Socket[] = []
  const ask = async (key: string, ticketId: string) => {
    const head = [`GET /v1/tickets/${ticketId} HTTP/1.1`, 'host: x', `authorization: Bearer ${key}`]
    const { hostname, port } = new URL(bellhop.url)
    const socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open(opened) {
          opened.write(`${head.join('\r\n')}\r\n\r\n`)
          opened.pause()
        },
        data() {},
      },
    })
    sockets.push(socket)
  }
  const until = (sending: number, waiting: number) =>
    eventually(async () => {
      const { text } = await call('GET', `${bellhop.url}/metrics`)
      const count = (state: string) =>
        Number(new RegExp(`^bellhop_large_responses\\{state="${state}"\\} (\\d+)$`, 'm').exec(text)?.[1])
      return count('sending') === sending && count('waiting') === waiting
    })

  test('their organization waits in order, others don’t, and who leaves waits no longer', async () => {
    for (let number = 0; number < 11; number += 1) await ask(acme.key, id)
    await until(8, 3)
    const foreign = await largeTicket(other, 20)
    expect((await other.call<TicketJson>('GET', `/tickets/${foreign}`)).json.messages).toHaveLength(21)
    sockets[10]?.terminate()
    await until(8, 2)
    sockets[0]?.terminate()
    await until(8, 1)
    for (const socket of sockets) socket.terminate()
    await until(0, 0)
    expect((await acme.call<TicketJson>('GET', `/tickets/${id}`)).json.messages).toHaveLength(LARGE + 1)
  })
})

describe('the pages of its messages', () => {
  interface PageJson {
    data: MessageJson[]
    meta: { total: number; page: number; perPage: number; nextCursor?: string }
  }
  const page = async (client: Client, ticketId: string, query = '') => {
    const answer = await client.call<PageJson>('GET', `/tickets/${ticketId}/messages${query}`)
    expect(answer.status, answer.text.slice(0, 300)).toBe(200)
    return answer
  }

  test('together are the ticket’s messages, by page, by cursor, and from the newest', async () => {
    const small = await largeTicket(acme, 7)
    const whole = (await acme.call<TicketJson>('GET', `/tickets/${small}`)).json.messages
    const first = await page(acme, small, '?per_page=3')
    expect(first.json.meta).toMatchObject({ total: 8, page: 1, perPage: 3 })
    const byPage = [
      first,
      await page(acme, small, '?per_page=3&page=2'),
      await page(acme, small, '?per_page=3&page=3'),
    ]
    expect(byPage.flatMap(({ json }) => json.data)).toEqual(whole)
    const second = await page(acme, small, `?per_page=3&cursor=${first.json.meta.nextCursor}`)
    expect(second.json.data).toEqual(byPage[1]?.json.data ?? [])
    const links = second.headers.get('link') ?? ''
    const previous = /<\/v1(\S+)>; rel="prev"/.exec(links)?.[1] ?? ''
    expect((await acme.call<PageJson>('GET', previous)).json.data).toEqual(first.json.data)
    const newest = await page(acme, small, '?sort=created_desc&per_page=100')
    expect(newest.json.data).toEqual(whole.toReversed())
    expect(newest.json.meta.nextCursor).toBeUndefined()
    expect((await page(acme, small, '?page=9')).json.data).toEqual([])
  })

  test('are sent in slices when they are large', async () => {
    const hold = await longestHold(bellhop, async () => {
      const { json } = await page(acme, id, '?per_page=100')
      expect(json.data.map(({ text }) => text)).toEqual(written.slice(0, 100))
      expect(json.meta).toMatchObject({ total: LARGE + 1, perPage: 100, nextCursor: expect.any(String) })
    })
    expect(hold).toBeLessThanOrEqual(MAX_HOLD_MS)
  })

  test('refuse the cursor of another ticket, of another sort, and of tickets', async () => {
    const cursorOf = async (path: string) =>
      (await acme.call<PageJson>('GET', path)).json.meta.nextCursor ?? 'missing'
    const another = await largeTicket(acme, 2)
    for (const [cursor, code] of [
      [await cursorOf(`/tickets/${another}/messages?per_page=1`), 'foreign_cursor'],
      [await cursorOf(`/tickets/${id}/messages?per_page=1&sort=created_desc`), 'foreign_cursor'],
      [await cursorOf('/tickets?per_page=1'), 'invalid_cursor'],
    ]) {
      const answer = await acme.call('GET', `/tickets/${id}/messages?cursor=${cursor}`)
      expect([answer.status, answer.json]).toMatchObject([400, { errors: [{ parameter: 'cursor', code }] }])
    }
    expect((await other.call('GET', `/tickets/${id}/messages`)).status).toBe(404)
  })
})

test('its page in the inbox is complete and in order too, with notes in between, and delays no one', async () => {
  const ben = await signInAgent(bellhop, acme.orgId)
  const notes = [await addNote(ben, id, `first ${TEXT}`), await addNote(ben, id, 'second')]
  await acme.call('PATCH', `/tickets/${id}`, { body: { status: 'pending' } })
  const waiting = createId('msg', bellhop.deps.clock.now())
  const sendAt = new Date(bellhop.deps.clock.now() + 3_600_000).toISOString()
  await acme.call('PUT', `/tickets/${id}/messages/${waiting}`, { body: { text: TEXT, sendAt } })
  const hold = await longestHold(bellhop, async () => {
    const thread = await readThread(ben, id)
    const texts = thread.timeline.map(({ kind, text }) => (kind === 'message' ? text : kind))
    expect(texts).toEqual([...written, 'note', 'note', 'activity'])
    expect(thread.timeline.slice(-3, -1)).toEqual(notes)
    expect(thread.waiting.map((reply) => [reply.id, reply.text])).toEqual([[waiting, TEXT]])
    expect(thread).toMatchObject({ ticket: { id, status: 'pending' }, readUpTo: null, drafts: [] })
  })
  expect(hold).toBeLessThanOrEqual(MAX_HOLD_MS)
})

async function memoryOf({ url }: { url: string }): Promise<number> {
  const { text } = await call('GET', `${url}/metrics`)
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
}
