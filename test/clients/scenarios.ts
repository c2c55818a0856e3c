import { expect } from 'bun:test'
import { join } from 'node:path'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { beginLog } from '../../server/events/positions.ts'
import { serviceSignature, standardSignature } from '../../server/webhooks/deliveries/signature.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { temporaryFolder } from '../support/folder.ts'
import { listTickets, makeTicket, NO_TICKET, readTicket, ticketInput } from '../support/tickets.ts'
import { type FlakyProxy, startFlakyProxy } from './flaky-proxy.ts'

/** A program that uses a client, in an empty project that the built client is installed in. */
export interface Program {
  /** Does what a scenario names, and returns what it printed. */
  run<Result>(scenario: string, given: object, settings: { URL: string; KEY: string }): Promise<Result>
}

export interface World {
  bellhop: Bellhop
  proxy: FlakyProxy
}

/** What every client does the same. The names are those of the programs' cases. */
export const SCENARIOS: [name: string, what: string, play: (scene: Scene) => Promise<void>][] = [
  ['create', 'creates a ticket', create],
  ['read', 'reads a ticket with its messages', read],
  ['change', 'changes a ticket', change],
  ['answer', 'sends a message once, by an idempotency key of its own', answer],
  ['pages', 'reads every page of a list', pages],
  ['problem', 'gives the code and the fields of a problem', (scene) => problem(scene, 2)],
  [
    'lost',
    'sends a request again whose answer was lost, and it is carried out once',
    (scene) => carriedOutOnce(scene, 'lost'),
  ],
  [
    'cut',
    'sends a request again whose answer was cut within its body, and it is carried out once',
    (scene) => carriedOutOnce(scene, 'cut'),
  ],
  ['cutProblem', 'gives the problem of an answer that was cut within its body at first', cutProblem],
  ['limited', 'waits as long as Retry-After says after 429', limited],
  ['away', 'tries again while the server is away or answers 503', away],
  ['refused', 'gives up after the tries that it was given', refused],
  ['upload', 'uploads a file and downloads it', upload],
  ['events', 'reads events, and goes on where it was', events],
  ['mirror', 'mirrors tickets, messages, and customers, and begins anew after a restore', mirror],
  ['verify', 'accepts a webhook that Bellhop signed', verify],
  ['forged', 'refuses a webhook that was changed, signed by another, or is old', forged],
]

interface Scene extends World {
  client: Client
  run<Result>(given?: object): Promise<Result>
}

export async function openWorld(): Promise<World & AsyncDisposable> {
  const bellhop = await startBellhop()
  const proxy = await startFlakyProxy(bellhop.url)
  return {
    bellhop,
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy.stop()
      await bellhop.stop()
    },
  }
}

export async function play(
  world: World,
  program: Program,
  [name, , scenario]: (typeof SCENARIOS)[number],
): Promise<void> {
  const client = await world.bellhop.organization()
  world.proxy.requests.length = 0
  const settings = { URL: world.proxy.url, KEY: client.key }
  await scenario({ ...world, client, run: (given = {}) => program.run(name, given, settings) })
  expect(world.proxy.faults).toEqual([])
}

async function create({ client, run }: Scene): Promise<void> {
  const made = await run<{ id: string; status: string }>(ticketInput({ tags: ['vip'] }))
  expect(made.status).toBe('open')
  expect(await readTicket(client, made.id)).toMatchObject({ subject: 'Missing invoice', tags: ['vip'] })
}

async function read({ client, run }: Scene): Promise<void> {
  const { id } = await makeTicket(client, { message: 'Grüße 👋' })
  expect(await run<string[]>({ id })).toEqual(['Ana Pires', 'Grüße 👋'])
}

async function change({ client, run }: Scene): Promise<void> {
  const { id } = await makeTicket(client)
  expect(await run<string[]>({ id })).toEqual(['pending', 'billing'])
  expect(await readTicket(client, id)).toMatchObject({ status: 'pending', tags: ['billing'] })
}

async function answer({ client, run }: Scene): Promise<void> {
  const { id } = await makeTicket(client)
  const [first, second] = await run<string[]>({ id, key: 'answer-1' })
  expect(first).toMatch(/^msg_/)
  expect(second).toBe(first ?? '')
  expect((await readTicket(client, id)).messages).toHaveLength(2)
}

