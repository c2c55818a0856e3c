import { randomUUID } from 'node:crypto'

// The load of other organizations, at a steady rate, until its standard input ends. A line there names the phase that the
// times of what follows belong to. Prints what was acknowledged and how long it took, as JSON. In a process of its own, so
// that it isn't measured with the server.

interface Organization {
  key: string
  widgetKey: string
}

const given: { base: string; perSecond: number; organizations: Organization[] } = JSON.parse(
  process.argv[2] ?? '',
)
const ORIGIN = 'https://shop.example'
const TURN_MS = 5
/** More aren't kept waiting: the server would only be measured later. */
const MAX_RUNNING = 2_000
/** A visitor's limits allow so many messages. */
const MESSAGES_PER_VISITOR = 10
const FILE = new Uint8Array(20 * 1024).fill(65)
const TEXT = 'Dear Ana, thank you for writing. '.repeat(10)

const acknowledged = { tickets: [] as string[], messages: [] as string[], files: [] as string[] }
/** By phase and what was done. */
const times: Record<string, Record<string, number[]>> = {}
const failures: Record<string, number> = {}
const running = new Set<Promise<void>>()
const known = given.organizations.map(() => [] as string[])
const visitors = given.organizations.map(() => ({ token: '', written: MESSAGES_PER_VISITOR, count: 0 }))
let phase = ''
let isOver = false

void readPhases()
const startedAt = performance.now()
for (let number = 0; !isOver; ) {
  const due = ((performance.now() - startedAt) / 1_000) * given.perSecond
  for (; number < due; number += 1) {
    if (running.size >= MAX_RUNNING) fail('not sent')
    else begin(number)
  }
  await Bun.sleep(TURN_MS)
}
await Promise.all(running)
process.stdout.write(JSON.stringify({ acknowledged, times, failures }))

async function readPhases(): Promise<void> {
  for await (const line of console) phase = line
  isOver = true
}

function begin(number: number): void {
  const place = number % given.organizations.length
  const kind = Math.floor(number / given.organizations.length) % 20
  const startedIn = phase
  const sentAt = performance.now()
  const work = act(kind, place)
    .then((what) => {
      times[startedIn] ??= {}
      times[startedIn][what] ??= []
      times[startedIn][what].push(performance.now() - sentAt)
    })
    .catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)))
  running.add(work)
  void work.finally(() => running.delete(work))
}

/** Of 20: 6 reads of a ticket, 4 of a list, 4 new tickets, 3 replies, and one each of a change, a file, and a visitor. */
async function act(kind: number, place: number): Promise<string> {
  const ids = known[place] ?? []
  const id = ids[Math.floor(Math.random() * ids.length)]
  if (id === undefined || kind < 4) {
    const email = `customer${Math.floor(Math.random() * 500)}@example.com`
    const body = { subject: 'Late order', message: TEXT, customer: { email } }
    const ticket = await api<{ id: string }>(place, 'POST', '/tickets', JSON.stringify(body))
    acknowledged.tickets.push(ticket.id)
    ids.push(ticket.id)
    return 'create'
  }
  if (kind < 10) {
    await api(place, 'GET', `/tickets/${id}`)
    return 'read'
  }
  if (kind < 14) {
    await api(place, 'GET', '/tickets?status=open&per_page=25')
    return 'list'
  }
  if (kind < 17) {
    const body = JSON.stringify({ text: TEXT })
    const message = await api<{ id: string }>(place, 'POST', `/tickets/${id}/messages`, body)
    acknowledged.messages.push(message.id)
    return 'reply'
  }
  if (kind < 18) {
    await api(place, 'PATCH', `/tickets/${id}`, JSON.stringify({ tags: ['soak'] }))
    return 'change'
  }
  if (kind < 19) {
    const file = await api<{ id: string }>(place, 'POST', '/attachments?name=photo.bin', FILE)
    acknowledged.files.push(file.id)
    return 'upload'
  }
  await visit(place)
  return 'visitor'
}

async function api<Json>(place: number, method: string, path: string, body?: BodyInit): Promise<Json> {
  const type = body instanceof Uint8Array ? 'application/octet-stream' : 'application/json'
  const headers = {
    authorization: `Bearer ${given.organizations[place]?.key}`,
    'x-forwarded-for': `192.0.2.${place + 1}`,
    ...(body === undefined ? {} : { 'content-type': type }),
  }
  return send(`${given.base}/v1${path}`, { method, headers, body })
}

/** A message through the widget. Every few messages come from another visitor at another address. */
async function visit(place: number): Promise<void> {
  const visitor = visitors[place]
  const base = `${given.base}/widget/${given.organizations[place]?.widgetKey}`
  if (!visitor) return
  const isNew = visitor.written >= MESSAGES_PER_VISITOR
  if (isNew) {
    visitor.written = 0
    visitor.count += 1
  }
  visitor.written += 1
  const address = `198.18.${place}.${visitor.count % 250}`
  const headers = { origin: ORIGIN, 'x-forwarded-for': address, 'content-type': 'application/json' }
  if (isNew || visitor.token === '') {
    const session = await send<{ token: string }>(`${base}/session`, { method: 'POST', headers, body: '{}' })
    visitor.token = session.token
  }
  const sent = await send<{ message: { id: string } }>(
    `${base}/conversations/soak-visit/messages/${randomUUID()}`,
    {
      method: 'PUT',
      headers: { ...headers, authorization: `Bearer ${visitor.token}` },
      body: JSON.stringify({ text: 'Where is my order?' }),
    },
  )
  acknowledged.messages.push(sent.message.id)
}

async function send<Json>(url: string, request: RequestInit): Promise<Json> {
  const response = await fetch(url, request)
  const text = await response.text()
  const { pathname } = new URL(url)
  const route = pathname.replace(/\/(tkt_|bellhop_pk_)[^/]+/, '').replace(/[0-9a-f-]{36}$/, '')
  if (!response.ok) throw new Error(`${request.method} ${route}: ${response.status}`)
  return JSON.parse(text)
}

function fail(what: string): void {
  failures[what] = (failures[what] ?? 0) + 1
}
