import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'

// Everything that clients can do wrong at once, until its standard input ends. Prints how it was answered, as JSON. Each
// kind is repeated without a pause by as many clients as given here.

const given: { base: string; key: string; cookie: string; widgetKey: string; fatTicketId: string } =
  JSON.parse(process.argv[2] ?? '')
const ORIGIN = 'https://shop.example'
const FAT_READERS = 20
const SEARCHERS = 4
const FILTERERS = 4
const GUESSERS = 4
const CREATORS = 2
const VISITORS = 4
const UPLOADERS = 4
const BOT_FLOODERS = 4
const SLOW_HEADERS = 200
const SLOW_BODIES = 200
const SLOW_EVERY_MS = 3_000
/** Answers at once would otherwise make this program the largest load of the machine. */
const PAUSE_MS = 20
/** Before a connection that was closed is made again. */
const RECONNECT_MS = 500
const UPLOAD = new Uint8Array(2 * 1024 * 1024)
const BODY_BYTES = 250 * 1024
const SEARCHES = [
  '"hello hello hello hello hello hello hello hello"',
  'order is:unread -status:open',
  'e',
  'customer -late',
]
const FILTERS = [
  'status=open&tag=vip',
  'status=open&tag=vip&channel=email',
  'status=pending&channel=api&sort=updated_desc',
]

const statuses: Record<string, number> = {}
const sockets = new Set<Socket>()
const leaving = new AbortController()
const { host, hostname, port } = new URL(given.base)
const api = { authorization: `Bearer ${given.key}`, 'x-forwarded-for': '203.0.113.1' }
const agent = { cookie: given.cookie, 'x-forwarded-for': '203.0.113.2', 'sec-fetch-site': 'same-origin' }
const stranger = { 'x-forwarded-for': '203.0.113.3' }
let token = ''

const kinds: [name: string, clients: number, act: (number: number) => Promise<number>][] = [
  ['fat ticket', FAT_READERS, () => get(`/v1/tickets/${given.fatTicketId}`, api)],
  ['search', SEARCHERS, (n) => get(`/console/tickets?q=${encodeURIComponent(one(SEARCHES, n))}`, agent)],
  ['filters', FILTERERS, (n) => get(`/v1/tickets?${one(FILTERS, n)}`, api)],
  ['wrong key', GUESSERS, (n) => get('/v1/tickets', { ...stranger, authorization: `Bearer guess${n}` })],
  ['hanging receivers', CREATORS, () => post('/v1/tickets', api, newTicket())],
  ['visitors', VISITORS, (n) => (n % 2 === 0 ? session() : write())],
  ['uploads', UPLOADERS, () => post('/v1/attachments?name=x.bin', api, UPLOAD)],
  ['bots', BOT_FLOODERS, () => post('/telegram/guess', { 'x-telegram-bot-api-secret-token': 'guess' }, '{}')],
]

await session()
const clients = kinds.flatMap(([name, count, act]) => Array.from({ length: count }, () => repeat(name, act)))
for (let number = 0; number < SLOW_HEADERS; number += 1) slow('slow headers', head('GET /v1/tickets', {}))
for (let number = 0; number < SLOW_BODIES; number += 1) {
  const headers = { 'content-length': `${BODY_BYTES}`, 'content-type': 'application/json' }
  slow('slow bodies', `${head('POST /v1/tickets', number % 2 === 0 ? { ...headers, ...api } : headers)}\r\n{`)
}
await Bun.stdin.text()
leaving.abort()
for (const socket of sockets) socket.destroy()
await Promise.all(clients)
process.stdout.write(JSON.stringify(statuses))
process.exit()

async function repeat(name: string, act: (number: number) => Promise<number>): Promise<void> {
  for (let number = 0; !leaving.signal.aborted; number += 1) {
    count(`${name} ${await act(number).catch(() => 'cut')}`)
    await Bun.sleep(PAUSE_MS)
  }
}

async function get(path: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(given.base + path, { headers, signal: leaving.signal })
  // Read to the end, as fast as it comes.
  for await (const _ of response.body ?? []);
  return response.status
}

async function post(path: string, headers: Record<string, string>, body: BodyInit): Promise<number> {
  const type = body instanceof Uint8Array ? 'application/octet-stream' : 'application/json'
  const request = { method: 'POST', headers: { ...headers, 'content-type': type }, body }
  const response = await fetch(given.base + path, { ...request, signal: leaving.signal })
  await response.arrayBuffer()
  return response.status
}

function newTicket(): string {
  return JSON.stringify({
    subject: 'Flood',
    message: 'x'.repeat(2_000),
    customer: { email: 'flood@example.com' },
  })
}

async function session(): Promise<number> {
  const headers = { ...stranger, origin: ORIGIN, 'content-type': 'application/json' }
  const url = `${given.base}/widget/${given.widgetKey}/session`
  const response = await fetch(url, { method: 'POST', headers, body: '{}', signal: leaving.signal })
  const text = await response.text()
  if (response.status === 201) token ||= JSON.parse(text).token
  return response.status
}

async function write(): Promise<number> {
  const headers = { ...stranger, origin: ORIGIN, 'content-type': 'application/json' }
  const url = `${given.base}/widget/${given.widgetKey}/conversations/soak-flood/messages/${randomUUID()}`
  const response = await fetch(url, {
    method: 'PUT',
    headers: { ...headers, authorization: `Bearer ${token}` },
    body: JSON.stringify({ text: 'x'.repeat(60_000) }),
    signal: leaving.signal,
  })
  await response.arrayBuffer()
  return response.status
}

/** A connection that goes on with a byte now and then, and is made again when the server closes it. */
function slow(name: string, text: string): void {
  if (leaving.signal.aborted) return
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(text))
  const timer = setInterval(() => socket.write('a'), SLOW_EVERY_MS)
  sockets.add(socket)
  socket.on('data', (chunk) => count(`${name} ${chunk.toString('latin1').slice(9, 12)}`))
  socket.on('error', () => {})
  socket.on('close', () => {
    clearInterval(timer)
    sockets.delete(socket)
    count(`${name} closed`)
    setTimeout(() => slow(name, text), RECONNECT_MS)
  })
}

function head(request: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host, ...headers, x: 'y' }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${request} HTTP/1.1\r\n${lines.join('')}`
}

function one<T>(values: T[], number: number): T {
  return values[number % values.length] as T
}

function count(what: string): void {
  statuses[what] = (statuses[what] ?? 0) + 1
}
