import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signInAgent } from '../support/agents.ts'
import { type Bellhop, call, startBellhop } from '../support/bellhop.ts'
import { createManualClock, type ManualClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startCutProxy } from '../support/mail/cut-proxy.ts'
import { PROGRAM, runProgram, startProgram } from '../support/program.ts'
import { startS3 } from '../support/s3-server.ts'
import { makeTicket } from '../support/tickets.ts'
import { upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'
import { idsIn } from './contents.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** More than one part of an upload. */
const LARGE_BYTES = 20 * 1024 * 1024
const MAX_TEST_MS = 180_000
/** Each look moves the clock by a minute, and after six hours a backup is given up: there are 90 seconds for one. */
const LOOK_EVERY_MS = 250

interface Run {
  startedAt: string
  name: string
  bytes: number
  error: string
}

interface Status {
  state: string
  place: string | null
  isEncrypted: boolean
  lastSuccess: Run | null
  runs: Run[]
}

/** A server with automatic backups, an administrator, and a large file. */
async function startWithBackups(settings: Record<string, string>) {
  const clock = createManualClock()
  const bellhop = await startBellhop({ clock, settings })
  const client = await bellhop.organization()
  const admin = await signInAgent(bellhop, client.orgId, { role: 'admin' })
  const status = async () => (await admin.call<Status>('GET', '/console/backups')).json
  return {
    bellhop,
    clock,
    client,
    /** Waits until so many backups have ended. */
    runs: (count: number) => lastly(async () => afterRuns(await status(), count, clock)),
    [Symbol.asyncDispose]: () => bellhop.stop(),
  }
}

/** Backups have the lowest priority: on a busy machine, one may take as long as the test may. */
async function lastly<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const seen = await look()
    if (seen) return seen
    await Bun.sleep(LOOK_EVERY_MS)
  }
}

/** The server looks once a minute whether a backup is due. */
function afterRuns(status: Status, count: number, clock: ManualClock): Status | undefined {
  if (status.runs.length >= count) return status
  clock.advance(MINUTE_MS)
  return undefined
}

async function backupMetrics({ url }: Bellhop): Promise<string[]> {
  const { text } = await call('GET', `${url}/metrics`)
  return text.split('\n').filter((line) => line.startsWith('bellhop_backup_'))
}

const random = (bytes: number) => crypto.getRandomValues(Buffer.alloc(Math.min(bytes, 65_536)))
const largeFile = () => Buffer.concat(Array.from({ length: LARGE_BYTES / 65_536 }, () => random(65_536)))

/** A folder in which the program is called `bellhop`. */
async function folderWithProgram(): Promise<string> {
  const folder = temporaryFolder('program')
  const words = PROGRAM.map((word) => `'${word}'`).join(' ')
  await Bun.write(join(folder, 'bellhop'), `#!/bin/sh\nexec ${words} "$@"\n`)
  chmodSync(join(folder, 'bellhop'), 0o755)
  return folder
}

/** The three commands of the guide that restore from S3 on an empty machine, for a bucket and a folder of the test. */
async function guideCommands(dataFolder: string): Promise<string> {
  const guide = await Bun.file('server/http/docs/guides/backup.md').text()
  const [, commands = ''] = /on an empty machine.*?```sh\n(.*?)```/s.exec(guide) ?? []
  const [folder, restore, serve, ...others] = commands
    .replace('/var/lib/bellhop', dataFolder)
    .replace('s3://my-bucket/bellhop', 's3://backups/support')
    .trim()
    .split('\n')
  expect([serve, others]).toEqual(['bellhop serve', []])
  // In place of the shell, so that the test can end it.
  return [folder, restore, `exec ${serve}`].join('\n')
}

