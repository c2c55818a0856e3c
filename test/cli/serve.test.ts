import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call } from '../support/bellhop.ts'
import { temporaryFolder } from '../support/folder.ts'
import { sendHalf } from '../support/half-request.ts'
import { reservePort } from '../support/mail/ports.ts'
import { runProgram, SOURCES, startProgram } from '../support/program.ts'

const ALLOWED =
  'It must be empty or networks, IP addresses, and host names such as 10.0.0.0/8,::1,hooks.internal.'
const CA = 'It must be empty or the path of a readable PEM file with certificates.'

test('an invalid setting stops the start and says what is valid', async () => {
  const wrong: [Record<string, string>, string][] = [
    [
      { BELLHOP_SECRET: 'too short' },
      'BELLHOP_SECRET is invalid. It must be empty or at least 16 characters.',
    ],
    [
      { DATABASE_URL: 'mysql://root:word@db/name' },
      'DATABASE_URL is invalid. It must be empty or a URL such as postgres://user@host/name.',
    ],
    [{ PORT: '70000' }, 'PORT is "70000". It must be a whole number from 0 to 65535.'],
    [{ BELLHOP_LOG: 'loud' }, 'BELLHOP_LOG is "loud". It must be one of debug, info, warn, error.'],
    [{ HOST: '192.0.2.1' }, 'HOST is "192.0.2.1". It must be an address of this machine.'],
    [
      { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
      "Can't use the database at DATABASE_URL: Failed to connect.",
    ],
  ]
  for (const entry of ['10.0.0.0/99', '*.internal', 'hooks.internal:8080', '10.0.0.1:8080', 'fe80::1%eth0']) {
    wrong.push([{ BELLHOP_WEBHOOK_ALLOW: entry }, `BELLHOP_WEBHOOK_ALLOW is "${entry}". ${ALLOWED}`])
  }
  const pem = join(temporaryFolder('pem'), 'broken.pem')
  writeFileSync(pem, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
  wrong.push([{ BELLHOP_WEBHOOK_CA: pem }, `BELLHOP_WEBHOOK_CA is "${pem}". ${CA}`])
  wrong.push([{ BELLHOP_MAIL_CA: pem }, `BELLHOP_MAIL_CA is "${pem}". ${CA}`])
  const mail = ALLOWED.replace('hooks.internal', 'mail.internal')
  wrong.push([{ BELLHOP_MAIL_ALLOW: '*.internal' }, `BELLHOP_MAIL_ALLOW is "*.internal". ${mail}`])
  const ended = await Promise.all(
    wrong.map(([setting]) => runProgram({ BELLHOP_DATA: temporaryFolder('data'), ...setting }, ['serve'])),
  )
  expect(ended).toEqual(wrong.map(([, sentence]) => ({ code: 1, out: '', err: `${sentence}\n` })))
})

test.each(['', 'short\n'])(
  'a secret.key that contains %j stops the start instead of encrypting with it',
  async (content) => {
    const folder = temporaryFolder('data')
    const file = join(folder, 'secret.key')
    writeFileSync(file, content)
    const { code, err } = await runProgram({ BELLHOP_DATA: folder, PORT: '0' }, ['serve'])
    expect({ code, err }).toEqual({
      code: 1,
      err: `${file} is empty or truncated. Restore it from your backup, or set BELLHOP_SECRET to its content: without it, stored secrets can't be decrypted.\n`,
    })
  },
)

test('only the owner can read the files of a server, even in a folder that others can read', async () => {
  const folder = temporaryFolder('data')
  chmodSync(folder, 0o755)
  await using server = await startProgram({ BELLHOP_DATA: folder })
  const readable = readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)
  expect(readdirSync(folder)).toContain('bellhop.db-wal')
  expect(readable).toEqual([])
  await server.end('SIGTERM')
})

test('a server refuses data of a newer version', async () => {
  const folder = temporaryFolder('data')
  using newer = new Database(join(folder, 'bellhop.db'), { create: true })
  newer.run('create table bellhop_migrations (version integer, name text, applied_at bigint)')
  newer.run("insert into bellhop_migrations values (99, 'later', 1)")
  const { code, err } = await runProgram({ BELLHOP_DATA: folder }, [])
  expect(code).toBe(1)
  expect(err).toMatch(
    /^The data is at version 99, but this program only supports \d+\. Start the newer program\.\n$/,
  )
})

test('a server without an organization prints how to set it up', async () => {
  const place = { BELLHOP_DATA: temporaryFolder('data') }
  await using first = await startProgram(place, SOURCES)
  await runProgram(place, ['setup', '--org', 'Acme', '--name', 'Ana', '--email', 'ana@example.com'])
  expect(await first.end('SIGINT')).toBe(0)
  // With npx, Bun may not be installed.
  const isFromNpx = process.execPath.includes('/_npx/')
  const program = isFromNpx ? `npx --yes bun@${Bun.version} server/main.ts` : 'bun server/main.ts'
  expect(first.out()).toMatch(new RegExp(`\\n  ${RegExp.escape(first.url)}/welcome#[\\w-]{43}\\n`))
  expect(first.out()).toContain('at this link (valid until there is an organization):\n')
  expect(first.out()).toEndWith(` ${program} setup --help\n`)
  await using second = await startProgram(place)
  expect(await second.end('SIGTERM')).toBe(0)
  expect(second.out()).toBe(`Bellhop is running at ${second.url}\n`)
})

test('a data folder and a port are used by one server at a time, and are free after kill -9', async () => {
  const place = { BELLHOP_DATA: temporaryFolder('data') }
  const port = String(reservePort())
  await using server = await startProgram({ ...place, PORT: port })
  const [sameFolder, samePort] = await Promise.all([
    runProgram({ ...place, PORT: '0' }, ['serve']),
    runProgram({ BELLHOP_DATA: temporaryFolder('data'), PORT: port }, ['serve']),
  ])
  expect(sameFolder).toMatchObject({ code: 1, out: '' })
  const holder = `process ${server.pid}, at ${server.url}, since `
  expect(sameFolder.err).toMatch(
    new RegExp(
      `^Another Bellhop server \\(${RegExp.escape(holder)}\\d{4}-.*Z\\) is using .*\\. Stop it first\\.\n$`,
    ),
  )
  expect(samePort).toEqual({
    code: 1,
    out: '',
    err: `Port ${port} on 127.0.0.1 is already in use. Set PORT to another port, or to 0 for a free one.\n`,
  })
  expect((await call('GET', `${server.url}/health/ready`)).status).toBe(200)

  expect(await server.end('SIGKILL')).toBeNull()
  await using next = await startProgram({ ...place, PORT: port })
  expect(await next.end('SIGTERM')).toBe(0)
})

test('a server that is stopped finishes its running request and exits', async () => {
  const place = { BELLHOP_DATA: temporaryFolder('data') }
  await using server = await startProgram(place)
  await runProgram(place, ['setup', '--org', 'Acme', '--name', 'Ana', '--email', 'ana@example.com'])
  const key = (await runProgram(place, ['key', 'create', '--org', 'Acme'])).out.trim()
  const body = JSON.stringify({
    subject: 'Late',
    message: 'Still here',
    customer: { name: 'Cy', email: 'c@d.ef' },
  })
  const half = await sendHalf({ url: server.url, key }, body)
  // An idle connection must not delay it.
  await call('GET', `${server.url}/health/live`)

  // As from Ctrl+C under npm, where the terminal and the parent each send one.
  const ending = server.end('SIGINT')
  const refused = async () =>
    call('GET', `${server.url}/health/live`).then(
      () => false,
      () => true,
    )
  while (!(await refused()));
  process.kill(server.pid, 'SIGINT')
  expect(await half.finish()).toStartWith('HTTP/1.1 201 Created\r\n')
  expect(await ending).toBe(0)

  using database = new Database(join(place.BELLHOP_DATA, 'bellhop.db'), { readonly: true })
  expect(database.query('select subject from tickets').all()).toEqual([{ subject: 'Late' }])
})
