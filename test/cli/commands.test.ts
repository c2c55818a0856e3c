import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../server/config.ts'
import { agents } from '../../server/database/tables/agents.ts'
import { openDeps } from '../../server/open-deps.ts'
import { call } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { temporaryFolder } from '../support/folder.ts'
import {
  type Finished,
  type Place,
  PROGRAM,
  type RunningServer,
  runProgram,
  startProgram,
} from '../support/program.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { eventually } from '../support/webhooks.ts'

// One server for all tests: commands run while it is running, as on a real server.
const PASSWORD = 'correct horse battery'
let place: Place
let server: RunningServer
let receiver: Receiver
let orgId: string

beforeAll(async () => {
  place = {
    BELLHOP_DATA: temporaryFolder('data'),
    BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
    BELLHOP_WEBHOOK_CA: await writeCaFile(),
  }
  receiver = await startReceiver()
  server = await startProgram(place)
  const passwordFile = join(place.BELLHOP_DATA ?? '', 'password')
  writeFileSync(passwordFile, `${PASSWORD}\n`)
  const admin = ['--name', 'Ana', '--email', 'ana@example.com', '--password-file', passwordFile]
  const set = await bellhop('setup', '--org', 'Acme', ...admin)
  expect(set).toEqual({
    code: 0,
    out: expect.stringMatching(/^org_\w+\n$/),
    err: `Sign in: ${server.url}/sign-in\n`,
  })
  orgId = set.out.trimEnd()
})

afterAll(async () => {
  await server.end('SIGTERM')
  await receiver.stop()
})

test('setup prints the id of the organization and gives the administrator the password of the file', async () => {
  expect(orgId).toMatch(/^org_[0-9a-z]{12}$/)
  const deps = await openDeps(readConfig(place))
  const [admin] = await deps.database.read.select().from(agents)
  await deps.database.close()
  expect(admin).toMatchObject({ orgId, name: 'Ana', email: 'ana@example.com', role: 'admin' })
  expect(await Bun.password.verify(PASSWORD, admin?.passwordHash ?? '')).toBe(true)
})

test('a second setup with the same name is refused and creates nothing', async () => {
  const again = await bellhop('setup', '--org', 'Acme', '--name', 'Bo', '--email', 'bo@example.com')
  expect(again).toEqual({ code: 1, out: '', err: 'An organization named "Acme" already exists.\n' })
  const badAddress = await bellhop('setup', '--org', 'Umbrella', '--name', 'Bo', '--email', 'nobody')
  expect(badAddress).toEqual({ code: 2, out: '', err: '--email: Must be an email address.\n' })
  const list = await bellhop('org', 'list', '--json')
  expect(JSON.parse(list.out)).toEqual([{ id: orgId, name: 'Acme', createdAt: expect.any(String) }])
})

test('a key works at once, and stops working when it is revoked', async () => {
  const key = line(await bellhop('key', 'create', '--org', 'Acme', '--name', 'Website', '--rate-limit', '7'))
  expect(key).toMatch(/^bellhop_sk_[0-9a-z]{12}_[\w-]{40}$/)
  const tickets = await get('/v1/tickets', key)
  expect(tickets.status).toBe(200)
  expect(tickets.headers.get('x-ratelimit-limit')).toBe('7')
  const revoked = await bellhop('key', 'revoke', key.slice(0, -34), '--org', orgId)
  expect(revoked.code).toBe(0)
  await eventually(async () => (await get('/v1/tickets', key)).status === 401)
})

test('scopes, expiry and the public kind of a key are those of its command', async () => {
  const create = ['key', 'create', '--org', 'Acme']
  const [reader, publicKey] = await Promise.all([
    bellhop(...create, '--name', 'Reader', '--scopes', 'tickets:read', '--expires', '90d'),
    bellhop(...create, '--name', 'Widget', '--public'),
  ])
  expect((await get('/v1/tickets', line(reader))).status).toBe(200)
  expect((await post('/v1/tickets', line(reader), {})).status).toBe(403)
  expect((await get('/v1/tickets', line(publicKey))).status).toBe(403)
  const keys: Record<string, unknown>[] = JSON.parse(
    (await bellhop('key', 'list', '--org', orgId, '--json')).out,
  )
  const found = keys.find(({ name }) => name === 'Reader')
  expect(found).toMatchObject({ kind: 'secret', scopes: ['tickets:read'], rateLimit: null, revokedAt: null })
  const days = (Date.parse(String(found?.expiresAt)) - Date.now()) / 86_400_000
  expect(days).toBeWithin(89.9, 90.1)
  expect(JSON.stringify(found)).not.toContain(line(reader))
  expect(keys.find(({ name }) => name === 'Widget')).toMatchObject({
    publicKey: line(publicKey),
    scopes: null,
  })
})

