import { randomUUID } from 'node:crypto'

// Floods a widget from one address until its standard input ends, then prints how it was answered. In a process of its own,
// so that what measures beside it isn't measured.

const ORIGIN = 'https://shop.example'
const ADDRESS = '203.0.113.7'
const NEW_VISITORS_PER_SECOND = 500
const LONG_TEXTS_PER_SECOND = 20
const LONG_TEXT = 'x'.repeat(65_536)
const UPLOADS_PER_SECOND = 20
const UPLOAD = new Uint8Array(2 * 1024 * 1024)
const TURN_MS = 20
const DONE = new Set([200, 201, 403, 413, 429, 503])

const [base = ''] = process.argv.slice(2)
const statuses = new Map<string, number>()
const running = new Set<Promise<void>>()
let isOver = false
let token = ''

void Bun.stdin.text().then(() => {
  isOver = true
})
await session()
await text()
process.stdout.write('flooding\n')
const startedAt = performance.now()
let [sessions, texts, uploads] = [0, 0, 0]
while (!isOver) {
  const seconds = (performance.now() - startedAt) / 1_000
  for (; sessions < seconds * NEW_VISITORS_PER_SECOND; sessions += 1) begin(session())
  for (; texts < seconds * LONG_TEXTS_PER_SECOND; texts += 1) begin(text())
  for (; uploads < seconds * UPLOADS_PER_SECOND; uploads += 1) begin(upload())
  await Bun.sleep(TURN_MS)
}
await Promise.all(running)
process.stdout.write([...statuses].map(([name, count]) => `${name}: ${count}`).join(', '))

function session(): Promise<void> {
  return send('sessions', 'POST', '/session', '{}', 'application/json')
}

function text(): Promise<void> {
  const path = `/conversations/flooding/messages/${randomUUID()}`
  return send('texts', 'PUT', path, JSON.stringify({ text: LONG_TEXT }), 'application/json')
}

function upload(): Promise<void> {
  return send('uploads', 'POST', '/files?name=x.bin', UPLOAD, 'application/octet-stream')
}

function begin(sending: Promise<void>): void {
  running.add(sending)
  void sending.finally(() => running.delete(sending))
}

async function send(what: string, method: string, path: string, body: BodyInit, type: string): Promise<void> {
  const headers = {
    origin: ORIGIN,
    'x-forwarded-for': ADDRESS,
    'content-type': type,
    // A session without one is of a new visitor.
    ...(what !== 'sessions' && { authorization: `Bearer ${token}` }),
  }
  // One that the server refuses in the middle of its body may lose its connection.
  const response = await fetch(base + path, { method, headers, body }).catch(() => undefined)
  const answer = (await response?.text().catch(() => '')) ?? ''
  if (response && !DONE.has(response.status)) throw new Error(`${what}: ${response.status} ${answer}`)
  if (what === 'sessions' && response?.status === 201) token ||= JSON.parse(answer).token
  const name = `${what} ${response?.status ?? 'cut'}`
  statuses.set(name, (statuses.get(name) ?? 0) + 1)
}
