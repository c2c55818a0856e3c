import { expect, test } from 'bun:test'
import { temporaryFolder } from '../support/folder.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { tokenOf, visit } from '../support/visitor.ts'

const SETUP = ['setup', '--org', 'Acme', '--name', 'Ana', '--email', 'ana@acme.example']

test('whoever has only the shell gets an administrator in again by a link, which works once', async () => {
  const place = { BELLHOP_DATA: temporaryFolder('data') }
  await using server = await startProgram(place)
  await runProgram(place, SETUP)
  const link = () => runProgram(place, ['agent', 'link', 'ana@acme.example', '--org', 'Acme'])
  const [replaced, printed] = [await link(), await link()]
  expect(printed.out).toMatch(new RegExp(`^${RegExp.escape(server.url)}/join#[\\w-]{43}\\n$`))
  expect(printed.err).toMatch(/^It works once, until \d{4}-.* UTC\. An earlier link is dead now\.\n$/)

  const ana = visit(server)
  const accept = (out: string) =>
    ana.call('POST', '/console/link/accept', {
      body: { token: tokenOf(out.trim()), password: 'correct horse battery' },
    })
  expect((await accept(replaced.out)).status).toBe(404)
  expect((await accept(printed.out)).status).toBe(201)
  expect((await accept(printed.out)).status).toBe(404)

  // Now it is a reset, which signs out; the server beside the command notices.
  const again = await link()
  expect((await ana.call('GET', '/console/session')).json).toMatchObject({ code: 'signed_out' })
  expect((await accept(again.out)).json).toMatchObject({ agent: { name: 'Ana', role: 'admin' } })
  const { json } = await ana.call<{ data: { actor: object }[] }>(
    'GET',
    '/console/audit?action=agent.link_made',
  )
  expect(json.data.map(({ actor }) => actor)).toEqual(
    Array(3).fill({ kind: 'command', name: 'a command on the server' }),
  )
  await server.end('SIGTERM')
}, 30_000)

test('a link leads to the public address; nobody who is unknown or disabled gets one', async () => {
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
}, 30_000)
