import { afterAll, beforeEach, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
let ana: SignedInAgent

beforeEach(async () => {
  const { orgId } = await bellhop.organization()
  ana = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
})

interface Created {
  key: { id: string; prefix: string }
  secret: string
}

async function create(body: object): Promise<Created> {
  const answer = await ana.call<Created>('POST', '/console/keys', { body })
  expect(answer.status).toBe(201)
  return answer.json
}

async function listed() {
  return (await ana.call<{ data: { id: string }[] }>('GET', '/console/keys')).json.data
}

function useKey(secret: string) {
  return call('GET', `${bellhop.url}/v1/tickets`, { headers: { authorization: `Bearer ${secret}` } })
}

test('a key created in the console works at once, and is shown in full only once', async () => {
  const { key, secret } = await create({ name: ' Website ' })
  expect<unknown>(key).toEqual({
    id: expect.stringMatching(/^key_/),
    kind: 'secret',
    name: 'Website',
    prefix: secret.slice(0, -34),
    scopes: null,
    rateLimit: null,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: new Date(clock.now()).toISOString(),
  })
  expect((await useKey(secret)).status).toBe(200)
  const { text } = await ana.call('GET', '/console/keys')
  expect(text).toContain(key.id)
  expect(text).not.toContain(secret)
})

test('a public key can be shown again', async () => {
  const { key, secret } = await create({ name: 'Widget', kind: 'public' })
  expect(await listed()).toContainEqual(expect.objectContaining({ id: key.id, publicKey: secret }))
})

test('scopes, rate limit, and expiry of a key are enforced', async () => {
  const expiresAt = new Date(clock.now() + 60_000).toISOString()
  const input = { name: 'Reader', scopes: ['tickets:write'], rateLimit: 2, expiresAt }
  const { key, secret } = await create(input)
  expect(key).toMatchObject(input)
  expect((await useKey(secret)).json).toMatchObject({ status: 403, code: 'missing_scope' })
  const limited = await create({ name: 'Limited', rateLimit: 2, expiresAt })
  expect([
    await useKey(limited.secret),
    await useKey(limited.secret),
    await useKey(limited.secret),
  ]).toMatchObject([{ status: 200 }, { status: 200 }, { status: 429 }])
  clock.advance(60_000)
  expect((await useKey(limited.secret)).status).toBe(401)
})

test('a revoked key is refused from the next request on and stays in the list', async () => {
  const { key, secret } = await create({ name: 'Old' })
  expect((await useKey(secret)).status).toBe(200)
  expect((await ana.call('DELETE', `/console/keys/${key.id}`)).status).toBe(204)
  expect((await useKey(secret)).status).toBe(401)
  const revokedAt = new Date(clock.now()).toISOString()
  expect(await listed()).toContainEqual(expect.objectContaining({ id: key.id, revokedAt }))
  clock.advance(1_000)
  expect((await ana.call('DELETE', `/console/keys/${key.id}`)).status).toBe(204)
  expect(await listed()).toContainEqual(expect.objectContaining({ id: key.id, revokedAt }))
})