async function pages({ client, run, proxy }: Scene): Promise<void> {
  const fast = await client.withKey({ rateLimit: 1_000_000 })
  const made = await Promise.all(Array.from({ length: 230 }, () => makeTicket(fast)))
  await makeTicket(fast, { tags: ['other'] })
  await Promise.all(made.map(({ id }) => fast.call('PATCH', `/tickets/${id}`, { body: { tags: ['vip'] } })))
  const found = await run<string[]>({ tag: 'vip' })
  expect(found.toSorted()).toEqual(made.map(({ id }) => id).toSorted())
  expect(proxy.requests).toHaveLength(3)
}

async function problem({ run, proxy }: Scene, requests: number): Promise<void> {
  expect(await run<object>({ id: NO_TICKET })).toEqual({
    missing: [404, 'not_found'],
    invalid: [400, 'invalid_request', ['/subject', '/customer/email']],
  })
  expect(proxy.requests).toHaveLength(requests)
}

async function cutProblem(scene: Scene): Promise<void> {
  scene.proxy.faults.push('cut', 'none', 'cut')
  await problem(scene, 4)
}

async function carriedOutOnce({ client, run, proxy }: Scene, fault: 'lost' | 'cut'): Promise<void> {
  proxy.faults.push(fault)
  const made = await run<{ id: string }>(ticketInput())
  expect((await listTickets(client)).data.map(({ id }) => id)).toEqual([made.id])
  expect(keysOf(proxy)).toHaveLength(1)
  expect(proxy.requests).toHaveLength(2)
}

async function limited({ client, run, proxy }: Scene): Promise<void> {
  proxy.faults.push({ status: 429, headers: { 'retry-after': '1' } })
  const startedAt = performance.now()
  const made = await run<{ id: string }>(ticketInput())
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_000)
  expect((await listTickets(client)).data.map(({ id }) => id)).toEqual([made.id])
  expect(keysOf(proxy)).toHaveLength(1)
}

async function away({ client, run, proxy }: Scene): Promise<void> {
  const now = { 'retry-after': '0' }
  proxy.faults.push('refused', { status: 503, headers: now }, { status: 502, headers: now })
  const made = await run<{ id: string }>(ticketInput())
  expect((await listTickets(client)).data.map(({ id }) => id)).toEqual([made.id])
  expect(proxy.requests).toHaveLength(4)
}

async function refused({ run, proxy }: Scene): Promise<void> {
  const fault = { status: 503, headers: { 'retry-after': '0' } }
  proxy.faults.push(fault, fault)
  expect(await run<object>({ tries: 2 })).toEqual({ status: 503, code: 'unknown' })
}

async function upload({ client, run }: Scene): Promise<void> {
  const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 7) % 256).toBase64()
  const made = await run<{ id: string; downloaded: string }>({
    name: 'a b.bin',
    bytes,
    ticket: ticketInput(),
  })
  expect(made.downloaded).toBe(bytes)
  const [message] = (await readTicket(client, made.id)).messages
  expect(message?.attachments).toMatchObject([{ name: 'a b.bin' }])
}

async function events({ client, run }: Scene): Promise<void> {
  const { id } = await makeTicket(client)
  await client.call('PATCH', `/tickets/${id}`, { body: { status: 'pending' } })
  await client.call('POST', `/tickets/${id}/messages`, { body: { text: 'Here it is.' } })
  const all = await run<{ event: string; position: string }[]>({ after: '0' })
  const names = ['ticket.created', 'message.sent', 'ticket.updated', 'message.sent']
  expect(all.map(({ event }) => event)).toEqual(names)
  expect(await run<object[]>({ after: all[1]?.position })).toEqual(all.slice(2))
}

type Stored = Record<'ticket' | 'message' | 'customer', Record<string, object>> & { copies: number }

