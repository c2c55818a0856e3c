import { afterAll, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { WEBHOOK_EVENTS } from '../../server/database/tables/events.ts'
import { startBellhop } from '../support/bellhop.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Finished, runProgram } from '../support/program.ts'
import { storedEvents } from '../support/subscription.ts'
import { NO_TICKET, type TicketJson } from '../support/tickets.ts'

// Commands that call the API of a server from any machine, with a key and an address.

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const client = await bellhop.organization()
const folder = temporaryFolder('machine')

/** Runs a command on a machine without data. */
function run(args: string[], place: Record<string, string> = {}): Promise<Finished> {
  const given = { BELLHOP_DATA: join(folder, 'data'), BELLHOP_KEY: client.key, BELLHOP_URL: bellhop.url }
  return runProgram({ ...given, ...place }, args)
}

const idOf = (finished: Finished) => JSON.parse(finished.out).id

test('api prints the body of the answer and nothing else', async () => {
  const made = await run([
    'api',
    'POST',
    '/tickets',
    'subject=Missing invoice',
    'customer.name=Ana Pires',
    'customer.email=ana@example.com',
    'message=a=b: c',
    'tags:=["vip"]',
  ])
  expect(made).toMatchObject({ code: 0, err: '' })
  const id = idOf(made)
  const read = await run(['api', 'get', `/v1/tickets/${id}`])
  expect(read.out).toBe(`${(await client.call('GET', `/tickets/${id}`)).text}\n`)
  const ticket: TicketJson = JSON.parse(read.out)
  expect(ticket).toMatchObject({
    subject: 'Missing invoice',
    customer: { name: 'Ana Pires', email: 'ana@example.com' },
    tags: ['vip'],
    messages: [{ text: 'a=b: c' }],
  })
  const listed = await run(['api', 'GET', '/tickets?tag=vip', 'per_page=1', 'status=open'])
  expect(JSON.parse(listed.out)).toMatchObject({ data: [{ id }], meta: { total: 1, perPage: 1 } })
  const body = JSON.stringify({ text: 'Here it is.' })
  const posted = await run(['api', 'POST', `/tickets/${id}/messages`, '-d', body])
  expect(JSON.parse(posted.out)).toMatchObject({ role: 'agent', text: 'Here it is.' })
})

test('api sends a file and headers, and prints a file as it is', async () => {
  const file = join(folder, 'picture.bin')
  const bytes = Uint8Array.from({ length: 300 }, (_, at) => at % 256)
  writeFileSync(file, bytes)
  const type = ['-H', 'Content-Type: application/octet-stream']
  const uploaded = await run(['api', 'POST', '/attachments?name=picture.bin', '-d', `@${file}`, ...type])
  expect(JSON.parse(uploaded.out)).toMatchObject({ name: 'picture.bin', size: 300 })
  const { id } = JSON.parse(uploaded.out)
  const made = await run([
    'api',
    'POST',
    '/tickets',
    '-d',
    JSON.stringify({ subject: 'x', message: 'x', customer: { email: 'x@example.com' }, attachments: [id] }),
    '-H',
    'Idempotency-Key: once',
  ])
  expect(made.code).toBe(0)
  const changed = await run([
    'api',
    'PATCH',
    `/tickets/${idOf(made)}`,
    'status=open',
    '-H',
    'If-Match: "9.9"',
  ])
  expect(changed).toMatchObject({ code: 1, out: expect.stringContaining('"precondition_failed"') })
  expect(changed.err).toStartWith('412 precondition_failed: ')
  const downloaded = await run(['api', 'GET', `/attachments/${id}`])
  expect([downloaded.code, downloaded.err]).toEqual([0, ''])
})

test('an answer of 400 or more is printed like any other, and ends with code 1 and one sentence', async () => {
  const missing = await run(['api', 'GET', `/tickets/${NO_TICKET}`])
  expect(missing).toMatchObject({ code: 1, err: '404 not_found: There is no ticket with this id.\n' })
  expect(missing.out).toEndWith('}\n')
  expect(JSON.parse(missing.out)).toMatchObject({
    status: 404,
    code: 'not_found',
    detail: 'There is no ticket with this id.',
    requestId: expect.stringMatching(/^req_/),
  })
  const invalid = await run(['api', 'POST', '/tickets', 'subject=x', 'tags:=[7]'])
  expect(invalid.code).toBe(1)
  expect(invalid.err).toMatch(/^400 invalid_request: 3 fields are invalid\. \/customer: .* \/tags\/0: .*\n$/)
  expect(JSON.parse(invalid.out).errors).toHaveLength(3)
})

const UNREACHABLE = 'http://127.0.0.1:9'
const WRONG: [string, Record<string, string>, number, RegExp][] = [
  ['no key', { BELLHOP_KEY: '' }, 2, /^Set BELLHOP_KEY to a secret API key of your organization\.\n$/],
  [
    'a wrong key',
    { BELLHOP_KEY: 'bellhop_sk_x' },
    1,
    /^401 unauthorized: Send a valid secret key as [^\n]+\n$/,
  ],
  ['no address', { BELLHOP_URL: '' }, 2, /^Name the server with --url or BELLHOP_URL, such as [^\n]+\n$/],
  ['a malformed address', { BELLHOP_URL: 'help' }, 2, /^"help" isn't an address such as [^\n]+\n$/],
  [
    'an address where nothing listens',
    { BELLHOP_URL: UNREACHABLE },
    1,
    /^Can't reach http:\/\/127\.0\.0\.1:9: [^\n]+\n$/,
  ],
  [
    'an address of something else',
    { BELLHOP_URL: `${bellhop.url}/docs` },
    1,
    /^404 unknown_route: [^\n]+\n$/,
  ],
]

test.each(WRONG)('with %s, every command ends with one sentence', async (_, place, code, sentence) => {
  for (const args of [
    ['api', 'GET', '/tickets'],
    ['trigger', 'ticket.created'],
  ]) {
    const ended = await run(args, place)
    expect([args, ended.code]).toEqual([args, code])
    expect(ended.err).toMatch(sentence)
    const isAnswer = args[0] === 'api' && /^\d/.test(ended.err)
    expect(isAnswer ? `${JSON.parse(ended.out).status}` : ended.out).toBe(
      isAnswer ? ended.err.slice(0, 3) : '',
    )
  }
})

test('wrong arguments end with code 2', async () => {
  for (const args of [
    ['api', 'FETCH', '/tickets'],
    ['api', 'POST', '/tickets', 'subject'],
    ['api', 'POST', '/tickets', 'tags:=['],
    ['api', 'POST', '/tickets', 'subject=x', '-d', '{}'],
    ['api', 'POST', '/tickets', '-d', '@/nowhere/at/all'],
    ['api', 'GET', '/tickets', '-H', 'no header'],
    ['trigger', 'ticket.exploded'],
  ]) {
    const { code, out, err } = await run(args)
    expect([args, code, out]).toEqual([args, 2, ''])
    expect(err).toMatch(/^[^\n]+\n$/)
  }
})

test('--url goes before BELLHOP_URL, and may end in /v1', async () => {
  const listed = await run(['api', 'GET', '/tickets', '--url', `${bellhop.url}/v1/`], {
    BELLHOP_URL: UNREACHABLE,
  })
  expect(listed.code).toBe(0)
})

test('no data folder is opened or made, and a settings file that this user can’t use doesn’t matter', async () => {
  const data = temporaryFolder('of-others')
  writeFileSync(join(data, 'bellhop.env'), 'this is no setting')
  writeFileSync(join(data, 'bellhop.db'), 'this is no database')
  expect((await run(['api', 'GET', '/tickets'], { BELLHOP_DATA: data })).code).toBe(0)
  expect(existsSync(join(folder, 'data'))).toBe(false)
})

test.each(WEBHOOK_EVENTS.filter((event) => event !== 'message.updated'))(
  'trigger makes %s happen and prints what it made',
  async (event) => {
    const own = await (await bellhop.organization(`Of ${event}`)).withKey({ scopes: [...KEY_SCOPES] })
    const { code, out, err } = await run(['trigger', event], { BELLHOP_KEY: own.key })
    expect([code, err.split('\n')[0]]).toEqual([0, expect.stringMatching(/^\w+ \/v1\/\S+ 20\d$/)])
    const events = await storedEvents(bellhop.deps, own.orgId)
    expect(events.map(({ type }) => type)).toContain(event)
    expect(out).toMatch(/^((tkt|usr)_\w{26}\n)+$/)
  },
)

test.each(['claude-code', 'cursor', 'vscode'])(
  'mcp config prints the settings of %s with the address of the server, and without the key',
  async (name) => {
    const printed = await run(['mcp', 'config', name])
    expect(printed.code).toBe(0)
    expect(printed.out + printed.err).not.toContain(client.key)
    expect(printed.err).toMatch(/^Save it as \S+\.json in your project/)
    const config = JSON.parse(printed.out)
    const { url, headers } = (config.servers ?? config.mcpServers).bellhop
    expect(url).toBe(`${bellhop.url}/mcp/key`)
    expect(headers).toEqual({ Authorization: expect.stringMatching(/^Bearer \$\{[\w:-]+\}$/) })
  },
)

test('mcp config needs no key, and says which clients there are', async () => {
  const elsewhere = { BELLHOP_KEY: '', BELLHOP_URL: '' }
  const printed = await run(['mcp', 'config', 'cursor', '--url', 'https://help.example.com/v1/'], elsewhere)
  expect(JSON.parse(printed.out).mcpServers.bellhop.url).toBe('https://help.example.com/mcp/key')
  expect(await run(['mcp', 'config', 'cursor'], elsewhere)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--url or BELLHOP_URL'),
  })
  expect(await run(['mcp', 'config', 'emacs'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('claude-code, cursor, vscode'),
  })
})
