import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { engine } from '../../server/database/columns.ts'
import { documents, TOP } from '../docs/page.ts'
import { emptyPlace } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { reservePort } from '../support/mail/ports.ts'
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
  for (const [name, meant] of [
    ['DATABASE_URl', 'DATABASE_URL'],
    ['BELHOP_URL', 'BELLHOP_URL'],
  ] as const) {
    const { file } = await installation({ [name]: '1' })
    const { code, err } = await runProgram({}, ['org', 'list', '--env-file', file])
    expect([code, err]).toEqual([1, `${name} is not a setting. Did you mean ${meant}?\n`])
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

/** Blocks that need what a test has not: systemd, S3, age, or a PostgreSQL server of that name and password. */
const NEED_MORE = ['service install', 'systemctl', 's3://', 'age --decrypt', 'pg_dump', 'createdb']

test.if(canMount && engine === 'sqlite')(
  'the commands of the guides run as written where settings stand only in the file',
  async () => {
    const machine = temporaryFolder('machine')
    const port = reservePort()
    const url = `http://127.0.0.1:${port}`
    writeFileSync(join(machine, 'bellhop.env'), linesOf({ PORT: String(port), BELLHOP_URL: url }))
    const programs: Record<string, string> = {
      // A server that is started by a block ends again.
      bellhop: `if [ "$1" != serve ]; then exec ${PROGRAM.join(' ')} "$@"; fi
        ${PROGRAM.join(' ')} serve >served & until grep -q 'running at' served; do kill -0 $! || exit 1; sleep 0.05; done
        cat served; kill -TERM $!; wait $!`,
      bun: `exec ${process.execPath} "$@"`,
      // Like sudo, without the caller's settings.
      sudo: '[ "$1" != -u ] || shift 2\nexec env -i PATH="$PATH" "$@"',
    }
    for (const [name, text] of Object.entries(programs))
      writeFileSync(join(machine, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })

    const blocks = ['commands', 'backup', 'operations'].flatMap((guide) => {
      const text = documents.get(`server/http/docs/guides/${guide}.md`) ?? ''
      return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
    })
    for (const words of NEED_MORE) expect(blocks.join('\n')).toContain(words)
    const runnable = blocks.filter((block) => !NEED_MORE.some((words) => block.includes(words)))
    expect(runnable.length).toBeGreaterThan(10)
    const isRestore = (block: string) => block.includes('BELLHOP_DATA=/var/lib/bellhop')
    const inTurn = (all: string[], name: string) =>
      all.map((block, at) => {
        const file = `${name}-${at}.sh`
        writeFileSync(join(machine, file), block)
        // The function of a clone runs in the clone.
        if (block.startsWith('bellhop()')) return `(cd ${TOP} && . /etc/try/${file} && bellhop org list)`
        return `(mkdir ${name}-${at} && cd ${name}-${at} && cp ../../given/* . && bash -e /etc/try/${file})`
      })
    const script = [
      '[ ! -e /tmp/bellhop-drill ]',
      'mount -t tmpfs none /etc && mkdir /etc/bellhop && cp -r "$0" /etc/try && mv /etc/try/bellhop.env /etc/bellhop/',
      'for folder in /var/lib /mnt; do mount -t tmpfs none $folder; done',
      'export PATH="/etc/try:$PATH"; mkdir -p /mnt/given /mnt/runs /mnt/backups/bellhop; cd /mnt/runs',
      `${PROGRAM.join(' ')} serve >/mnt/service & service=$!`,
      'trap "kill -KILL $service; rm -rf /tmp/bellhop-drill" EXIT; until grep -q "running at" /mnt/service; do kill -0 $service; sleep 0.05; done',
      'bellhop setup --org Acme --name Ben --email ben@acme.example',
      'echo "correct horse battery" >/mnt/given/passphrase.txt',
      ...inTurn(
        runnable.filter((block) => !isRestore(block) && !block.includes('/mnt/backups')),
        'first',
      ),
      'bellhop backup /mnt/given/bellhop.tar.zst',
      'cp /mnt/given/bellhop.tar.zst /mnt/backups/bellhop/bellhop-20260301T030000Z.tar.zst',
      ...inTurn(
        runnable.filter((block) => block.includes('/mnt/backups')),
        'second',
      ),
      'kill -TERM $service; wait $service; trap - EXIT',
      ...runnable
        .filter(isRestore)
        .flatMap((block, at) => [
          'mv /var/lib/bellhop /var/lib/old',
          ...inTurn([block], `restore-${at}`),
          'echo Restored: $(bellhop org list)',
        ]),
    ]
    const shell = ['unshare', '--mount', 'bash', '-euc', script.join('\n'), machine]
    const system = { PATH: process.env.PATH ?? '/bin:/usr/bin' }
    const { code, out, err } = await runProgram(system, [], shell, '/')
    expect([code, err, out]).toEqual([0, expect.any(String), expect.any(String)])
    expect(out).toContain(`${url}/join#`)
    expect(out).toContain(`running at ${url}`)
    expect(out).toMatch(/Restored: .*Acme/)
  },
)
