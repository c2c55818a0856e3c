import { expect, test } from 'bun:test'
import { createApiKey } from '../../server/api-keys/api-keys.ts'
import { readConfig } from '../../server/config.ts'
import type { Deps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { createEndpoint, disableEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { call } from '../support/bellhop.ts'
import { freshPlace } from '../support/engine.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { startProgram } from '../support/program.ts'
import type { MessageJson } from '../support/tickets.ts'

const KILLS = 6
const TICKETS = 100
const MESSAGES = 5
const MAX_LIFE_MS = 150

interface Results {
  data: { state: string }[]
}

const tickets = Array.from({ length: TICKETS }, (_, number) => {
  const day = `2024-03-01T${String(number % 24).padStart(2, '0')}`
  return {
    externalId: `ticket-${number}`,
    subject: `Order ${number}`,
    status: number % 2 === 0 ? 'open' : 'resolved',
    channel: number % 3 === 0 ? 'email' : 'api',
    customer: { name: `Customer ${number % 7}`, email: `customer${number % 7}@example.com` },
    createdAt: `${day}:00:00.000Z`,
    messages: Array.from({ length: MESSAGES }, (_unused, place) => ({
      externalId: `message-${place}`,
      role: ['customer', 'agent', 'note'][place % 3],
      text: `Message ${place} of ${number}`,
      createdAt: `${day}:0${place}:00.000Z`,
      author: { name: `Author ${place}` },
    })),
  }
})

test('tickets whose import was killed again and again are there once, as if it had never been', async () => {
  const place = await freshPlace()
  const deps = await openDeps(readConfig(place), { log: createLog('error', false, () => {}, Date.now) })
  const [killed, whole] = [await openOrganization(deps), await openOrganization(deps)]
  await deps.database.close()
  let server = await startProgram(place)
  const ask = <Json>(key: string, method: string, path: string, body?: object) =>
    call<Json>(method, `${server.url}/v1${path}`, {
      headers: { authorization: `Bearer ${key}` },
      ...(body && { body }),
    })
  const importAll = (key: string) => ask<Results>(key, 'POST', '/imports', { tickets })
  for (let kill = 0; kill < KILLS; kill += 1) {
    const ended = importAll(killed).catch(() => undefined)
    await Bun.sleep(Math.random() * MAX_LIFE_MS)
    await server.end('SIGKILL')
    await ended
    server = await startProgram(place)
  }
  for (const key of [killed, whole]) {
    expect((await importAll(key)).json.data.map(({ state }) => state)).not.toContain('refused')
    const again = await importAll(key)
    expect(new Set(again.json.data.map(({ state }) => state))).toEqual(new Set(['exists']))
  }
  const stored = await contentsOf(whole)
  expect(stored.map(({ messages }) => messages.length)).toEqual(tickets.map(() => MESSAGES))
  expect(await contentsOf(killed)).toEqual(stored)
  for (const key of [killed, whole]) {
    const events = await ask<{ data: { event: string }[] }>(key, 'GET', '/events?after=0&limit=1000')
    expect(events.json.data.map(({ event }) => event)).toEqual(tickets.map(() => 'ticket.imported'))
    expect((await ask<{ data: [] }>(key, 'GET', '/deliveries')).json.data).toEqual([])
  }
  await server.end('SIGTERM')

  /** By number, without ids. An answer that waited for its email wouldn't be `sent`. */
  async function contentsOf(key: string) {
    const read = async <Json>(path: string) => (await ask<{ data: Json[] }>(key, 'GET', path)).json.data
    return Promise.all(
      tickets.map(async ({ externalId }) => {
        const [ticket] = await read<{ id: string }>(`/tickets?externalId=${externalId}`)
        const { id, orgId: _org, customerId: _customer, ...others } = { orgId: '', customerId: '', ...ticket }
        const messages = await read<MessageJson>(`/tickets/${id}/messages`)
        const notes = await read<MessageJson>(`/tickets/${id}/notes`)
        for (const { role, delivery } of messages)
          expect(delivery?.state).toBe(role === 'agent' ? 'sent' : undefined)
        return { ...others, messages: [...messages, ...notes].map(({ id: _id, ...message }) => message) }
      }),
    )
  }
}, 120_000)

/** Returns a key that may import. Its mailbox and its endpoint get what waits for them, and send nothing. */
async function openOrganization(deps: Deps): Promise<string> {
  const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
  await openLedger({ deps }, orgId)
  const { endpoint } = await createEndpoint(deps, orgId, {
    url: 'https://hooks.example/in',
    events: ['ticket.created', 'message.sent'],
  })
  await disableEndpoint(deps, orgId, endpoint.id)
  const scopes = ['import:write', 'tickets:read', 'notes:read', 'endpoints:read'] as const
  const { secret } = await createApiKey(deps, orgId, {
    name: 'Old desk',
    kind: 'secret',
    rateLimit: 100_000,
    scopes: [...scopes],
  })
  return secret
}
