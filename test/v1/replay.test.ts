import { afterAll, beforeAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { makeManyTickets } from '../support/many-tickets.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { changeTicket, makeTicket, type ProblemJson, problemOf } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const DAY_MS = 86_400_000
const SCOPES = [
  'endpoints:read',
  'endpoints:write',
  'tickets:read',
  'tickets:write',
  'messages:write',
] as const

interface ReplayJson {
  id: string
  endpointId: string
  since?: string
  onlyMissing: boolean
  checked: number
  total: number
  queued: number
  finishedAt?: string
}
interface BodyJson {
  event: string
  data: { ticket: { id: string; subject?: string }; changes?: object }
}

let bellhop: Bellhop
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  bellhop = await startBellhop({
    settings: {
      BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
      BELLHOP_WEBHOOK_CA: await writeCaFile(),
      BELLHOP_WEBHOOK_RETRIES: '20ms',
    },
  })
})
afterAll(async () => {
  await receiver.stop()
  await bellhop.stop()
})

/** An organization, and how to add an endpoint that the receiver tells from others. */
async function organization() {
  const client = await (await bellhop.organization()).withKey({ scopes: [...SCOPES] })
  const path = `/${client.orgId}`
  const register = async (body: object = {}) => {
    const input = { url: new URL(path, receiver.url).href, events: ['ticket.created'], ...body }
    const made = await client.call<{ id: string }>('POST', '/endpoints', { body: input })
    expect(made.status, made.text).toBe(201)
    return made.json.id
  }
  return {
    client,
    register,
    /** What the receiver got, oldest first. */
    got: () => receiver.requests.filter((request) => request.path === path).map(({ body }) => bodyOf(body)),
    deliveryIds: () =>
      receiver.requests.flatMap((request) =>
        request.path === path ? [request.headers['x-service-delivery']] : [],
      ),
    replay: (id: string, body: object, headers = {}) =>
      client.call<ReplayJson & ProblemJson>('POST', `/endpoints/${id}/replay`, { body, headers }),
  }
}

function bodyOf(body: Uint8Array): BodyJson {
  return JSON.parse(Buffer.from(body).toString())
}

function finished(client: Client, id: string): Promise<ReplayJson> {
  return eventually(async () => {
    const { json } = await client.call<ReplayJson>('GET', `/replays/${id}`)
    return json.finishedAt === undefined ? undefined : json
  })
}

test('a new endpoint gets everything that is kept, in order, but what was deleted since', async () => {
  const { client, register, got, replay } = await organization()
  const [first, gone] = [await makeTicket(client, { subject: 'First' }), await makeTicket(client)]
  await changeTicket(client, first.id, { status: 'resolved' })
  const admin = await signInAgent(bellhop, client.orgId, { role: 'admin' })
  expect((await admin.call('DELETE', `/console/tickets/${gone.id}`)).status).toBe(204)
  const id = await register({ events: ['ticket.created', 'ticket.updated'] })
  const asked = await replay(id, { after: '0' })
  expect([asked.status, asked.headers.get('location')]).toEqual([202, `/v1/replays/${asked.json.id}`])
  expect(await finished(client, asked.json.id)).toMatchObject({ endpointId: id, queued: 2 })
  await eventually(() => got().length === 2)
  expect(new Set(got().map(({ data }) => data.ticket.id))).toEqual(new Set([first.id]))
  expect(
    got()
      .map(({ event }) => event)
      .sort(),
  ).toEqual(['ticket.created', 'ticket.updated'])
  expect(got().find(({ event }) => event === 'ticket.updated')?.data).toMatchObject({
    changes: { status: { from: 'open', to: 'resolved' } },
  })
})

test('what an endpoint got is sent again with a new id and the same body; and is not if only missing events are wanted', async () => {
  const { client, register, got, deliveryIds, replay } = await organization()
  const id = await register()
  await makeTicket(client)
  await eventually(() => got().length === 1)
  const since = new Date(Date.now() - DAY_MS).toISOString()
  await eventually(async () => {
    const path = `/deliveries?endpoint=${id}&state=succeeded`
    return (await client.call<{ data: object[] }>('GET', path)).json.data.length === 1
  })
  const missing = await replay(id, { since, onlyMissing: true })
  expect(await finished(client, missing.json.id)).toMatchObject({ queued: 0, onlyMissing: true, since })
  const all = await replay(id, { since })
  const done = await finished(client, all.json.id)
  expect(done).toMatchObject({ queued: 1, checked: done.total })
  await eventually(() => got().length === 2)
  expect(got()[1]).toEqual(got()[0] as BodyJson)
  expect(new Set(deliveryIds()).size).toBe(2)
})

test('after an outage, only the events that failed are sent, once for an Idempotency-Key', async () => {
  const { client, register, got, replay } = await organization()
  const id = await register()
  await makeTicket(client, { subject: 'Arrived' })
  await eventually(() => got().length === 1)
  receiver.respondWith(({ path }) => (path === `/${client.orgId}` ? { status: 500 } : {}))
  await makeTicket(client, { subject: 'Lost' })
  await eventually(async () => {
    const { json } = await client.call<{ data: object[] }>('GET', `/deliveries?endpoint=${id}&state=failed`)
    return json.data.length === 1
  })
  receiver.respondWith(() => ({}))
  const before = got().length
  const key = { 'idempotency-key': 'once' }
  const body = { after: '0', onlyMissing: true }
  const [one, two] = [await replay(id, body, key), await replay(id, body, key)]
  expect(two.json).toEqual(one.json)
  expect(two.headers.get('location')).toBe(one.headers.get('location'))
  expect(await finished(client, one.json.id)).toMatchObject({ queued: 1 })
  await eventually(() => got().length === before + 1)
  expect(got().at(-1)?.data.ticket.subject).toBe('Lost')
})

