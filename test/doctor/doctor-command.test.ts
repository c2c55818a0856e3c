import { Database as Connection } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeCertificates } from '../support/certificates.ts'
import { temporaryFolder } from '../support/folder.ts'
import { reservePort } from '../support/mail/ports.ts'
import { COMPILED, type Place, PROGRAM, runProgram, startProgram } from '../support/program.ts'
import { mountSmallDisk } from '../support/small-disk.ts'

const PAGE_BYTES = 4_096
const filled = temporaryFolder('filled')

interface Report {
  state: string
  detail: string
  checkedAt: string
  findings: { check: string; state: string; detail: string; advice: string }[]
}

beforeAll(async () => {
  const args = ['setup', '--org', 'Acme', '--name', 'Ana', '--email', 'ana@acme.example']
  const { code, err } = await runProgram({ BELLHOP_DATA: filled }, args)
  expect([code, err.includes('error')]).toEqual([0, false])
})

/** A copy of a data folder with one organization. Nobody listens on port 0, whatever else runs on this machine. */
function place(settings: Place = {}): Place & { BELLHOP_DATA: string } {
  const folder = temporaryFolder('doctor')
  cpSync(filled, folder, { recursive: true })
  return { BELLHOP_DATA: folder, PORT: '0', ...settings }
}

async function doctor(settings: Place, program = PROGRAM) {
  const { code, out, err } = await runProgram(settings, ['doctor', '--json'], program)
  const report: Report = JSON.parse(out)
  const of = (check: string) => report.findings.filter((one) => one.check === check)
  return { code, err, report, of }
}

/** What is stored, byte for byte. SQLite's own files come and go: an empty log, and the index of the log. */
function contentOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => !name.endsWith('-shm'))
  const files = names.map((name) => ({ name, bytes: readFileSync(join(folder, name)) }))
  const stored = files.filter(({ bytes }) => bytes.length > 0)
  return Object.fromEntries(stored.map(({ name, bytes }) => [name, Bun.hash(bytes).toString()]))
}

test('doctor looks at an installation whose server does not run, and leaves it as it was', async () => {
  const settings = place()
  const before = contentOf(settings.BELLHOP_DATA)
  const { code, report, of } = await doctor(settings)
  expect(contentOf(settings.BELLHOP_DATA)).toEqual(before)
  expect(Object.keys(before)).toEqual(['bellhop.db', 'secret.key'])
  expect(of('folder')).toMatchObject([{ state: 'ok' }])
  expect(of('database')).toMatchObject([{ state: 'ok', advice: '' }])
  expect(of('server')).toEqual([
    {
      check: 'server',
      state: 'warning',
      detail: "The server isn't running.",
      advice: 'Start it: bellhop serve',
    },
  ])
  expect(of('backup')).toMatchObject([{ state: 'warning', detail: 'Automatic backups are off.' }])
  expect(Object.keys(report)).toEqual(['state', 'detail', 'findings', 'checkedAt'])
  for (const finding of report.findings) {
    expect(Object.keys(finding).sort()).toEqual(['advice', 'check', 'detail', 'state'])
    expect([finding.detail, finding.advice.length > 0]).toEqual([finding.detail, finding.state !== 'ok'])
  }
  // The worst is first, and says how the command ends.
  const states = report.findings.map(({ state }) => state)
  const worth = ['error', 'warning', 'ok']
  expect(states).toEqual(states.toSorted((one, other) => worth.indexOf(one) - worth.indexOf(other)))
  expect([report.state, code]).toEqual([states[0] ?? '', states[0] === 'error' ? 1 : 0])
})

