import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sweepSlices } from '../../server/attachments/sweep.ts'
import { readConfig } from '../../server/config.ts'
import { fileLocks } from '../../server/database/tables/attachments.ts'
import { startService } from '../../server/service.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startCutProxy } from '../support/mail/cut-proxy.ts'
import { runProgram } from '../support/program.ts'
import { startS3 } from '../support/s3-server.ts'
import { makeTicket, problemOf } from '../support/tickets.ts'
import { download, storedFiles, tryUpload, upload } from '../support/uploads.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Backups have the lowest priority. */
const MAX_TEST_MS = 180_000
const LARGE = new Uint8Array(3 * 1024 * 1024).map((_, place) => place % 251)
const hashOf = (content: string | Uint8Array) => Bun.SHA256.hash(content, 'hex')

const s3 = await startS3()
afterAll(() => s3?.[Symbol.asyncDispose]())

/** A server whose files are in a bucket that can be out of reach. */
async function startOnBucket() {
  if (!s3) throw new Error('There is no S3 server.')
  const proxy = await startCutProxy({ port: Number(new URL(s3.url).port) })
  const settings = s3.filesSettings(proxy.port)
  const clock = createManualClock()
  const bellhop = await startBellhop({ clock, settings })
  const acme = await bellhop.organization()
  const root = await signInAgent(bellhop, acme.orgId, { name: 'Root', role: 'admin' })
  return {
    bellhop,
    clock,
    acme,
    root,
    settings,
    stored: () => s3.hashes(settings),
    async sweep() {
      for await (const _ of sweepSlices(bellhop.deps));
    },
    goAway() {
      proxy.cut({ of: 'client', afterBytes: 0, does: 'cut', times: Number.POSITIVE_INFINITY })
      proxy.cutAll()
    },
    comeBack: proxy.heal,
    /** Without it, files are read from the bucket. */
    async clearCache() {
      const cache = join(bellhop.deps.config.dataFolder, 'files-cache')
      for (const name of readdirSync(cache)) {
        if (/^..$/.test(name)) await Bun.$`rm -r ${join(cache, name)}`.quiet()
      }
    },
    async [Symbol.asyncDispose]() {
      await bellhop.stop()
      await proxy.stop()
    },
  }
}

async function deleteObject(settings: Record<string, string>, content: string | Uint8Array): Promise<void> {
  const prefix = new URL(settings.BELLHOP_FILES ?? '').pathname.slice(1)
  await s3?.client.delete(`${prefix}/${hashOf(content).slice(0, 2)}/${hashOf(content)}`)
}

interface Report {
  findings: { check: string; detail: string }[]
}