test('a new endpoint gets the next ticket, and its deliveries can be listed and resent', async () => {
  const create = ['endpoint', 'create', '--org', 'Acme', '--url', receiver.url, '--events', 'ticket.created']
  const endpoint = await bellhop(...create)
  expect(endpoint.code).toBe(0)
  const { id, secret, ...more } = JSON.parse(endpoint.out)
  expect([id, secret, more]).toEqual([expect.stringMatching(/^whe_/), expect.stringMatching(/^whsec_/), {}])
  const key = line(await bellhop('key', 'create', '--org', 'Acme'))
  const ticket = { subject: 'Lost', message: 'Where?', customer: { name: 'Cy', email: 'cy@example.com' } }
  expect((await post('/v1/tickets', key, ticket)).status).toBe(201)
  const deliveryId = String((await receiver.next()).headers['x-service-delivery'])

  const delivery = await eventually(async () => {
    const shown = await bellhop('deliveries', 'show', deliveryId, '--json')
    const found = JSON.parse(shown.out)
    return found.state === 'succeeded' && found
  })
  expect(delivery).toMatchObject({ id: deliveryId, endpointId: id, event: 'ticket.created', attempts: 1 })
  const list = ['deliveries', 'list', '--org', 'Acme', '--endpoint', id, '--since', '1h', '--json']
  const [succeeded, failed] = await Promise.all([
    bellhop(...list, '--state', 'succeeded', '--event', 'ticket.created'),
    bellhop(...list, '--state', 'failed'),
  ])
  expect(JSON.parse(succeeded.out)).toMatchObject([{ id: deliveryId, state: 'succeeded' }])
  expect(JSON.parse(failed.out)).toEqual([])

  line(await bellhop('deliveries', 'resend', deliveryId))
  expect((await receiver.next()).headers['x-service-delivery']).toBe(deliveryId)
})

test('an endpoint can be changed, tested, disabled, enabled and deleted', async () => {
  const create = ['endpoint', 'create', '--org', 'Acme', '--url', receiver.url, '--events', 'message.sent']
  const { id, secret } = JSON.parse((await bellhop(...create)).out)
  const changed = await bellhop('endpoint', 'update', id, '--description', 'Billing', '--json')
  expect(JSON.parse(changed.out)).toMatchObject({ id, description: 'Billing', events: ['message.sent'] })
  const rotated = JSON.parse((await bellhop('endpoint', 'rotate', id)).out)
  expect(rotated).toEqual({ id, secret: expect.stringMatching(/^whsec_/) })
  expect(rotated.secret).not.toBe(secret)
  const tooSoon = await bellhop('endpoint', 'rotate', id)
  expect(tooSoon).toMatchObject({ code: 1, out: '', err: expect.stringContaining('is valid until 20') })
  const forced = await bellhop('endpoint', 'rotate', id, '--force')
  expect(JSON.parse(forced.out).secret).not.toBe(rotated.secret)
  expect(forced.err).toMatch(/^X-Service-Signature now uses the new .* The old one .* until 20.* UTC\.\n$/)

  line(await bellhop('endpoint', 'disable', id))
  const tested = JSON.parse((await bellhop('endpoint', 'test', id, '--event', 'message.sent', '--json')).out)
  const sample = await receiver.next()
  expect(sample.headers).toMatchObject({ 'x-service-test': 'true', 'x-service-delivery': tested.deliveryId })
  const list = () => bellhop('endpoint', 'list', '--org', orgId, '--json')
  expect(JSON.parse((await list()).out).at(-1)).toMatchObject({ id, isOn: false, offReason: 'manual' })
  line(await bellhop('endpoint', 'enable', id))
  expect(JSON.parse((await list()).out).at(-1)).toMatchObject({ id, isOn: true })
  line(await bellhop('endpoint', 'delete', id))
  expect((await list()).out).not.toContain(id)
})