test('doctor looks at an installation whose server runs, and finds settings that differ from those of the server', async () => {
  const other = Bun.serve({ port: 0, fetch: () => new Response('Another site', { status: 404 }) })
  const settings = place()
  const url = { BELLHOP_URL: `http://127.0.0.1:${other.port}` }
  await using server = await startProgram({ ...settings, ...url })
  const differing = await doctor(settings)
  expect(differing.of('settings')).toMatchObject([{ state: 'error' }])
  expect(differing.of('settings')[0]?.detail).toContain(`BELLHOP_URL is ${url.BELLHOP_URL} for the server`)
  await Bun.write(join(settings.BELLHOP_DATA, 'bellhop.env'), `BELLHOP_URL=${url.BELLHOP_URL}\n`)
  const { code, of } = await doctor(settings)
  expect(of('server')).toMatchObject([{ state: 'ok' }])
  expect(of('address')).toMatchObject([{ state: 'error', advice: expect.stringContaining('BELLHOP_URL') }])
  expect(of('address')[0]?.detail).toContain("doesn't reach this server")
  expect([code, of('settings')]).toEqual([1, []])
  await other.stop(true)
  expect((await doctor(settings)).of('address')[0]?.detail).toContain("can't be reached from this machine")
  await server.end('SIGTERM')
  expect((await doctor(settings)).of('server')[0]?.detail).toBe("The server isn't running.")
})

test('doctor finds this server at its address', async () => {
  const port = reservePort()
  const settings = place({ PORT: String(port), BELLHOP_URL: `http://127.0.0.1:${port}` })
  await using _ = await startProgram(settings)
  const { of } = await doctor(settings)
  expect(of('address')).toMatchObject([{ state: 'ok' }])
  expect(of('address')[0]?.detail).toStartWith(`http://127.0.0.1:${port} reaches this server`)
})

test('on a terminal, doctor says what is wrong and what to do, and ends with a total', async () => {
  const missing = join(temporaryFolder('doctor'), 'nothing')
  const { code, out, err } = await runProgram({ BELLHOP_DATA: missing, PORT: '0' }, ['doctor'])
  expect(code).toBe(1)
  expect(out).toContain(`error    folder       There is no data folder at ${missing}.\n`)
  expect(out).toContain("→ Set BELLHOP_DATA to the server's folder, or start Bellhop once to create it.\n")
  expect(err).toMatch(/^2 errors and \d warnings found\.\n$/)
  expect(existsSync(missing)).toBe(false)
})

test('a wrong setting is a finding, too', async () => {
  const { code, report } = await doctor(place({ PORT: 'many' }))
  expect([code, report.findings.length]).toEqual([1, 1])
  expect(report.findings[0]).toMatchObject({ check: 'settings', state: 'error' })
  expect(report.findings[0]?.detail).toStartWith('PORT is "many".')
})

describe('doctor finds a database', () => {
  test('that is damaged', async () => {
    const settings = place()
    const file = openSync(join(settings.BELLHOP_DATA, 'bellhop.db'), 'r+')
    for (let page = 5; page < 60; page += 1)
      writeSync(file, Buffer.alloc(PAGE_BYTES, 0xab), 0, PAGE_BYTES, page * PAGE_BYTES)
    closeSync(file)
    const { code, of } = await doctor(settings)
    expect(code).toBe(1)
    expect(of('database')[0]).toMatchObject({ state: 'error' })
    expect(of('database')[0]?.detail).toEndWith('bellhop.db is damaged.')
    expect(of('database')[0]?.advice).toContain('bellhop restore')
  })

  test('of another program', async () => {
    const settings = place()
    writeFileSync(join(settings.BELLHOP_DATA, 'bellhop.db'), 'no database '.repeat(1_000))
    const { of } = await doctor(settings)
    expect(of('database')).toMatchObject([{ state: 'error' }])
    expect(of('database')[0]?.detail).toEndWith("bellhop.db isn't a Bellhop database.")
  })

  test('of a newer version, and does not touch it', async () => {
    const settings = place()
    const connection = new Connection(join(settings.BELLHOP_DATA, 'bellhop.db'))
    connection.run("insert into bellhop_migrations (version, name, applied_at) values (99, 'later', 0)")
    connection.close()
    const { code, of } = await doctor(settings)
    expect([code, of('database')[0]?.state]).toEqual([1, 'error'])
    expect(of('database')[0]?.detail).toStartWith('The data is at version 99')
  })

  test('without its key', async () => {
    const settings = place()
    await Bun.file(join(settings.BELLHOP_DATA, 'secret.key')).delete()
    const { of } = await doctor(settings)
    expect(of('folder')[0]).toMatchObject({ state: 'error' })
    expect(of('folder')[0]?.detail).toContain('secret.key is missing')
  })
})

