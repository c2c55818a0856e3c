import { expect, test } from 'bun:test'
import { newBrowserSession, tokenOf } from '../support/browser-session.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runProgram, startProgram } from '../support/program.ts'

const SETUP = ['setup', '--org', 'Acme', '--name', 'Ana', '--email', 'ana@acme.example']

test('a link created in the shell lets an administrator back in, once', async () => {
  const place = { BELLHOP_DATA: temporaryFolder('data') }
  await using server = await startProgram(place)
  await runProgram(place, SETUP)
  const link = () => runProgram(place, ['agent', 'link', 'ana@acme.example', '--org', 'Acme'])
  const [replaced, printed] = [await link(), await link()]
  expect(printed.out).toMatch(new RegExp(`^${RegExp.escape(server.url)}/join#[\\w-]{43}\\n$`))
  expect(printed.err).toMatch(/^The link works once, until \d{4}-.* UTC\. Earlier links no longer work\.\n$/)

  const ana = newBrowserSession(server)
  const accept = (out: string) =>
    ana.call('POST', '/console/link/accept', {
      body: { token: tokenOf(out.trim()), password: 'correct horse battery' },
    })
  expect((await accept(replaced.out)).status).toBe(404)
  expect((await accept(printed.out)).status).toBe(201)
  expect((await accept(printed.out)).status).toBe(404)

  // Now the link is a reset, which ends the sessions. The running server notices.
  const again = await link()
  expect((await ana.call('GET', '/console/session')).json).toMatchObject({ code: 'signed_out' })
  expect((await accept(again.out)).json).toMatchObject({ agent: { name: 'Ana', role: 'admin' } })
  const { json } = await ana.call<{ data: { actor: object }[] }>(
    'GET',
    '/console/audit?action=agent.link_made',
  )
  expect(json.data.map(({ actor }) => actor)).toEqual(
    Array(4).fill({ kind: 'command', name: 'Command line' }),
  )
  await server.end('SIGTERM')
})

test('a link uses the public URL, and is not created for an unknown or disabled agent', async () => {
  const place = { BELLHOP_DATA: temporaryFolder('data'), BELLHOP_URL: 'https://help.example.com' }
  const { out } = await runProgram(place, SETUP)
  const link = (agent: string) => runProgram(place, ['agent', 'link', agent, '--org', out.trim()])
  expect((await link('ana@acme.example')).out).toStartWith('https://help.example.com/join#')
  expect(await link('ben@acme.example')).toEqual({
    code: 1,
    out: '',
    err: 'There is no agent with this id.\n',
  })
  const create = ['agent', 'create', '--org', 'Acme', '--name', 'Ben', '--email', 'ben@acme.example']
  const ben = (await runProgram(place, create)).out.trim()
  await runProgram(place, ['agent', 'disable', ben])
  expect(await link(ben)).toEqual({
    code: 1,
    out: '',
    err: 'This agent is disabled. Enable them first.\n',
  })
})
