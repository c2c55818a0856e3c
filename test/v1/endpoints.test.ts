import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { idempotencyKeys } from '../../server/database/tables/api-keys.ts'
import { signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { makeTicket, type ProblemJson } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const URL = 'https://hooks.example.com/bellhop'

interface EndpointJson {
  id: string
  url: string
  secret?: string
  events: string[]
  channels: string[]
  tags: string[]
  changes: string[]
  isOn: boolean
}
interface DeliveryJson {
  id: string
  event: string
  state: string
  ticketId?: string
  attempts: number
  body?: string
  history: { status: number; kind: string; requestHeaders: Record<string, string> }[]
}

let bellhop: Bellhop
let acme: Client
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  const settings = { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', BELLHOP_WEBHOOK_CA: await writeCaFile() }
  bellhop = await startBellhop({ settings })
  acme = await organization()
})
afterAll(async () => {
  await receiver.stop()
  await bellhop.stop()
})

const SCOPES = [
  'endpoints:read',
  'endpoints:write',
  'tickets:read',
  'tickets:write',
  'messages:write',
] as const

async function organization(): Promise<Client> {
  return (await bellhop.organization()).withKey({ scopes: [...SCOPES] })
}

async function register(body: object = {}, client = acme): Promise<EndpointJson> {
  const input = { url: receiver.url, events: ['ticket.created'], ...body }
  const made = await client.call<EndpointJson>('POST', '/endpoints', { body: input })
  expect(made.status, made.text).toBe(201)
  return made.json
}

async function deliveriesOf(endpoint: string, more = '', client = acme): Promise<DeliveryJson[]> {
  const path = `/deliveries?endpoint=${endpoint}${more}`
  return (await client.call<{ data: DeliveryJson[] }>('GET', path)).json.data
}

describe('an endpoint', () => {
  test('is created, read, changed, turned off and on, and deleted; its secret is only in the first answer', async () => {
    const input = { url: URL, events: ['message.sent', 'ticket.created'], description: 'Billing' }
    const made = await acme.call<EndpointJson>('POST', '/endpoints', { body: input })
    const { id, secret, ...shown } = made.json
    expect(made.headers.get('location')).toBe(`/v1/endpoints/${id}`)
    expect(secret).toStartWith('whsec_')
    expect(shown).toMatchObject({ ...input, events: ['ticket.created', 'message.sent'], isOn: true })
    const path = `/endpoints/${id}`
    const read = await acme.call<EndpointJson>('GET', path)
    expect(read.json).toEqual({ id, ...shown })
    expect((await acme.call('PATCH', path, { body: { description: 'Books' } })).json).toMatchObject({
      url: URL,
      description: 'Books',
    })
    expect((await acme.call('POST', `${path}/disable`)).json).toMatchObject({
      isOn: false,
      offReason: 'manual',
    })
    expect((await acme.call('POST', `${path}/enable`)).json).toMatchObject({ isOn: true })
    const listed = await acme.call<{ data: EndpointJson[] }>('GET', '/endpoints')
    expect(listed.json.data.map((one) => one.id)).toContain(id)
    expect(listed.text).not.toContain('whsec_')
    expect((await acme.call('DELETE', path)).status).toBe(204)
    expect((await acme.call('GET', path)).status).toBe(404)
  })

  test('must have a public https URL and events that exist, and takes no unknown field', async () => {
    const refusal = async (body: object) => {
      const { status, json } = await acme.call<ProblemJson>('POST', '/endpoints', { body })
      return [status, json.errors?.[0]?.pointer, json.errors?.[0]?.code]
    }
    const events = ['ticket.created']
    expect(await refusal({ url: 'http://hooks.example.com', events })).toEqual([400, '/url', 'not_https'])
    expect(await refusal({ url: 'https://10.1.2.3/', events })).toEqual([400, '/url', 'blocked_address'])
    expect(await refusal({ url: URL, events: [] })).toEqual([400, '/events', 'too_few'])
    expect(await refusal({ url: URL, events: ['ticket.closed'] })).toEqual([400, '/events/0', 'not_allowed'])
    expect(await refusal({ url: URL, events, secret: 'x' })).toEqual([400, '/secret', 'unknown_field'])
    expect(await refusal({ url: URL, events, tags: [' '] })).toEqual([400, '/tags/0', 'blank'])
  })

  test('needs a key that names endpoints:write, and can be read with full access', async () => {
    const full = await acme.withKey()
    const { id } = await register()
    expect((await full.call('GET', `/endpoints/${id}`)).status).toBe(200)
    const body = { url: URL, events: ['ticket.created'] }
    for (const [method, path, more] of [
      ['POST', '/endpoints', { body }],
      ['PATCH', `/endpoints/${id}`, { body }],
      ['DELETE', `/endpoints/${id}`, {}],
      ['POST', `/endpoints/${id}/test`, { body: { event: 'ticket.created' } }],
      ['POST', `/endpoints/${id}/rotate`, {}],
    ] as const) {
      const refused = await full.call<ProblemJson>(method, path, more)
      expect(refused.json).toMatchObject({ status: 403, code: 'missing_scope' })
      expect(refused.json.detail).toContain('endpoints:write')
    }
  })

  test('is one of at most 50 of an organization', async () => {
    const crowded = await organization()
    for (let number = 0; number < 50; number += 1) await register({ url: `${URL}/${number}` }, crowded)
    const body = { url: URL, events: ['ticket.created'] }
    const refused = await crowded.call<ProblemJson>('POST', '/endpoints', { body })
    expect(refused.json).toMatchObject({ status: 409, code: 'too_many_endpoints' })
    const { json } = await crowded.call<{ data: EndpointJson[] }>('GET', '/endpoints')
    expect(json.data).toHaveLength(50)
    await crowded.call('DELETE', `/endpoints/${json.data[0]?.id}`)
    await register({}, crowded)
  })

  test('has a new secret after a rotation, which a repeated request returns too', async () => {
    const { id, secret } = await register()
    const rotate = (query = '', headers = {}) =>
      acme.call<EndpointJson & ProblemJson>('POST', `/endpoints/${id}/rotate${query}`, { headers })
    const first = await rotate('', { 'idempotency-key': 'rotate' })
    expect(first.status).toBe(201)
    expect(first.json.secret).toStartWith('whsec_')
    expect(first.json.secret).not.toBe(secret)
    const repeated = await rotate('', { 'idempotency-key': 'rotate' })
    expect(repeated.json).toEqual(first.json)
    expect(repeated.headers.get('idempotency-replayed')).toBe('true')
    expect((await rotate()).json).toMatchObject({ status: 409, code: 'previous_secret_valid' })
    expect((await rotate('?force=true')).status).toBe(201)
  })

  test('is created once for an Idempotency-Key, and its secret is stored only encrypted', async () => {
    const body = { url: `${URL}/once`, events: ['ticket.created'] }
    const create = () =>
      acme.call<EndpointJson>('POST', '/endpoints', { body, headers: { 'idempotency-key': 'once' } })
    const [first, second] = [await create(), await create()]
    expect(second.json).toEqual(first.json)
    expect(second.headers.get('location')).toBe(first.headers.get('location'))
    const { json } = await acme.call<{ data: EndpointJson[] }>('GET', '/endpoints')
    expect(json.data.filter(({ url }) => url === body.url)).toHaveLength(1)
    const rows = await bellhop.deps.database.read.select().from(idempotencyKeys)
    expect(JSON.stringify(rows)).toContain(first.json.id)
    expect(JSON.stringify(rows)).not.toContain('whsec_')
  })
})