test('doctor finds a certificate that has expired, and one that will', async () => {
  const { valid, expired } = await makeCertificates()
  const folder = temporaryFolder('certificates')
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const settings = place({ BELLHOP_TLS_CERT: cert, BELLHOP_TLS_KEY: key })
  for (const [made, state] of [
    [expired, 'error'],
    [valid, 'ok'],
  ] as const) {
    writeFileSync(cert, made.cert)
    writeFileSync(key, made.key)
    expect((await doctor(settings)).of('certificate')).toMatchObject([{ state }])
  }
})

test('doctor finds the port taken by another program', async () => {
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('Other') })
  const { port } = other
  const { code, of } = await doctor(place({ PORT: String(port) }))
  await other.stop()
  expect([code, of('server')[0]?.state]).toEqual([1, 'error'])
  expect(of('server')[0]?.detail).toContain(`another program listens on port ${port}`)
})

test('doctor finds files of another user', async () => {
  const settings = place()
  const file = join(settings.BELLHOP_DATA, 'bellhop.db')
  if (process.getuid?.() !== 0) return
  Bun.spawnSync(['chown', '12345', file])
  const { of } = await doctor(settings)
  expect(of('folder')[0]).toMatchObject({ state: 'error' })
  expect(of('folder')[0]?.detail).toContain('belongs to another user (12345)')
  Bun.spawnSync(['chmod', '755', settings.BELLHOP_DATA])
  expect((await doctor(settings)).of('folder').map(({ state }) => state)).toEqual(['error', 'warning'])
})

const AS_OTHER_USER = ['setpriv', '--reuid=23456', '--clear-groups']
const canChangeUser =
  COMPILED !== undefined &&
  Bun.which('setpriv') !== null &&
  Bun.spawnSync([...AS_OTHER_USER, ...PROGRAM, '--version']).exitCode === 0

// The sources are many files, which may be closed to other users.
test.if(canChangeUser)('doctor says when it runs as another user', async () => {
  const { code, of } = await doctor(place(), [...AS_OTHER_USER, ...PROGRAM])
  expect([code, of('database')]).toEqual([1, []])
  expect(of('folder')).toMatchObject([
    { state: 'error', advice: expect.stringContaining('the owner of the data folder') },
  ])
})

const OLD_KERNEL = ['setarch', '--uname-2.6']
const canPretend = Bun.which('setarch') !== null && Bun.spawnSync([...OLD_KERNEL, 'true']).exitCode === 0

test.if(canPretend)('doctor finds an old kernel', async () => {
  const { of } = await doctor(place(), [...OLD_KERNEL, ...PROGRAM])
  expect(of('machine')[0]).toMatchObject({ state: 'warning' })
  expect(of('machine')[0]?.detail).toMatch(/^The Linux kernel 2\.6\.\S+ is older than 5\.1\.$/)
})

test.if(process.platform === 'linux')('doctor finds few descriptors', async () => {
  const limited = ['/bin/sh', '-c', 'ulimit -n 200 && exec "$@"', 'sh', ...PROGRAM]
  expect((await doctor(place(), limited)).of('machine')).toMatchObject([
    { state: 'warning', detail: 'This process may open only 200 files and connections.' },
  ])
})

const disk = mountSmallDisk()
afterAll(() => {
  if (disk) Bun.spawnSync(['mount', '-o', 'remount,rw', disk])
})

test.if(disk !== undefined)(
  'doctor finds a disk that is nearly full, and one that is read-only',
  async () => {
    const folder = join(disk ?? '', 'data')
    cpSync(filled, folder, { recursive: true })
    const { of } = await doctor({ BELLHOP_DATA: folder, PORT: '0' })
    expect(of('disk')).toMatchObject([{ state: 'error' }])
    expect(of('disk')[0]?.detail).toMatch(/^[67](\.\d)? MB are free on the disk of the data folder\.$/)
    expect(Bun.spawnSync(['mount', '-o', 'remount,ro', disk ?? '']).exitCode).toBe(0)
    const readOnly = await doctor({ BELLHOP_DATA: folder, PORT: '0' })
    expect(readOnly.code).toBe(1)
    expect(readOnly.of('folder')[0]).toMatchObject({ state: 'error' })
    expect(readOnly.of('folder')[0]?.detail).toEndWith('is on a disk that is mounted read-only.')
  },
)