test('an agent can be added, listed, and disabled by email address', async () => {
  const input = ['--name', 'Dé\u001b[31m', '--email', 'Dee@example.com', '--json']
  const created = JSON.parse((await bellhop('agent', 'create', '--org', 'Acme', ...input)).out)
  expect(created).toMatchObject({
    name: 'Dé\u001b[31m',
    email: 'Dee@example.com',
    role: 'agent',
    disabledAt: null,
  })
  line(await bellhop('agent', 'disable', 'dee@EXAMPLE.com', '--org', 'Acme'))
  const list = (await bellhop('agent', 'list', '--org', 'Acme')).out.trimEnd().split('\n')
  expect(list[0]).toMatch(/^ID +NAME +EMAIL +ROLE +CREATED +STATE$/)
  expect(list[1]).toMatch(
    /^agt_\S+ {2}Ana +ana@example.com +admin +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC +active$/,
  )
  // Text from others can't affect the terminal.
  expect(list[2]).toMatch(/Dé\\u001b\[31m +Dee@example.com +agent +.* disabled \d{4}/)
})

test('a program has no email address, and its keys act as it', async () => {
  const create = ['agent', 'create', '--org', 'Acme', '--role', 'program', '--name', 'Answer bot']
  const id = line(await bellhop(...create))
  const withEmail = await bellhop(...create, '--email', 'bot@example.com')
  expect(withEmail).toMatchObject({ code: 2, out: '' })
  const person = await bellhop('agent', 'create', '--org', 'Acme', '--name', 'Flo')
  expect(person).toMatchObject({ code: 2, err: expect.stringContaining('--email') })
  const newKey = ['key', 'create', '--org', 'Acme', '--scopes', 'all,erase', '--as']
  const key = line(await bellhop(...newKey, 'Answer bot'))
  const unknown = await bellhop(...newKey, 'Nobody')
  expect(unknown).toEqual({ code: 2, out: '', err: '--as: No enabled program has this id or name.\n' })
  const ticket = { subject: 'Lost', message: 'Where?', customer: { email: 'cy@example.com' } }
  const { json } = await post('/v1/tickets', key, ticket)
  const sent = await post(`/v1/tickets/${json.id}/messages`, key, { text: 'Here.' })
  expect(sent.json).toMatchObject({ agentName: 'Answer bot' })
  const [found] = JSON.parse((await bellhop('key', 'list', '--org', orgId, '--json')).out).slice(-1)
  expect(found).toMatchObject({ program: { id, name: 'Answer bot' } })
  const named = ['endpoints:write', 'import:write', 'erase']
  expect(named.filter((scope) => found.scopes.includes(scope))).toEqual(['erase'])
  expect(await bellhop('agent', 'link', id)).toMatchObject({ code: 1, out: '' })
  line(await bellhop('agent', 'disable', id))
  await eventually(async () => (await get('/v1/tickets', key)).status === 403)
  line(await bellhop('agent', 'enable', id))
  await eventually(async () => (await get('/v1/tickets', key)).status === 200)
})

test('disabling an agent prints how many tickets were unassigned, can be undone, and is refused for the last administrator', async () => {
  const create = ['agent', 'create', '--org', 'Acme', '--name', 'Eve', '--role', 'admin']
  const eve = line(await bellhop(...create, '--email', 'eve@example.com'))
  const key = line(await bellhop('key', 'create', '--org', 'Acme'))
  const ticket = { subject: 'Lost', message: 'Where?', customer: { email: 'cy@example.com' } }
  const { json } = await post('/v1/tickets', key, ticket)
  const path = `/v1/tickets/${json.id}`
  const assigned = await call('PATCH', server.url + path, {
    headers: { authorization: `Bearer ${key}` },
    body: { assignedTo: eve },
  })
  expect(assigned.status).toBe(200)

  expect(line(await bellhop('agent', 'disable', eve))).toBe(`${eve} is disabled. 1 ticket was unassigned.`)
  expect((await get(path, key)).json).not.toHaveProperty('assignedTo')
  expect(await bellhop('agent', 'disable', 'ana@example.com', '--org', 'Acme')).toEqual({
    code: 1,
    out: '',
    err: "This is the organization's last enabled administrator. Add or enable another one first.\n",
  })
  expect(line(await bellhop('agent', 'enable', 'EVE@example.com', '--org', 'Acme'))).toBe(
    `${eve} is enabled.`,
  )
  const found: unknown[] = JSON.parse((await bellhop('agent', 'list', '--org', orgId, '--json')).out)
  expect(found).toContainEqual(expect.objectContaining({ id: eve, disabledAt: null }))
  expect(found).toContainEqual(expect.objectContaining({ email: 'ana@example.com', disabledAt: null }))
})

test('a command exits quietly when its reader closes the pipe', async () => {
  const child = Bun.spawn([...PROGRAM, 'org', 'list'], { env: place, stdout: 'pipe', stderr: 'pipe' })
  await child.stdout.cancel()
  expect([await new Response(child.stderr).text(), await child.exited]).toEqual(['', 0])
})

async function bellhop(...args: string[]): Promise<Finished> {
  return runProgram(place, args)
}

/** The only line a command printed. */
function line({ code, out, err }: Finished): string {
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^[^\n]+\n$/)
  return out.trimEnd()
}

function get(path: string, key: string) {
  return call('GET', server.url + path, { headers: { authorization: `Bearer ${key}` } })
}

function post(path: string, key: string, body: object) {
  return call<{ id: string }>('POST', server.url + path, {
    headers: { authorization: `Bearer ${key}` },
    body,
  })
}
