import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { engine } from '../../server/database/columns.ts'
import { emptyPlace } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Place, PROGRAM, runProgram, startProgram } from '../support/program.ts'

const SECRET = 'correct horse battery staple'
const SETUP = ['setup', '--org', 'Acme', '--name', 'Ana', '--email', 'ana@acme.example']
const URL = 'https://help.acme.example'

/** A settings file beside nothing else, with the data elsewhere. */
async function installation(settings: Place = {}): Promise<{ file: string; folder: string; place: Place }> {
  const place = { ...(await emptyPlace()), BELLHOP_URL: URL, ...settings }
  const file = join(temporaryFolder('settings'), 'bellhop.env')
  writeFileSync(file, `# Settings\n${linesOf(place)}`)
  return { file, folder: place.BELLHOP_DATA, place }
}

function linesOf(place: Place): string {
  return Object.entries(place)
    .map(([name, value]) => `${name}="${value}"\n`)
    .join('')
}

test('the server and commands read the same file, also for the database and for secrets in files of their own', async () => {
  const secret = join(temporaryFolder('secrets'), 'secret')
  writeFileSync(secret, `${SECRET}\n`)
  const { file, folder } = await installation({ BELLHOP_SECRET_FILE: secret })
  await using server = await startProgram({}, PROGRAM, '.', ['serve', '--env-file', file])
  const set = await runProgram({}, ['--env-file', file, ...SETUP, '--json'])
  expect([set.code, set.err]).toEqual([0, ''])
  expect(JSON.parse(set.out).link).toStartWith(`${URL}/join#`)
  const widget = ['widget', 'create', '--org', 'Acme', '--name', 'Web', '--origin', 'https://acme.example']
  const { out } = await runProgram({}, [...widget, `--env-file=${file}`])
  expect(out).toContain(`${URL}/widget.js`)
  expect(existsSync(join(folder, 'secret.key'))).toBe(false)
  expect(existsSync(join(folder, 'bellhop.db'))).toBe(engine === 'sqlite')
  expect(readFileSync(join(folder, 'server.json'), 'utf8')).not.toContain(SECRET)
  expect(await server.end('SIGTERM')).toBe(0)
})

test('without an option, the file in the data folder counts, and the environment before it', async () => {
  const place = await emptyPlace()
  writeFileSync(join(place.BELLHOP_DATA, 'bellhop.env'), `export BELLHOP_URL='${URL}'\n`)
  const set = await runProgram(place, [...SETUP, '--json'])
  expect(JSON.parse(set.out).link).toStartWith(`${URL}/join#`)
  const link = ['agent', 'link', 'ana@acme.example', '--org', 'Acme']
  const other = await runProgram({ ...place, BELLHOP_URL: 'https://other.example' }, link)
  expect(other.out).toStartWith('https://other.example/join#')
})

test('a command with other settings than the running server is refused, and says which', async () => {
  const { file, place } = await installation({ BELLHOP_SECRET: SECRET })
  await using _ = await startProgram({}, PROGRAM, '.', ['serve', '--env-file', file])
  const { BELLHOP_SECRET: _secret, BELLHOP_URL: _url, ...less } = place
  for (const args of [SETUP, ['org', 'list'], ['backup', join(temporaryFolder('backup'), 'file')]]) {
    const { code, out, err } = await runProgram(less, args)
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('BELLHOP_SECRET is set for the server only.')
    expect(err).toContain(`BELLHOP_URL is ${URL} for the server, and empty for this command.`)
    expect(err).not.toContain(SECRET)
  }
  const wrong = await runProgram({ ...place, BELLHOP_SECRET: 'another secret of sixteen' }, ['org', 'list'])
  expect(wrong.err).toContain('BELLHOP_SECRET is another one for the server than for this command.')
  expect(existsSync(join(place.BELLHOP_DATA ?? '', 'secret.key'))).toBe(false)
  expect((await runProgram({}, ['org', 'list', '--env-file', file])).code).toBe(0)
})