test(
  'a backup is on S3 each day, an interrupted upload is none, and an empty machine is restored from it',
  async () => {
    await using s3 = await startS3()
    if (!s3) return
    const proxy = await startCutProxy({ port: Number(new URL(s3.url).port) })
    await using _ = { [Symbol.asyncDispose]: proxy.stop }
    const settings = { ...s3.settings, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${proxy.port}` }
    await using server = await startWithBackups(settings)
    const { bellhop, client, clock } = server

    const first = await server.runs(1)
    expect(first).toMatchObject({ state: 'working', place: 's3://backups/support', isEncrypted: false })
    expect(await s3.names()).toEqual([first.lastSuccess?.name ?? ''])
    expect(first.lastSuccess?.name).toMatch(/^bellhop-20260301T09\d{4}Z\.tar\.zst$/)

    const { id } = await upload(client, 'large.bin', new Uint8Array(largeFile()))
    const ticket = await makeTicket(client, { attachments: [id] })
    proxy.cut({ of: 'client', afterBytes: 1_000_000, does: 'cut', times: 1_000 })
    clock.advance(DAY_MS)
    const failed = await server.runs(2)
    expect(failed.runs[0]).toMatchObject({
      name: '',
      error: expect.stringContaining("Can't upload to s3://backups/support"),
    })
    expect(failed.state).toBe('working')
    expect(await s3.names()).toHaveLength(1)

    clock.advance(HOUR_MS)
    const twice = await server.runs(3)
    expect([twice.state, twice.lastSuccess?.name]).toEqual(['failing', first.lastSuccess?.name])
    expect(await backupMetrics(bellhop)).toContain('bellhop_backup_failures 2')

    proxy.heal()
    clock.advance(HOUR_MS)
    const healed = await server.runs(4)
    expect(healed).toMatchObject({ state: 'working', lastSuccess: { error: '' } })
    expect(await s3.names()).toHaveLength(2)
    expect(await backupMetrics(bellhop)).toContain('bellhop_backup_failures 0')

    const target = join(temporaryFolder('restored'), 'data')
    const place = { ...s3.settings, PATH: await folderWithProgram() }
    await using restored = await startProgram(place, ['/bin/sh', '-ec', await guideCommands(target)], '.', [])
    expect((await fetch(`${restored.url}/health/ready`)).status).toBe(200)
    expect(await restored.end('SIGTERM')).toBe(0)
    expect(new Set([id, ticket.id]).difference(idsIn(target)).size).toBe(0)
    const older = await runProgram({ ...s3.settings, BELLHOP_DATA: join(temporaryFolder(), 'data') }, [
      'restore',
      `s3://backups/support/${first.lastSuccess?.name}`,
    ])
    expect(older.code).toBe(0)
  },
  MAX_TEST_MS,
)

