import { afterAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApiKey, listApiKeys } from '../../server/api-keys/api-keys.ts'
import { StorageError } from '../../server/database/database.ts'
import { KEY_SCOPES, type KeyScope } from '../../server/database/tables/api-keys.ts'
import { type Client, call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { storedRows } from '../support/stored-rows.ts'
import { makeTicket, NO_TICKET, problemOf, ticketInput } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

// Specification, section 5; scopes and the public key as the contract has them.

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

/** Section 4: every operation, with what it needs. */
const OPERATIONS: [method: string, path: string, scope: KeyScope, body: object | undefined][] = [
  ['GET', '/tickets', 'tickets:read', undefined],
  ['GET', `/tickets/${NO_TICKET}`, 'tickets:read', undefined],
  ['POST', '/tickets', 'tickets:write', ticketInput()],
  ['PATCH', `/tickets/${NO_TICKET}`, 'tickets:write', {}],
  ['POST', `/tickets/${NO_TICKET}/messages`, 'messages:write', { text: 'Hello' }],
]

describe('a request without a valid key is 401', () => {
  test.each(OPERATIONS)('%s %s', async (method, path, _, body) => {
    clock.advance(60_000)
    const client = await bellhop.organization()
    const before = await storedRows(bellhop.deps)
    for (const authorization of badHeaders(client)) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      const answer = await call(method, `${bellhop.url}/v1${path}`, { body, headers })
      const problem = problemOf(answer, 401, 'unauthorized')
      expect(problem.detail).toBe('Send a valid secret key as Authorization: Bearer <API_KEY>.')
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="Bellhop"')
    }
    expect(await storedRows(bellhop.deps)).toEqual(before)
  })

  test('a key does not count in the address, in a cookie or in the body', async () => {
    const { key } = await bellhop.organization()
    const url = `${bellhop.url}/v1/tickets`
    problemOf(await call('GET', `${url}?api_key=${key}&access_token=${key}`), 401, 'unauthorized')
    problemOf(
      await call('GET', url, { headers: { cookie: `key=${key}`, 'x-api-key': key } }),
      401,
      'unauthorized',
    )
  })

  test('the word Bearer may be written in any case, as HTTP has it', async () => {
    const { key } = await bellhop.organization()
    for (const authorization of [`bearer ${key}`, `BEARER ${key}`, `Bearer   ${key}`]) {
      const answer = await call('GET', `${bellhop.url}/v1/tickets`, { headers: { authorization } })
      expect(answer.status).toBe(200)
    }
  })
})

describe('a key that has ended is 401', () => {
  test('from the millisecond it expires', async () => {
    const client = await bellhop.organization()
    const brief = await client.withKey({ expiresAt: clock.now() + 5000 })
    clock.advance(4999)
    expect((await brief.call('GET', '/tickets')).status).toBe(200)
    clock.advance(1)
    problemOf(await brief.call('GET', '/tickets'), 401, 'unauthorized')
  })
})

describe('permissions', () => {
  test.each(OPERATIONS)('the public widget key is 403 for %s %s', async (method, path, _, body) => {
    const client = await bellhop.organization()
    const widget = await client.withKey({ kind: 'public' })
    expect(widget.key).toStartWith('bellhop_pk_')
    const problem = problemOf(await widget.call(method, path, { body }), 403, 'public_key')
    expect(problem.detail).toBe('Public keys work only for the widget. Use a secret key.')
  })

  test.each(OPERATIONS)('%s %s needs its own scope, and no other', async (method, path, scope, body) => {
    const client = await bellhop.organization()
    const enough = await client.withKey({ scopes: [scope] })
    const rest = await client.withKey({ scopes: KEY_SCOPES.filter((one) => one !== scope) })
    const allowed = await enough.call(method, path, { body })
    expect([200, 201, 404]).toContain(allowed.status)
    const problem = problemOf(await rest.call(method, path, { body }), 403, 'missing_scope')
    expect(problem.detail).toBe(`This key needs the scope ${scope}.`)
  })

  test('a secret key without scopes may do everything', async () => {
    const client = await bellhop.organization()
    for (const [method, path, , body] of OPERATIONS) {
      expect([200, 201, 404]).toContain((await client.call(method, path, { body })).status)
    }
  })

  test('a refused request changes nothing', async () => {
    const client = await bellhop.organization()
    const { id } = await makeTicket(client)
    const reader = await client.withKey({ scopes: ['tickets:read'] })
    const before = await storedRows(bellhop.deps)
    for (const [method, path, scope, body] of OPERATIONS.slice(2)) {
      const answer = await reader.call(method, path.replace(NO_TICKET, id), { body })
      expect(problemOf(answer, 403, 'missing_scope').detail).toContain(scope)
    }
    expect(await storedRows(bellhop.deps)).toEqual(before)
  })

  test.each([
    ['an unknown scope', { scopes: ['tickets:delete' as KeyScope] }],
    ['no scope at all', { scopes: [] }],
    ['scopes on a public key', { kind: 'public' as const, scopes: ['tickets:read' as const] }],
    ['a rate of 0', { rateLimit: 0 }],
    ['a rate of 1.5', { rateLimit: 1.5 }],
    ['an end in the past', { expiresAt: 1 }],
    ['a blank name', { name: ' ' }],
  ])('a key with %s cannot be made', async (_, input) => {
    const { orgId } = await bellhop.organization()
    const making = createApiKey(bellhop.deps, orgId, { name: 'Website', kind: 'secret', ...input })
    expect(making).rejects.toThrow()
    await making.catch(() => {})
    expect(await listApiKeys(bellhop.deps, orgId)).toHaveLength(1)
  })
})