describe.if(engine === 'postgresql')('on PostgreSQL', () => {
  test('a command with another data folder is refused and writes no second key, whether or not the server runs', async () => {
    const place = await emptyPlace()
    const elsewhere = { ...place, BELLHOP_DATA: temporaryFolder('elsewhere') }
    const server = await startProgram(place)
    const during = await runProgram(elsewhere, SETUP)
    expect([during.code, during.err]).toEqual([1, expect.stringContaining('has another data folder than')])
    await server.end('SIGTERM')
    const after = await runProgram(elsewhere, SETUP)
    expect([after.code, after.err]).toEqual([1, expect.stringContaining("isn't in")])
    expect(existsSync(join(elsewhere.BELLHOP_DATA, 'secret.key'))).toBe(false)
    expect((await runProgram(place, SETUP)).code).toBe(0)
    await using again = await startProgram(place)
    expect((await fetch(`${again.url}/health/ready`)).status).toBe(200)
  })

  test('a command without DATABASE_URL makes no second installation beside it', async () => {
    const { DATABASE_URL = '', ...place } = await emptyPlace()
    const server = await startProgram({ ...place, DATABASE_URL })
    const during = await runProgram(place, SETUP)
    expect([during.code, during.err]).toEqual([
      1,
      expect.stringContaining('DATABASE_URL is set for the server'),
    ])
    await server.end('SIGTERM')
    const after = await runProgram(place, SETUP)
    expect([after.code, after.err]).toEqual([1, expect.stringContaining('has a key, but no database')])
    expect(existsSync(join(place.BELLHOP_DATA, 'bellhop.db'))).toBe(false)
  })
})

test('a name that is not a setting is an error with the nearest one, in the environment and in the file', async () => {
  for (const [name, meant] of [
    ['BELLHOP_DTA', 'BELLHOP_DATA'],
    ['BELLHOP_PORT', 'PORT'],
    ['BELLHOP_DATABASE_URL', 'DATABASE_URL'],
    ['BELLHOP_TRUSTED_PROXY', 'BELLHOP_TRUST_PROXY'],
    ['BELLHOP_SECRETFILE', 'BELLHOP_SECRET_FILE'],
  ] as const) {
    const said = { code: 1, out: '', err: `${name} is not a setting. Did you mean ${meant}?\n` }
    expect(await runProgram({ [name]: '1' }, ['serve'])).toEqual(said)
    const { file } = await installation({ [name]: '1' })
    expect(await runProgram({}, ['org', 'list', '--env-file', file])).toEqual(said)
  }
  // Kubernetes sets these for a service of this name.
  const ofCluster = { BELLHOP_SERVICE_HOST: '10.0.0.1', BELLHOP_PORT: 'tcp://10.0.0.1:80' }
  expect((await runProgram({ ...(await emptyPlace()), ...ofCluster }, SETUP)).code).toBe(0)
})

test('a file that cannot be read or understood is an error that shows no secret, and help works without it', async () => {
  const file = join(temporaryFolder('settings'), 'bellhop.env')
  const org = () => runProgram({}, ['org', 'list', '--env-file', file])
  expect((await org()).err).toBe(`${file} (the settings) can't be read: no such file or directory.\n`)
  writeFileSync(file, `PORT=0\n${SECRET}\n`)
  expect(await org()).toEqual({ code: 1, out: '', err: `Line 2 of ${file} must be NAME=value.\n` })
  writeFileSync(file, `BELLHOP_SECRET=${SECRET}\nBELLHOP_SECRET_FILE=${file}\n`)
  expect((await org()).err).toBe('Set either BELLHOP_SECRET or BELLHOP_SECRET_FILE, not both.\n')
  expect((await runProgram({}, ['--help', '--env-file', file])).code).toBe(0)
})

const canMount =
  process.getuid?.() === 0 &&
  Bun.spawnSync(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'none', '/etc']).exitCode === 0
if (!canMount) console.warn('Without permission to mount, /etc/bellhop/bellhop.env is not tested.')

test.if(canMount)(
  'commands of the service need no settings but those of /etc/bellhop/bellhop.env',
  async () => {
    const { file, folder } = await installation()
    // Each has an /etc of its own.
    const inMachine = ['mount -t tmpfs none /etc', 'mkdir /etc/bellhop', 'cp "$0" /etc/bellhop/bellhop.env']
    const machine = [
      'unshare',
      '--mount',
      'sh',
      '-ec',
      `${inMachine.join(' && ')} && exec "$@"`,
      file,
      ...PROGRAM,
    ]
    const [system, other] = [{ PATH: process.env.PATH ?? '/bin:/usr/bin' }, temporaryFolder('other')]
    await using _ = await startProgram(system, machine, '/', [
      'serve',
      '--env-file',
      '/etc/bellhop/bellhop.env',
    ])
    const set = await runProgram(system, [...SETUP, '--json'], machine, '/')
    expect([set.code, set.err]).toEqual([0, ''])
    expect(JSON.parse(set.out).link).toStartWith(`${URL}/join#`)
    expect(existsSync(join(folder, 'server.json'))).toBe(true)
    // Another installation on the same machine has nothing to do with it.
    mkdirSync(join(other, 'data'))
    const trial = { ...system, BELLHOP_DATA: join(other, 'data'), DATABASE_URL: '' }
    const elsewhere = await runProgram(trial, [...SETUP, '--json'], machine, '/')
    expect(JSON.parse(elsewhere.out).link).toStartWith('http://127.0.0.1')
  },
)
