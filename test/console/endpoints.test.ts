import { afterAll, beforeAll, expect, test } from 'bun:test'
import { deliveries } from '../../server/database/tables/webhooks.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { eventually } from '../support/webhooks.ts'

const REGISTERED = {
  url: 'https://hooks.example.com/bellhop',
  events: ['ticket.created'],
  description: 'Billing',
}
interface Shown {
  id: string
  state: string
  event: string
  body: string
  isTest: boolean
  attempts: number
  history: { status: number; requestHeaders: Record<string, string>; kind: string }[]
}
interface List {
  data: Shown[]
  nextCursor?: string
}

let bellhop: Bellhop
let acme: Client
let ana: SignedInAgent
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  const settings = { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', BELLHOP_WEBHOOK_CA: await writeCaFile() }
  bellhop = await startBellhop({ settings })
  acme = await bellhop.organization()
  ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Pires', role: 'admin' })
})
afterAll(async () => {
  await receiver.stop()
  await bellhop.stop()
})

async function register(body: object = REGISTERED, admin = ana): Promise<{ id: string; secret: string }> {
  const made = await admin.call<{ endpoint: { id: string }; secret: string }>('POST', '/console/endpoints', {
    body,
  })
  expect(made.status).toBe(201)
  return { id: made.json.endpoint.id, secret: made.json.secret }
}

function ticket(): Promise<unknown> {
  const body = { subject: 'Missing invoice', message: 'Where?', customer: { email: 'ana@example.com' } }
  return acme.call('POST', '/tickets', { body })
}

test('an administrator creates an endpoint, sees its secret once, changes it, and deletes it', async () => {
  const { id, secret } = await register()
  expect(secret).toStartWith('whsec_')
  const shown = await ana.call('GET', `/console/endpoints/${id}`)
  expect(shown.json).toMatchObject({ ...REGISTERED, isOn: true, health: { successRate: null } })
  expect(shown.text).not.toContain(secret)
  const changed = await ana.call('PATCH', `/console/endpoints/${id}`, { body: { description: 'Books' } })
  expect(changed.json).toMatchObject({ url: REGISTERED.url, description: 'Books' })
  const off = await ana.call('POST', `/console/endpoints/${id}/disable`)
  expect(off.json).toMatchObject({ isOn: false, offReason: 'manual' })
  expect((await ana.call('POST', `/console/endpoints/${id}/enable`)).json).toMatchObject({ isOn: true })
  const listed = await ana.call<List>('GET', '/console/endpoints')
  expect(listed.json.data.map((one) => one.id)).toContain(id)
  expect((await ana.call('DELETE', `/console/endpoints/${id}`)).status).toBe(204)
  expect((await ana.call('GET', `/console/endpoints/${id}`)).status).toBe(404)
})

test('an invalid endpoint is refused with every error, and nothing is stored', async () => {
  const before = await ana.call<List>('GET', '/console/endpoints')
  const body = { url: 'http://hooks.example.com', events: ['ticket.closed'], description: '' }
  const refused = await ana.call('POST', '/console/endpoints', { body })
  expect(refused.json).toMatchObject({
    status: 400,
    code: 'invalid_request',
    errors: [
      { pointer: '/url', code: 'not_https' },
      { pointer: '/events', code: 'unknown_event' },
    ],
  })
  const blocked = await ana.call('POST', '/console/endpoints', {
    body: { ...REGISTERED, url: 'https://10.1.2.3/hook' },
  })
  expect(blocked.json).toMatchObject({ errors: [{ pointer: '/url', code: 'blocked_address' }] })
  expect(blocked.text).toContain('BELLHOP_WEBHOOK_ALLOW')
  expect((await ana.call<List>('GET', '/console/endpoints')).json).toEqual(before.json)
})

test('a secret is staged, promoted, cancelled, and rotated, and shown only when it is created', async () => {
  const { id, secret } = await register()
  const step = (body: object) =>
    ana.call<{ endpoint: object; secret?: string }>('POST', `/console/endpoints/${id}/secret`, { body })
  const staged = await step({ step: 'stage' })
  expect(staged.json.secret).toStartWith('whsec_')
  expect(staged.json.secret).not.toBe(secret)
  expect(staged.json.endpoint).toMatchObject({ hasStagedSecret: true })
  expect((await step({ step: 'stage' })).json).toMatchObject({ status: 409, code: 'secret_already_staged' })
  expect((await step({ step: 'cancel' })).json).toEqual({
    endpoint: expect.objectContaining({ hasStagedSecret: false }),
  })
  expect((await step({ step: 'promote' })).json).toMatchObject({ code: 'no_staged_secret' })
  await step({ step: 'stage' })
  const promoted = await step({ step: 'promote' })
  expect(promoted.json.secret).toBeUndefined()
  expect((await step({ step: 'rotate' })).json).toMatchObject({ status: 409, code: 'previous_secret_valid' })
  expect((await step({ step: 'rotate', force: true })).json.secret).toStartWith('whsec_')
  expect((await step({ step: 'burn' })).json).toMatchObject({ status: 400, errors: [{ pointer: '/step' }] })
})