test('the last use of a key is kept, now and then, without a write for each request', async () => {
  const client = await bellhop.organization()
  const lastUsed = async () => (await listApiKeys(bellhop.deps, client.orgId)).map((key) => key.lastUsedAt)
  expect(await lastUsed()).toEqual([null])
  await client.call('GET', '/tickets')
  const usedAt = clock.now()
  expect(await lastUsed()).toEqual([null])
  clock.advance(10_000)
  expect(await eventually(async () => (await lastUsed())[0])).toBe(usedAt)
})

test('the last use of a key is not forgotten when the storage refuses it', async () => {
  const client = await bellhop.organization()
  await client.call('GET', '/tickets')
  const usedAt = clock.now()
  const { database } = bellhop.deps
  const { write } = database
  database.write = async () => {
    throw new StorageError('The disk refused the change.')
  }
  clock.advance(10_000)
  await eventually(() => bellhop.logLines.some((line) => line.includes('last_used_not_saved')))
  database.write = write
  clock.advance(10_000)
  const saved = async () => (await listApiKeys(bellhop.deps, client.orgId))[0]?.lastUsedAt
  expect(await eventually(saved)).toBe(usedAt)
})

test('a secret is shown once and stored nowhere', async () => {
  const own = await startBellhop()
  const client = await own.organization()
  await makeTicket(client)
  await own.deps.database.write(undefined, async () => {})
  await call('GET', `${own.url}/v1/tickets`, { headers: { authorization: `Bearer ${client.key}x` } })
  await client.call('GET', '/tickets?nonsense=1')
  const [key] = await listApiKeys(own.deps, client.orgId)
  const rows = JSON.stringify(await storedRows(own.deps))
  await own.stop()
  const random = client.key.slice(key?.prefix.length)
  expect(random.length).toBeGreaterThan(30)
  expect(client.key).toMatch(/^bellhop_sk_[0-9a-z]{12}_[\w-]{40}$/)
  expect(rows).toContain(new Bun.CryptoHasher('sha256').update(client.key).digest('hex'))
  for (const text of [rows, own.logLines.join('\n'), JSON.stringify(key)]) expect(text).not.toContain(random)
  const folder = own.deps.config.dataFolder
  for (const file of readdirSync(folder)) {
    expect(readFileSync(join(folder, file)).includes(random), file).toBe(false)
  }
})

function badHeaders(client: Client): (string | undefined)[] {
  const { key } = client
  return [
    undefined,
    'Bearer',
    'Bearer ',
    key,
    `Basic ${btoa(`${key}:`)}`,
    `Token ${key}`,
    `Bearer ${key.slice(0, -1)}`,
    `Bearer ${key}x`,
    `Bearer ${key} ${key}`,
    `Bearer ${key.toUpperCase()}`,
    `Bearer "${key}"`,
    `Bearer ${'x'.repeat(10_000)}`,
    `Bearer ${new Bun.CryptoHasher('sha256').update(key).digest('hex')}`,
    "Bearer ' or 1=1 --",
    'Bearer ÿ',
  ]
}