describe.if(s3 !== undefined)('with files in a bucket', () => {
  test('an upload is there, named by its hash, and is read from there, whole and in parts', async () => {
    await using on = await startOnBucket()
    const { bellhop, acme, root } = on
    for (const content of ['A small file', LARGE]) {
      const file = await upload(acme, 'file.bin', content)
      const ticket = await makeTicket(acme, { attachments: [file.id] })
      expect(ticket.id).toStartWith('tkt_')
      expect(await on.stored()).toContain(hashOf(content))
      expect(storedFiles(bellhop.deps)).toEqual([])
      const bytes = Buffer.from(content)
      for (const _ of ['from the cache', 'from the bucket']) {
        const whole = await download(root, bellhop.url, file)
        expect(whole.headers.get('content-length')).toBe(String(bytes.byteLength))
        expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
        const part = await download(root, bellhop.url, { ...file, headers: { range: 'bytes=2-9' } })
        expect(part.status).toBe(206)
        expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(2, 10))).toBe(true)
        await on.clearCache()
      }
    }
  })

  test('what is deleted is gone from it at once', async () => {
    await using on = await startOnBucket()
    const [kept, erased] = [await upload(on.acme, 'a', 'kept'), await upload(on.acme, 'b', 'erased')]
    await makeTicket(on.acme, { attachments: [kept.id] })
    const ticket = await makeTicket(on.acme, { attachments: [erased.id] })
    expect((await on.root.call('DELETE', `/console/tickets/${ticket.id}`)).status).toBe(204)
    expect(await on.stored()).toEqual([hashOf('kept')])
    expect(await on.bellhop.deps.database.read.select().from(fileLocks)).toEqual([])
    problemOf(await tryUpload(on.acme, 'c', ''), 400, 'empty_file')
    expect(await on.stored()).toEqual([hashOf('kept')])
  })

  test('a missing file is named as missing', async () => {
    await using on = await startOnBucket()
    for (const content of ['small', LARGE]) {
      const { id } = await upload(on.acme, 'a', content)
      await on.clearCache()
      await deleteObject(on.settings, content)
      const answer = await download(on.acme, on.bellhop.url, { id })
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({ code: 'file_missing' })
    }
  })

  test('while it is out of reach, files answer 503, everything else works, and nothing is lost', async () => {
    await using on = await startOnBucket()
    const { acme, root, bellhop } = on
    const file = await upload(acme, 'a', 'before')
    const ticket = await makeTicket(acme, { attachments: [file.id] })
    const large = await upload(acme, 'a', LARGE)
    await on.clearCache()
    on.goAway()
    const refused = await tryUpload(acme, 'b', 'meanwhile')
    problemOf(refused, 503, 'storage_unavailable')
    expect(refused.headers.get('retry-after')).toBe('5')
    for (const id of [file.id, large.id]) {
      const answer = await download(id === file.id ? root : acme, bellhop.url, { id })
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toBe('5')
    }
    await makeTicket(acme)
    expect((await root.call('DELETE', `/console/tickets/${ticket.id}`)).status).toBe(204)
    on.comeBack()
    expect(await on.stored()).toEqual([hashOf('before'), hashOf(LARGE)].sort())
    expect((await tryUpload(acme, 'b', 'meanwhile')).status).toBe(201)
    on.clock.advance(2 * 60_000)
    await on.sweep()
    expect(await on.stored()).toEqual([hashOf('meanwhile'), hashOf(LARGE)].sort())
  })

  test('what a server was storing or deleting when it was killed is deleted later, unless something refers to it', async () => {
    await using on = await startOnBucket()
    const { deps } = on.bellhop
    await upload(on.acme, 'a', 'referenced')
    // The processes that have these ended here.
    await deps.files.put(Buffer.from('referenced'))
    await deps.files.put(Buffer.from('never stored'))
    await on.sweep()
    expect(await on.stored()).toEqual([hashOf('referenced'), hashOf('never stored')].sort())
    on.clock.advance(DAY_MS + HOUR_MS)
    await deps.files.put(Buffer.from('another'))
    // The upload is unsent and too old.
    await makeTicket(on.acme, { attachments: [(await upload(on.acme, 'b', 'referenced')).id] })
    await on.sweep()
    expect(await on.stored()).toEqual([hashOf('referenced'), hashOf('another')].sort())
    expect((await deps.database.read.select().from(fileLocks)).map(({ hash }) => hash)).toEqual([
      hashOf('another'),
    ])
  })

  test('what another server deleted leaves the cache with the next sweep', async () => {
    await using on = await startOnBucket()
    const cache = () =>
      readdirSync(join(on.bellhop.deps.config.dataFolder, 'files-cache'), { recursive: true })
        .map(String)
        .filter((name) => name.length > 64)
    using stray = await on.bellhop.deps.files.put(Buffer.from('deleted elsewhere'))
    stray[Symbol.dispose]()
    const file = await upload(on.acme, 'a', 'still there')
    await makeTicket(on.acme, { attachments: [file.id] })
    expect(cache()).toHaveLength(2)
    on.clock.advance(2 * HOUR_MS)
    await on.sweep()
    expect(cache()).toEqual([`${hashOf('still there').slice(0, 2)}/${hashOf('still there')}`])
  })

  test(
    'commands find a missing file, and backups have all files, for a folder and for another bucket',
    async () => {
      await using on = await startOnBucket()
      const { bellhop, acme } = on
      const { dataFolder, databaseUrl } = bellhop.deps.config
      for (const content of ['small', LARGE]) {
        await makeTicket(acme, { attachments: [(await upload(acme, 'a', content)).id] })
      }
      const hashes = [hashOf('small'), hashOf(LARGE)].sort()
      const source = { BELLHOP_DATA: dataFolder, ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
      const checked = await runProgram(source, ['files', 'check'])
      expect(checked).toEqual({ code: 0, out: '', err: 'All 2 files are there.\n' })
      const file = join(temporaryFolder(), 'bellhop.tar.zst')
      expect(await runProgram(source, ['backup', file])).toMatchObject({ code: 0, err: '' })

      const inFolder = { BELLHOP_DATA: join(temporaryFolder(), 'data') }
      const restored = await runProgram(inFolder, ['restore', file])
      expect(restored).toMatchObject({ code: 0, err: '' })
      const elsewhere = { config: { ...bellhop.deps.config, dataFolder: inFolder.BELLHOP_DATA } }
      expect(storedFiles({ ...bellhop.deps, ...elsewhere })).toEqual(hashes)
      expect(await runProgram(inFolder, ['files', 'check'])).toMatchObject({ code: 0 })

      const inBucket = { ...s3?.filesSettings(), BELLHOP_DATA: join(temporaryFolder(), 'data') }
      expect(await runProgram(inBucket, ['restore', file])).toMatchObject({ code: 0, err: '' })
      expect(existsSync(join(inBucket.BELLHOP_DATA, 'attachments'))).toBe(false)
      expect(await s3?.hashes(inBucket)).toEqual(hashes)

      const exported = join(temporaryFolder(), 'acme.zst')
      expect(await runProgram(source, ['export', exported])).toMatchObject({ code: 0 })
      const imported = { ...s3?.filesSettings(), BELLHOP_DATA: join(temporaryFolder(), 'data') }
      expect(await runProgram(imported, ['import', exported])).toMatchObject({ code: 0 })
      expect(await s3?.hashes(imported)).toEqual(hashes)

      await deleteObject(on.settings, 'small')
      const missing = await runProgram(source, ['files', 'check'])
      expect(missing).toMatchObject({ code: 1, out: `${hashOf('small')}\n` })
      expect(missing.err).toContain('1 of 2 files is missing.')
    },
    MAX_TEST_MS,
  )

  test('the doctor names a bucket that keeps versions, or that is out of reach', async () => {
    await using on = await startOnBucket()
    await upload(on.acme)
    const look = async () => {
      const { json } = await on.root.call<Report>('GET', '/console/doctor')
      return json.findings.filter(({ check }) => check === 'files').map(({ detail }) => detail)
    }
    const fine = 'None is missing of 1 file looked at, for 1 attachment.'
    expect(await look()).toEqual([fine])
    await s3?.setVersioning('Enabled')
    const place = on.settings.BELLHOP_FILES
    expect(await look()).toEqual([
      `The bucket of ${place} keeps versions, so files that were deleted can still be read.`,
      fine,
    ])
    await s3?.setVersioning('Suspended')
    on.goAway()
    expect(await look()).toEqual([expect.stringContaining(`${place} can't be reached: `)])
  })

  test.each([
    [400, 'RequestTimeout'],
    [408, ''],
    [429, 'TooManyRequests'],
  ])('one that answers %d %s is away, which keeps no server from starting', async (status, code) => {
    await using busy = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ method }) =>
        method === 'GET'
          ? new Response('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>')
          : new Response(code && `<Error><Code>${code}</Code></Error>`, { status }),
    })
    const settings = { ...s3?.filesSettings(), AWS_ENDPOINT_URL_S3: busy.url.origin }
    const bellhop = await startBellhop({ settings })
    const refused = await tryUpload(await bellhop.organization(), 'a', 'meanwhile')
    problemOf(refused, 503, 'storage_unavailable')
    expect(refused.headers.get('retry-after')).toBe('5')
    await bellhop.stop()
  })

  test('a bucket that refuses is named at the start', async () => {
    const settings = { ...s3?.filesSettings(), BELLHOP_FILES: 's3://no-such-bucket/files' }
    const config = readConfig({ PORT: '0', BELLHOP_DATA: temporaryFolder('data'), ...settings })
    expect(startService(config)).rejects.toThrow(
      "BELLHOP_FILES: s3://no-such-bucket/files can't be used: NoSuchBucket.",
    )
    expect(() => readConfig({ ...settings, BELLHOP_FILES: '/folder' })).toThrow(
      'BELLHOP_FILES is "/folder". It must be empty, or s3://bucket/prefix with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    )
    expect(existsSync(join(config.dataFolder, 'attachments'))).toBe(false)
  })
})