test('a test delivery is in the log with its headers and body, and can be resent', async () => {
  const { id } = await register({ ...REGISTERED, url: receiver.url })
  const sent = await ana.call<{ deliveryId: string }>('POST', `/console/endpoints/${id}/test`, {
    body: { event: 'message.sent' },
  })
  expect(sent.status).toBe(202)
  const path = `/console/deliveries/${sent.json.deliveryId}`
  const afterAttempts = (attempts: number) =>
    eventually(async () => {
      const { json } = await ana.call<Shown>('GET', path)
      return json.state === 'succeeded' && json.history.length === attempts ? json : undefined
    })
  const shown = await afterAttempts(1)
  expect(shown).toMatchObject({
    event: 'message.sent',
    isTest: true,
    history: [{ status: 200, kind: 'test' }],
  })
  expect(JSON.parse(shown.body)).toMatchObject({ event: 'message.sent' })
  expect(shown.history[0]?.requestHeaders['X-Service-Event']).toBe('message.sent')
  expect((await ana.call('POST', `${path}/resend`)).status).toBe(200)
  expect((await afterAttempts(2)).attempts).toBe(2)
  await ana.call('DELETE', `/console/endpoints/${id}`)
})

test('a test delivery is sent even if the endpoint is disabled, while real deliveries are held', async () => {
  const { id } = await register({ ...REGISTERED, url: receiver.url })
  await ana.call('POST', `/console/endpoints/${id}/disable`)
  // The state before an attempt: the endpoint hasn't been processed yet.
  const [happened = '', sample = ''] = [bellhop.deps.newId('dlv'), bellhop.deps.newId('dlv')]
  const waiting = {
    orgId: acme.orgId,
    endpointId: id,
    eventType: 'ticket.created' as const,
    state: 'pending' as const,
    dueAt: 0,
    createdAt: Date.now(),
  }
  await bellhop.deps.database.write(undefined, async (tx) => {
    await tx.insert(deliveries).values({ ...waiting, id: happened, eventNumber: 1 })
    await tx
      .insert(deliveries)
      .values({ ...waiting, id: sample, eventNumber: 0, testBody: Buffer.from('{}') })
  })
  const inState = async (state: string) =>
    (await ana.call<List>('GET', `/console/deliveries?endpointId=${id}&state=${state}`)).json.data
  expect(await inState('held')).toMatchObject([{ id: happened, isTest: false, state: 'held' }])
  expect(await inState('pending')).toMatchObject([{ id: sample, isTest: true, state: 'pending' }])
  expect((await ana.call<Shown>('GET', `/console/deliveries/${sample}`)).json.state).toBe('pending')
  await ana.call('DELETE', `/console/endpoints/${id}`)
})

test('the delivery log can be filtered and read in pages, and everything that failed can be resent', async () => {
  receiver.respondWith(() => ({ status: 500 }))
  const { id } = await register({ ...REGISTERED, url: receiver.url })
  for (let made = 0; made < 3; made += 1) await ticket()
  const list = (more: string) => ana.call<List>('GET', `/console/deliveries?endpointId=${id}&${more}`)
  await eventually(async () =>
    (await list('')).json.data.every(({ attempts, state }) => attempts === 1 && state === 'pending'),
  )
  const first = await list('limit=2&event=ticket.created&state=pending')
  expect(first.json.data).toHaveLength(2)
  const rest = await list(`limit=2&cursor=${first.json.nextCursor}`)
  expect(rest.json).toEqual({ data: [expect.objectContaining({ event: 'ticket.created' })] })
  expect((await list('event=message.sent')).json).toEqual({ data: [] })
  expect((await list('since=2999-01-01T00:00:00Z')).json).toEqual({ data: [] })
  expect((await list('since=2026-02-30T00:00:00Z')).status).toBe(400)
  expect((await list('state=lost')).json).toMatchObject({ status: 400, errors: [{ parameter: 'state' }] })
  expect((await list('event=lost')).json).toMatchObject({ status: 400, errors: [{ parameter: 'event' }] })
  const job = await ana.call<{ id: string }>('POST', `/console/endpoints/${id}/resend`, {
    body: { since: '2026-01-01T00:00:00Z' },
  })
  expect(job.status).toBe(202)
  const finished = await eventually(async () => {
    const { json } = await ana.call('GET', `/console/resends/${job.json.id}`)
    return json.finishedAt !== null && json
  })
  expect(finished).toMatchObject({ endpointId: id, resent: 0 })
})