test(
  'a bucket that stalls ends the backup after six hours, one that is not there at once',
  async () => {
    await using s3 = await startS3()
    if (!s3) return
    const proxy = await startCutProxy({ port: Number(new URL(s3.url).port) })
    await using _ = { [Symbol.asyncDispose]: proxy.stop }
    proxy.cut({ of: 'server', afterBytes: 0, does: 'stall', times: 1_000 })
    await using stalled = await startWithBackups({
      ...s3.settings,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${proxy.port}`,
    })
    // The server looks whether it is set up.
    stalled.clock.advance(MINUTE_MS)
    await eventually(() => proxy.connections.length > 0)
    stalled.clock.advance(6 * HOUR_MS)
    expect((await stalled.runs(1)).runs[0]?.error).toBe(
      'The backup to s3://backups/support took longer than six hours.',
    )

    await using missing = await startWithBackups({ ...s3.settings, BELLHOP_BACKUP: 's3://no-such-bucket' })
    expect((await missing.runs(1)).runs[0]?.error).toBe("Can't list s3://no-such-bucket: NoSuchBucket.")
    await using refused = await startWithBackups({
      ...s3.settings,
      AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9',
    })
    expect((await refused.runs(1)).runs[0]?.error).toBe("Can't list s3://backups/support: ConnectionRefused.")
  },
  MAX_TEST_MS,
)

test(
  'a folder keeps the newest backup of seven days and of four weeks, and files that are not backups',
  async () => {
    const folder = join(temporaryFolder('kept'), 'backups')
    mkdirSync(folder)
    const passphrase = { BELLHOP_BACKUP_PASSPHRASE: 'correct horse battery staple' }
    const nameOf = (day: string) => `bellhop-${day}T030000Z.tar.zst`
    const days = Array.from({ length: 60 }, (_, day) => {
      return new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10).replaceAll('-', '')
    })
    for (const day of days) writeFileSync(join(folder, nameOf(day)), '')
    writeFileSync(join(folder, 'bellhop-notes.txt'), 'mine')
    await using server = await startWithBackups({ BELLHOP_BACKUP: folder, ...passphrase })
    const { lastSuccess } = await server.runs(1)
    // The clock of the test starts on Sunday, March 1, 2026.
    const kept = [
      '20260208',
      '20260215',
      '20260222',
      '20260223',
      '20260224',
      '20260225',
      '20260226',
      '20260227',
      '20260228',
    ]
    expect(readdirSync(folder).sort()).toEqual(
      [...kept.map(nameOf), lastSuccess?.name ?? '', 'bellhop-notes.txt'].sort(),
    )
    expect(readdirSync(server.bellhop.deps.config.dataFolder)).not.toContain('backup.partial')

    expect(lastSuccess?.name).toEndWith('.tar.zst.age')
    const machine = { BELLHOP_DATA: join(temporaryFolder(), 'data') }
    const unreadable = await runProgram(machine, ['restore', folder])
    expect([unreadable.code, unreadable.err]).toEqual([1, expect.stringContaining('is encrypted')])
    const restored = await runProgram({ ...machine, ...passphrase }, ['restore', folder])
    expect(restored).toMatchObject({ code: 0, err: '' })
  },
  MAX_TEST_MS,
)

test(
  'backups are made as often, and kept as long, as the settings say, and when an administrator asks',
  async () => {
    const folder = temporaryFolder('backups')
    const settings = { BELLHOP_BACKUP: folder, BELLHOP_BACKUP_EVERY: '6h', BELLHOP_BACKUP_KEEP: '2h,1m' }
    await using server = await startWithBackups(settings)
    const { bellhop, clock, client } = server
    const admin = await signInAgent(bellhop, client.orgId, { role: 'admin' })
    const agent = await signInAgent(bellhop, client.orgId, { role: 'agent' })
    const first = await server.runs(1)
    expect((await agent.call('POST', '/console/backups')).status).toBe(403)
    const asked = await admin.call<{ isRunning: boolean }>('POST', '/console/backups')
    expect([asked.status, asked.json.isRunning]).toEqual([202, true])
    // Without waiting for the loop's next look.
    const ended = async () => (await admin.call<{ runs: Run[] }>('GET', '/console/backups')).json
    const { runs } = await lastly(async () => ((await ended()).runs.length === 2 ? ended() : undefined))
    expect(runs.map(({ error }) => error)).toEqual(['', ''])
    expect(runs[0]?.startedAt).toBe(new Date(clock.now()).toISOString())
    for (const count of [3, 4]) {
      clock.advance(6 * HOUR_MS)
      await server.runs(count)
    }
    const { runs: all } = await ended()
    expect(readdirSync(folder).sort()).toEqual([all[1]?.name ?? '', all[0]?.name ?? ''])
    expect(first.lastSuccess?.name).not.toBe(all[1]?.name)
  },
  MAX_TEST_MS,
)

test(
  'the first backup is made after the setup, not before',
  async () => {
    const [data, folder] = [join(temporaryFolder(), 'data'), join(temporaryFolder(), 'backups')]
    const place = { BELLHOP_DATA: data, BELLHOP_BACKUP: folder, BELLHOP_LOG: 'error' }
    await (await startProgram(place)).end('SIGTERM')
    expect(existsSync(folder)).toBe(false)
    const setup = ['setup', '--org', 'Acme', '--name', 'Ben', '--email', 'ben@acme.example']
    expect(await runProgram(place, setup)).toMatchObject({ code: 0 })
    await using _ = await startProgram(place)
    const made = await lastly(() =>
      existsSync(folder) ? readdirSync(folder).find((name) => name.endsWith('.zst')) : undefined,
    )
    const restored = await runProgram({ BELLHOP_DATA: join(temporaryFolder(), 'data') }, [
      'restore',
      join(folder, made),
    ])
    expect(restored).toMatchObject({ code: 0, err: '' })
  },
  MAX_TEST_MS,
)

test('without a place there are no backups, and a wrong place stops the start', async () => {
  const bellhop = await startBellhop()
  await using _ = { [Symbol.asyncDispose]: bellhop.stop }
  const client = await bellhop.organization()
  const admin = await signInAgent(bellhop, client.orgId, { role: 'admin' })
  expect((await admin.call('GET', '/console/backups')).json).toMatchObject({
    state: 'off',
    place: null,
    runs: [],
  })
  expect(await backupMetrics(bellhop)).toEqual([])

  const place = { BELLHOP_DATA: temporaryFolder() }
  const noKeys = await runProgram({ ...place, BELLHOP_BACKUP: 's3://bucket' }, ['serve'])
  expect([noKeys.code, noKeys.err]).toEqual([
    1,
    'BELLHOP_BACKUP is "s3://bucket". It must be empty, a folder, or s3://bucket/prefix with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.\n',
  ])
  for (const [name, value] of [
    ['EVERY', '5m'],
    ['KEEP', '7 days'],
  ]) {
    const wrong = await runProgram({ ...place, [`BELLHOP_BACKUP_${name}`]: value ?? '' }, ['serve'])
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringContaining(`BELLHOP_BACKUP_${name} is "${value}". It must be `),
    ])
  }
})