async function mirror({ bellhop, client, run }: Scene): Promise<void> {
  const fast = await client.withKey({ rateLimit: 1_000_000, scopes: [...KEY_SCOPES] })
  const file = join(temporaryFolder('mirror'), 'mirror.json')
  const isEqual = async (copies: number) => {
    const stored = await run<Stored>({ file, key: fast.key })
    expect(stored).toEqual({ ...(await everythingOf(fast)), copies })
  }
  const [one, two, three, four] = await Promise.all([
    makeTicket(fast),
    makeTicket(fast, { customer: { name: 'Bo', email: 'bo@example.com' } }),
    makeTicket(fast, { customer: { name: 'Cy', email: 'cy@example.com' } }),
    makeTicket(fast),
  ])
  await isEqual(1)
  const ask = async (method: string, path: string, body?: object) => {
    const asked = await fast.call<{ id: string }>(method, path, { body })
    expect([path, asked.status < 300, asked.text]).toEqual([path, true, asked.text])
    return asked.json
  }
  await ask('PATCH', `/tickets/${one.id}`, { status: 'pending', tags: ['vip'], subject: 'Other' })
  const { id: message } = await ask('POST', `/tickets/${one.id}/messages`, { text: 'Here it is.' })
  await ask('POST', `/tickets/${one.id}/split`, { messages: [message], subject: 'Split' })
  await ask('POST', `/tickets/${two.id}/merge`, { from: four.id })
  await ask('DELETE', `/tickets/${three.id}`)
  const bo = await readTicket(fast, two.id)
  await ask('PATCH', `/customers/${bo.customer.userId}`, { name: 'Bo Li' })
  const ana = await readTicket(fast, one.id)
  await ask('POST', `/customers/${ana.customer.userId}/merge`, { from: bo.customer.userId })
  const cy = (await everythingOf(fast)).customer
  const [cyId] = Object.entries(cy).find(([, { name }]) => name === 'Cy') ?? []
  await ask('DELETE', `/customers/${cyId}`)
  const written = { externalId: 'm-1', role: 'customer', text: 'Old', createdAt: '2020-01-01T00:00:00Z' }
  const imported = { externalId: 'old-1', subject: 'Old', customer: { email: 'di@example.com' } }
  await ask('POST', '/imports', {
    tickets: [{ ...imported, createdAt: written.createdAt, messages: [written] }],
  })
  await isEqual(1)
  await bellhop.deps.database.write(undefined, (tx) => beginLog(bellhop.deps, tx, client.orgId))
  await makeTicket(fast)
  await isEqual(2)
}

/** What the lists have. A ticket without its customer, who is a customer of its own. */
async function everythingOf(
  client: Client,
): Promise<Omit<Stored, 'copies'> & { customer: Record<string, { name: string }> }> {
  const list = async <Item extends { id: string }>(path: string) => {
    const { json } = await client.call<{ data: Item[] }>('GET', `${path}?per_page=100`)
    return json.data
  }
  const byId = <Item extends { id: string }>(items: Item[]) =>
    Object.fromEntries(items.map((item) => [item.id, item]))
  const tickets = await list<{ id: string; customer?: object }>('/tickets')
  return {
    ticket: byId(tickets.map(({ customer: _, ...ticket }) => ticket)),
    message: byId(await list('/messages')),
    customer: byId(await list<{ id: string; name: string }>('/customers')),
  }
}

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const BODY =
  '{"event":"ticket.created","createdAt":"2026-03-01T09:30:00.000Z","data":{"ticket":{"subject":"Grüße 👋"}}}'

/** As the server sends it. */
function signed(body: string, secret: string, sentAt = Date.now()): { specified: object; standard: object } {
  const bytes = new TextEncoder().encode(body)
  const seconds = Math.floor(sentAt / 1_000)
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  const signature = standardSignature([other, secret], 'dlv_1', seconds, bytes)
  return {
    specified: { 'X-Service-Signature': serviceSignature(secret, bytes) },
    standard: { 'webhook-id': 'dlv_1', 'webhook-timestamp': `${seconds}`, 'webhook-signature': signature },
  }
}

async function verify({ run }: Scene): Promise<void> {
  for (const headers of Object.values(signed(BODY, SECRET))) {
    expect(await run<object>({ body: BODY, headers, secret: SECRET })).toEqual({
      event: 'ticket.created',
      subject: 'Grüße 👋',
    })
  }
}

async function forged({ run }: Scene): Promise<void> {
  const { specified, standard } = signed(BODY, SECRET)
  const changed = BODY.replace('Grüße', 'Gruss')
  const old = signed(BODY, SECRET, Date.now() - 600_000).standard
  const other = signed(BODY, `whsec_${Buffer.alloc(32, 9).toString('base64')}`)
  const given = [
    { body: changed, headers: specified },
    { body: changed, headers: standard },
    { body: BODY, headers: old },
    { body: BODY, headers: other.specified },
    { body: BODY, headers: { ...standard, 'webhook-id': 'dlv_2' } },
    { body: BODY, headers: { 'X-Service-Signature': 'sha256=' } },
    { body: BODY, headers: {} },
  ]
  const cases = given.map((one) => ({ ...one, secret: SECRET }))
  expect(await run<boolean[]>({ cases })).toEqual(cases.map(() => true))
}

/** The different idempotency keys. */
function keysOf({ requests }: FlakyProxy): string[] {
  const keys = requests.map(({ idempotencyKey }) => idempotencyKey ?? '')
  expect(keys).not.toContain('')
  return [...new Set(keys)]
}