test('begins after a position, ends at a time, and keeps to the filters', async () => {
  const { client, register, replay } = await organization()
  const early = await makeTicket(client, { tags: ['vip'] })
  const { json: log } = await client.call<{ meta: { newest: string } }>('GET', '/events')
  const [vip, plain] = [await makeTicket(client, { tags: ['vip'] }), await makeTicket(client)]
  await changeTicket(client, vip.id, { status: 'pending' })
  await changeTicket(client, vip.id, { assignedTo: null, tags: ['vip', 'b'] })
  const queued = async (filters: object, body: object) => {
    const id = await register({ events: ['ticket.created', 'ticket.updated'], ...filters })
    const { json } = await replay(id, body)
    await finished(client, json.id)
    const path = `/deliveries?endpoint=${id}`
    const { data } = (await client.call<{ data: { event: string; ticketId: string }[] }>('GET', path)).json
    return data.map(({ event, ticketId }) => `${event} ${ticketId}`).sort()
  }
  const after = log.meta.newest
  expect(await queued({ tags: ['vip'] }, { after })).toEqual([
    `ticket.created ${vip.id}`,
    `ticket.updated ${vip.id}`,
    `ticket.updated ${vip.id}`,
  ])
  expect(await queued({ changes: ['status'] }, { after })).toEqual(
    [`ticket.created ${vip.id}`, `ticket.created ${plain.id}`, `ticket.updated ${vip.id}`].sort(),
  )
  expect(await queued({ channels: ['email'] }, { after: '0' })).toEqual([])
  const until = early.createdAt
  expect(await queued({}, { after: '0', until })).toEqual([`ticket.created ${early.id}`])
})

test('a time finds its events in a long log, over many slices', async () => {
  const { client, register, replay } = await organization()
  await makeManyTickets(bellhop.deps, client.orgId, 500)
  const since = new Date().toISOString()
  await makeManyTickets(bellhop.deps, client.orgId, 300)
  const { json } = await replay(await register(), { since })
  expect(await finished(client, json.id)).toMatchObject({ queued: 300 })
})

test('is refused for wrong ranges, foreign positions, and an endpoint that is off or of others', async () => {
  const { client, register, replay } = await organization()
  const id = await register()
  const refusal = async (body: object, to = id) => {
    const { status, json } = await replay(to, body)
    return [status, json.errors?.[0]?.code ?? json.code]
  }
  const since = new Date(Date.now() - DAY_MS).toISOString()
  expect(await refusal({})).toEqual([400, 'required'])
  expect(await refusal({ since, after: '0' })).toEqual([400, 'not_allowed'])
  const old = new Date(Date.now() - 91 * DAY_MS).toISOString()
  expect(await refusal({ since: old })).toEqual([400, 'too_far_back'])
  expect(await refusal({ since: 'yesterday' })).toEqual([400, 'invalid_format'])
  for (const time of ['2026-11-27', '2026-11-27T09:30:00', '2026-11-27T24:00:00Z']) {
    expect(await refusal({ since: time })).toEqual([400, 'invalid_format'])
    expect(await refusal({ since, until: time })).toEqual([400, 'invalid_format'])
    for (const name of ['since', 'until']) {
      const list = await client.call('GET', `/deliveries?${name}=${time}`)
      const { errors } = problemOf(list, 400, 'invalid_request')
      expect(errors).toMatchObject([{ parameter: name, code: 'invalid_format' }])
    }
  }
  const later = new Date(Date.now() + DAY_MS).toISOString()
  expect(await refusal({ since: later })).toEqual([400, 'not_allowed'])
  const { json: backwards } = await replay(id, { since, until: new Date(Date.now() - 2 * DAY_MS) })
  expect(backwards.errors).toMatchObject([{ pointer: '/until', code: 'not_allowed' }])
  const { json: nowhere } = await replay(id, { after: 'x' })
  expect(nowhere.errors).toEqual([
    { pointer: '/after', code: 'invalid_cursor', detail: 'Must be a position that you got from here, or 0.' },
  ])
  expect(await refusal({ after: '0', all: true })).toEqual([400, 'unknown_field'])
  const other = await organization()
  await makeTicket(other.client)
  const foreign = (await other.client.call<{ meta: { newest: string } }>('GET', '/events')).json.meta.newest
  expect(await refusal({ after: foreign })).toEqual([410, 'events_expired'])
  expect(await refusal({ since }, await other.register())).toEqual([404, 'not_found'])
  const { json: job } = await replay(id, { since })
  expect((await other.client.call('GET', `/replays/${job.id}`)).status).toBe(404)
  await client.call('POST', `/endpoints/${id}/disable`)
  expect(await refusal({ since })).toEqual([409, 'endpoint_off'])
})
