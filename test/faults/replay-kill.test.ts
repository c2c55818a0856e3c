import { expect, test } from 'bun:test'
import { createApiKey } from '../../server/api-keys/api-keys.ts'
import { readConfig } from '../../server/config.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { call } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { freshPlace } from '../support/engine.ts'
import { makeManyTickets } from '../support/many-tickets.ts'
import { startProgram } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { eventually } from '../support/webhooks.ts'

const TICKETS = 1_500
const KILLS = 6
const MAX_LIFE_MS = 150

test('a replay that is killed again and again sends every event, each with one delivery', async () => {
  const receiver = await startReceiver()
  const place = {
    ...(await freshPlace()),
    BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
    BELLHOP_WEBHOOK_CA: await writeCaFile(),
  }
  const deps = await openDeps(readConfig(place), { log: createLog('error', false, () => {}, Date.now) })
  const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
  const { secret } = await createApiKey(deps, orgId, {
    name: 'Website',
    kind: 'secret',
    scopes: ['endpoints:read', 'endpoints:write'],
    rateLimit: 100_000,
  })
  const tickets = await makeManyTickets(deps, orgId, TICKETS)
  const { endpoint } = await createEndpoint(deps, orgId, { url: receiver.url, events: ['ticket.created'] })
  await deps.database.close()

  let server = await startProgram(place)
  const ask = <Json>(method: string, path: string, body?: object) =>
    call<Json>(method, `${server.url}/v1${path}`, {
      headers: { authorization: `Bearer ${secret}` },
      ...(body && { body }),
    })
  const asked = await ask<{ id: string }>('POST', `/endpoints/${endpoint.id}/replay`, { after: '0' })
  expect(asked.status).toBe(202)
  for (let kill = 0; kill < KILLS; kill += 1) {
    await Bun.sleep(Math.random() * MAX_LIFE_MS)
    await server.end('SIGKILL')
    server = await startProgram(place)
  }
  const replay = await eventually(async () => {
    const { json } = await ask<{ finishedAt?: string; queued: number }>('GET', `/replays/${asked.json.id}`)
    return json.finishedAt === undefined ? undefined : json
  })
  expect(replay.queued).toBe(TICKETS)
  const ticketOf = (body: Uint8Array): string => JSON.parse(Buffer.from(body).toString()).data.ticket.id
  const received = () => new Set(receiver.requests.map(({ body }) => ticketOf(body)))
  await eventually(() => received().size === TICKETS)
  expect(received()).toEqual(new Set(tickets))
  const deliveries = receiver.requests.map(({ headers }) => headers['x-service-delivery'])
  expect(new Set(deliveries).size).toBe(TICKETS)
  await server.end('SIGTERM')
  await receiver.stop()
}, 120_000)
