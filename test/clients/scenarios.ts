import { expect } from 'bun:test'
import { serviceSignature, standardSignature } from '../../server/webhooks/deliveries/signature.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
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
  ['problem', 'gives the code and the fields of a problem', problem],
  ['lost', 'sends a request again whose answer was lost, and it is carried out once', lost],
  ['limited', 'waits as long as Retry-After says after 429', limited],
  ['away', 'tries again while the server is away or answers 503', away],
  ['refused', 'gives up after the tries that it was given', refused],
  ['upload', 'uploads a file and downloads it', upload],
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

async function problem({ run, proxy }: Scene): Promise<void> {
  expect(await run<object>({ id: NO_TICKET })).toEqual({
    missing: [404, 'not_found'],
    invalid: [400, 'invalid_request', ['/subject', '/customer/email']],
  })
  expect(proxy.requests).toHaveLength(2)
}

async function lost({ client, run, proxy }: Scene): Promise<void> {
  proxy.faults.push('lost')
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
