import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { storeTickets } from '../support/many-tickets.ts'
import { eventually } from '../support/webhooks.ts'

/** More than one search examines. */
const STORED = 31_000
const MAX_EXAMINED = 30_000
/** Nobody waits for an answer to any of them, so every ticket has to be examined. */
const BROAD = '/console/tickets?q=is:unread'

let bellhop: Bellhop
let acme: Client
let ben: SignedInAgent

beforeAll(async () => {
  bellhop = await startBellhop()
  acme = await bellhop.organization()
  await storeTickets(bellhop.deps, acme.orgId, STORED)
  ben = await signInAgent(bellhop, acme.orgId)
}, 120_000)
afterAll(() => bellhop.stop())

interface Page {
  data: unknown[]
  nextCursor?: string
  tooBroad?: string
}

/** What the reads of a server did since an earlier look at its metrics. */
async function readsSince(before?: Reads): Promise<Reads> {
  const text = await (await fetch(`${bellhop.url}/metrics`)).text()
  const numbers = new Map<string, number>()
  for (const [, name = '', value] of text.matchAll(/^(bellhop_search\S+) (\d+)$/gm)) {
    numbers.set(name, Number(value) - (before?.numbers.get(name) ?? 0))
  }
  const outcome = (name: string) => numbers.get(`bellhop_searches_total{outcome="${name}"}`)
  return { numbers, rows: numbers.get('bellhop_search_rows_total') ?? 0, outcome }
}
interface Reads {
  numbers: Map<string, number>
  rows: number
  outcome: (name: string) => number | undefined
}

/** Sends a broad search on a socket of its own, in this thread: nothing happens in between unnoticed. */
function search(agent: SignedInAgent): { socket: Socket; answer: Promise<string> } {
  const { hostname, port } = new URL(bellhop.url)
  const socket = connect({ host: hostname, port: Number(port) })
  const chunks: string[] = []
  socket.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk))
  const answer = new Promise<string>((resolve) => socket.on('close', () => resolve(chunks.join(''))))
  const headers = `Host: ${hostname}:${port}\r\nCookie: ${agent.cookie}\r\nConnection: close\r\n`
  socket.write(`GET ${BROAD} HTTP/1.1\r\n${headers}\r\n`)
  return { socket, answer }
}

const statusOf = (answer: string) => Number(answer.split(' ')[1])
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Waits until the running searches have examined some more rows. */
async function untilExamined(rows: number): Promise<void> {
  const { counts } = bellhop.deps.expensiveReads
  const before = counts().rows
  while (counts().rows < before + rows) await nextTurn()
}

test('a broad search says so, with what it found so far, and can be continued', async () => {
  const before = await readsSince()
  const first = await ben.call<Page>('GET', BROAD)
  expect(first.status, first.text).toBe(200)
  expect(first.json).toMatchObject({ data: [], tooBroad: expect.stringContaining('Use a less common word') })
  const reads = await readsSince(before)
  expect(reads.outcome('too_broad')).toBe(1)
  expect(reads.rows).toBeWithin(MAX_EXAMINED, MAX_EXAMINED + 1_000)
  const rest = await ben.call<Page>('GET', `${BROAD}&cursor=${first.json.nextCursor}`)
  expect(rest.json).toMatchObject({ data: [] })
  expect([rest.json.tooBroad, rest.json.nextCursor]).toEqual([undefined, undefined])
})

test('filters that no ticket can pass find nothing without examining any', async () => {
  const before = await readsSince()
  for (const q of [
    'hello is:unread -status:open -status:pending -status:resolved',
    '-channel:api -channel:email -channel:widget -channel:telegram is:unread',
    'is:unread -is:unread',
    'tag:a is:unread -tag:a',
    'is:unread before:2026-01-01 after:2026-02-01',
    'is:unread -before:2026-02-01 -after:2026-01-01',
    'is:unread hello -hello',
    'is:unread "say hello now" -"hello now"',
  ]) {
    const answer = await ben.call<Page>('GET', `/console/tickets?q=${encodeURIComponent(q)}`)
    expect(answer.json, q).toMatchObject({ data: [] })
    expect(answer.json.tooBroad, q).toBeUndefined()
  }
  expect((await readsSince(before)).rows).toBe(0)
})

test('a search ends when its client disconnects', async () => {
  const before = await readsSince()
  const { socket } = search(ben)
  await untilExamined(1)
  socket.destroy()
  await eventually(async () => (await readsSince(before)).outcome('disconnected') === 1)
  const { rows } = await readsSince(before)
  expect(rows).toBeLessThan(MAX_EXAMINED / 2)
  expect(bellhop.deps.expensiveReads.counts().running).toBe(0)
})

test('two searches of an agent run at a time, and the newest win', async () => {
  const cleo = await signInAgent(bellhop, acme.orgId, { name: 'Cleo' })
  const first = search(ben)
  // Only what has examined more than 1,000 counts.
  await untilExamined(1_001)
  const others = [search(cleo), search(ben), search(ben)]
  const answers = await Promise.all([first, ...others].map(({ answer }) => answer))
  expect(answers.map(statusOf)).toEqual([429, 200, 200, 200])
  expect(answers[0]).toContain('"code":"superseded"')
})

test('a phrase with a word repeated many times is refused, and repeated words count once', async () => {
  const phrase = `"${'hello '.repeat(30)}"`
  const refused = await ben.call('GET', `/console/tickets?q=${encodeURIComponent(phrase)}`)
  expect([refused.status, refused.json.detail]).toEqual([
    400,
    '“hello” is repeated too often. Use it at most 8 times in a phrase.',
  ])
  const words = await ben.call<Page>('GET', `/console/tickets?q=${encodeURIComponent('hello '.repeat(30))}`)
  expect(words.status, words.text).toBe(200)
})
