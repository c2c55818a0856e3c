import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json' with { type: 'json' }
import { call } from '../support/bellhop.ts'
import { placeProgram } from '../support/compiled-program.ts'
import { temporaryFolder } from '../support/folder.ts'
import { connectMcp } from '../support/mcp.ts'
import { runProgram, startProgram } from '../support/program.ts'

const TICKET = { subject: 'Lost', message: 'Where?', customer: { name: 'Cy', email: 'cy@example.com' } }

test('the compiled program serves from an empty folder without anything else installed, and keeps its data', async () => {
  const folder = temporaryFolder('binary')
  const program = await placeProgram(folder)
  // Bun would read this file. The compiled program must not.
  await Bun.write(join(folder, '.env'), 'PORT=none\n')
  const place = { PATH: '', BELLHOP_DATA: join(folder, 'data') }
  mkdirSync(place.BELLHOP_DATA)
  const versionPattern = new RegExp(`^${version.replaceAll('.', '\\.')}( \\(commit [0-9a-f]{12}\\))?\n$`)
  expect(await runProgram(place, ['--version'], program, folder)).toEqual({
    code: 0,
    out: expect.stringMatching(versionPattern),
    err: '',
  })

  await using first = await startProgram(place, program, folder)
  expect(first.out()).toContain('another terminal: ./bellhop setup --help')
  const admin = ['--name', 'Ana', '--email', 'ana@example.com']
  const setup = await runProgram(place, ['setup', '--org', 'Acme', ...admin], program, folder)
  expect(setup.err).toStartWith(`Choose a password and sign in: ${first.url}/join#`)
  const key = (await runProgram(place, ['key', 'create', '--org', 'Acme'], program, folder)).out.trim()
  const headers = { authorization: `Bearer ${key}` }
  const created = await call<object>('POST', `${first.url}/v1/tickets`, { headers, body: TICKET })
  expect(created.status).toBe(201)
  const refused = await call('POST', `${first.url}/v1/tickets`, { headers, body: { subject: 7 } })
  expect([refused.status, refused.json]).toMatchObject([400, { code: 'invalid_request' }])
  const files = ['docs.css', 'docs.js', 'bellhop-alerts.yml', 'bellhop-dashboard.json']
  for (const path of ['/', '/docs', ...files.map((file) => `/docs/${file}`), '/metrics']) {
    expect([path, (await call('GET', first.url + path)).status]).toEqual([path, 200])
  }
  const page = (await call('GET', `${first.url}/inbox/mine`)).text
  const script = /src="(\/assets\/index-[^"]+)"/.exec(page)?.[1] ?? 'none'
  expect((await call('GET', first.url + script)).headers.get('content-type')).toStartWith('text/javascript')
  const font = /href="(\/assets\/inter-[^"]+)"/.exec(page)?.[1] ?? 'none'
  expect((await call('GET', first.url + font)).headers.get('content-type')).toBe('font/woff2')
  const guide = await call('GET', `${first.url}/docs/api`)
  expect([guide.status, guide.text]).toEqual([200, expect.stringContaining(`curl ${first.url}/v1/tickets`)])
  const document = await call('GET', `${first.url}/v1/openapi.json`)
  expect(document.json).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), info: { version } })
  const { toolNames } = await connectMcp({ url: first.url, key })
  expect(await toolNames()).toContain('search_tickets')
  const taken = await runProgram({ ...place, PORT: '0' }, [], program, folder)
  expect([taken.code, taken.err]).toEqual([
    1,
    expect.stringContaining(`process ${first.pid}, at ${first.url}`),
  ])

  await first.end('SIGKILL')
  await using second = await startProgram(place, program, folder)
  const kept = await call('GET', second.url + String(created.headers.get('location')), { headers })
  expect(kept.json).toMatchObject(created.json)
  expect(await second.end('SIGTERM')).toBe(0)
})