describe('deliveries', () => {
  test('are listed by endpoint, state, event and time, page by page, and shown with their attempts', async () => {
    const own = await organization()
    const { id } = await register({ events: ['ticket.created', 'message.sent'] }, own)
    const ticket = await makeTicket(own)
    await eventually(async () => (await deliveriesOf(id, '&state=succeeded', own)).length === 2)
    const first = await own.call<{ data: DeliveryJson[]; meta: { nextCursor?: string } }>(
      'GET',
      `/deliveries?endpoint=${id}&limit=1`,
    )
    const { nextCursor } = first.json.meta
    expect(first.json.data).toHaveLength(1)
    const rest = await own.call<{ data: DeliveryJson[]; meta: object }>(
      'GET',
      `/deliveries?endpoint=${id}&limit=1&cursor=${nextCursor}`,
    )
    expect(rest.json.meta).toEqual({})
    const both = [...first.json.data, ...rest.json.data]
    expect(both.map(({ event }) => event).sort()).toEqual(['message.sent', 'ticket.created'])
    const [created] = await deliveriesOf(id, '&event=ticket.created', own)
    expect(created).toMatchObject({ ticketId: ticket.id, attempts: 1 })
    expect(await deliveriesOf(id, '&since=2999-01-01T00:00:00Z', own)).toEqual([])
    const one = await own.call<DeliveryJson>('GET', `/deliveries/${created?.id}`)
    expect(JSON.parse(one.json.body ?? '')).toMatchObject({
      event: 'ticket.created',
      data: { ticket: { id: ticket.id } },
    })
    expect(one.json.history).toMatchObject([{ kind: 'scheduled', status: 200 }])
    expect(one.text).not.toContain('null')
  })

  test('hide their body from a key that can’t read tickets', async () => {
    const own = await organization()
    const { id } = await register({}, own)
    await makeTicket(own, { subject: 'A secret matter' })
    const [one] = await eventually(async () => {
      const found = await deliveriesOf(id, '&state=succeeded', own)
      return found.length > 0 ? found : undefined
    })
    const watcher = await own.withKey({ scopes: ['endpoints:read'] })
    const shown = await watcher.call<DeliveryJson>('GET', `/deliveries/${one?.id}`)
    expect(shown.status).toBe(200)
    expect(shown.json.body).toBeUndefined()
    expect(shown.text).not.toContain('A secret matter')
  })

  test('are sent again, once for an Idempotency-Key; a sample is marked as one', async () => {
    const own = await organization()
    const { id } = await register({}, own)
    const body = { event: 'message.sent' }
    const sent = await own.call<{ deliveryId: string }>('POST', `/endpoints/${id}/test`, { body })
    expect([sent.status, sent.headers.get('location')]).toEqual([
      202,
      `/v1/deliveries/${sent.json.deliveryId}`,
    ])
    const path = `/deliveries/${sent.json.deliveryId}`
    const attempts = (count: number) =>
      eventually(async () => {
        const { json } = await own.call<DeliveryJson>('GET', path)
        return json.state === 'succeeded' && json.attempts === count ? json : undefined
      })
    const [first] = (await attempts(1)).history
    expect(first?.requestHeaders['X-Service-Test']).toBe('true')
    const headers = { 'idempotency-key': 'again' }
    const again = await own.call<DeliveryJson>('POST', `${path}/resend`, { headers })
    expect(again).toMatchObject({ status: 202, json: { id: sent.json.deliveryId, state: 'pending' } })
    await attempts(2)
    const repeated = await own.call('POST', `${path}/resend`, { headers })
    expect([repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([202, 'true'])
    expect(repeated.json).toEqual({ ...again.json })
    await own.call('POST', `/endpoints/${id}/disable`)
    expect((await own.call('POST', `${path}/resend`)).json).toMatchObject({
      status: 409,
      code: 'endpoint_off',
    })
  })
})

describe('filters', () => {
  test('let through events of tickets of some channels, and with one of some tags', async () => {
    const own = await organization()
    const [all, byEmail, byApi, vip] = [
      await register({}, own),
      await register({ channels: ['email', 'widget'] }, own),
      await register({ channels: ['api'] }, own),
      await register({ tags: [' vip ', 'urgent', 'vip'], events: ['ticket.created', 'message.sent'] }, own),
    ]
    expect(vip).toMatchObject({ channels: [], tags: ['vip', 'urgent'], changes: [] })
    const [plain, important] = [await makeTicket(own), await makeTicket(own, { tags: ['vip'] })]
    const tickets = async (endpoint: EndpointJson) => {
      const found = await deliveriesOf(endpoint.id, '', own)
      return found.map(({ ticketId }) => ticketId).sort()
    }
    expect(await tickets(all)).toEqual([plain.id, important.id])
    expect(await tickets(byApi)).toEqual([plain.id, important.id])
    expect(await tickets(byEmail)).toEqual([])
    expect(await tickets(vip)).toEqual([important.id, important.id])

    await own.call('PATCH', `/tickets/${plain.id}`, { body: { tags: ['urgent'] } })
    await own.call('POST', `/tickets/${plain.id}/messages`, { body: { text: 'Hello' } })
    expect(await tickets(vip)).toEqual([plain.id, important.id, important.id])
  })

  test('are removed by an empty list, and stay when they are left out', async () => {
    const { id } = await register({ channels: ['email'], tags: ['vip'], changes: ['status', 'tags'] })
    const change = async (body: object) => {
      const { json } = await acme.call<EndpointJson>('PATCH', `/endpoints/${id}`, { body })
      return { channels: json.channels, tags: json.tags, changes: json.changes }
    }
    const given = { channels: ['email'], tags: ['vip'], changes: ['status', 'tags'] }
    expect(await change({ description: 'Books' })).toEqual(given)
    expect(await change({ tags: [], changes: ['assignedTo'] })).toEqual({
      ...given,
      tags: [],
      changes: ['assignedTo'],
    })
    expect(await change({ channels: [], changes: [] })).toEqual({ channels: [], tags: [], changes: [] })
    await makeTicket(acme)
    expect(await deliveriesOf(id)).toHaveLength(1)
  })
})

test('an agent who is no administrator reads no endpoints and deliveries, as in the console', async () => {
  const { cookie } = await signInAgent(bellhop, acme.orgId, { role: 'agent' })
  for (const path of ['/v1/endpoints', '/v1/deliveries']) {
    const answer = await fetch(bellhop.url + path, { headers: { cookie } })
    expect([path, answer.status]).toEqual([path, 403])
  }
})
