import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  embeddedPlace,
  exportFrom,
  hashOf,
  importInto,
  linesOf,
  placeOf,
  writeSealed,
} from '../export/exports.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Place, runProgram } from '../support/program.ts'
import { storeBot } from '../support/stored-bot.ts'
import { makeTicket } from '../support/tickets.ts'
import { storedPath, upload } from '../support/uploads.ts'

const CONTENT = 'The bytes of a file. '.repeat(20_000)
const DAMAGED = /^\S+ is damaged or incomplete\. Use another copy\.\n$/
const FOREIGN = /^\S+ isn't a Bellhop export\.\n$/

let bellhop: Bellhop
let acme: Client
let source: Place
let plain: string
let encrypted: string
const folder = temporaryFolder('passphrases')
const [passphrase, wrong] = [join(folder, 'passphrase'), join(folder, 'wrong')]

async function expectRefusal(file: string, message: RegExp, ...args: string[]): Promise<void> {
  const target = embeddedPlace()
  const { code, out, err } = await importInto(target, file, ...args)
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(message)
  expect(existsSync(target.BELLHOP_DATA ?? '')).toBe(false)
}

function fileOf(bytes: Uint8Array | string): string {
  const file = join(temporaryFolder('export'), 'bad.jsonl')
  writeFileSync(file, bytes)
  return file
}

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

describe('an import', () => {
  beforeAll(async () => {
    writeFileSync(passphrase, 'correct horse battery staple\n')
    writeFileSync(wrong, 'incorrect horse\n')
    // When a key was last used is stored later, and it is in an export.
    bellhop = await startBellhop({ clock: createManualClock() })
    acme = await bellhop.organization()
    const { id } = await upload(acme, 'file.txt', CONTENT)
    await makeTicket(acme, { attachments: [id] })
    await storeBot(bellhop, acme.orgId)
    source = placeOf(bellhop.deps.config)
    plain = (await exportFrom(source)).file
    encrypted = (await exportFrom(source, '--passphrase-file', passphrase)).file
  })
  afterAll(() => bellhop.stop())

  const DAMAGES: [string, (bytes: Buffer) => Uint8Array | string, RegExp][] = [
    ['was cut off in the middle', (bytes) => bytes.subarray(0, bytes.length / 2), DAMAGED],
    ['was cut off in its last line', (bytes) => bytes.subarray(0, bytes.length - 20), DAMAGED],
    ['has no last line', (bytes) => bytes.subarray(0, bytes.lastIndexOf('{"record":"end"')), DAMAGED],
    ['has a changed byte', (bytes) => changed(bytes, bytes.length >> 1), DAMAGED],
    ['has a changed letter in a text', (bytes) => changed(bytes, bytes.indexOf('Acme', 200)), DAMAGED],
    ['has more after its end', (bytes) => Buffer.concat([bytes, Buffer.from('\n')]), DAMAGED],
    ['is empty', () => '', FOREIGN],
    ['is a text', () => 'not an export', FOREIGN],
    ['has other JSON', () => '{"format":"something else"}\n', FOREIGN],
    ['is large and without lines', () => Buffer.alloc(1_000_000), FOREIGN],
  ]

  test.each(DAMAGES)(
    'of a file that %s is refused in one sentence, and nothing changes',
    async (_, damage, message) => {
      await expectRefusal(fileOf(damage(readFileSync(plain))), message)
    },
  )

  test('of an encrypted file needs its passphrase, and every byte of it', async () => {
    const given = ['--passphrase-file', passphrase]
    expect(readFileSync(encrypted, 'latin1')).toStartWith('age-encryption.org/v1\n-> scrypt ')
    const target = embeddedPlace()
    expect((await importInto(target, encrypted, ...given)).code).toBe(0)
    expect((await exportFrom(target)).hash).toBe(hashOf(plain))
    await Promise.all([
      expectRefusal(encrypted, /^The passphrase doesn't fit \S+\.\n$/, '--passphrase-file', wrong),
      expectRefusal(encrypted, /is encrypted\. Give its passphrase with --passphrase-file\.\n$/),
      expectRefusal(fileOf(changed(readFileSync(encrypted), 100_000)), DAMAGED, ...given),
      expectRefusal(fileOf(readFileSync(encrypted).subarray(0, 100_000)), DAMAGED, ...given),
    ])
  })

  test('of a newer version, or of no file, is refused', async () => {
    const [header, ...records] = linesOf(plain)
    const newer = /was made by a newer version of Bellhop, 9\.0\.0\. Use that version\.\n$/
    await Promise.all([
      expectRefusal(writeSealed([{ ...header, formatVersion: 2, bellhop: '9.0.0' }, ...records]), newer),
      expectRefusal(writeSealed([{ ...header, schema: 900, bellhop: '9.0.0' }, ...records]), newer),
      expectRefusal(
        join(folder, 'none.jsonl'),
        /^Can't read .*none\.jsonl: the folder or file doesn't exist\.\n$/,
      ),
    ])
  })

  const MISTAKES: [string, (record: Record<string, unknown>) => unknown][] = [
    ['an unknown kind', (record) => ({ ...record, record: 'invoice' })],
    ['an unknown field', (record) => ({ ...record, price: 3 })],
    ['a field of another type', (record) => ({ ...record, createdAt: 'yesterday' })],
    ['a field that is null', (record) => ({ ...record, subject: null })],
    ['a missing field', ({ subject: _, ...record }) => record],
    ['a character that no database stores', (record) => ({ ...record, subject: 'a\0b' })],
  ]

  test('of a file that another program made is refused for records with mistakes', async () => {
    const lines = linesOf(plain).slice(0, -1)
    const place = lines.findIndex(({ record }) => record === 'ticket')
    const files = MISTAKES.map(([, mistake]) =>
      writeSealed(lines.with(place, Object(mistake(lines[place] ?? {})))),
    )
    await Promise.all(files.map((file) => expectRefusal(file, DAMAGED)))
  })

  test('beside the same organization, the same ids, or a running server changes nothing', async () => {
    const running = await importInto(source, plain)
    expect([running.code, running.err]).toEqual([
      1,
      expect.stringMatching(/^Another Bellhop server .* Stop it first\.\n$/),
    ])

    const target = embeddedPlace()
    expect((await importInto(target, plain)).code).toBe(0)
    const before = (await exportFrom(target)).hash
    const again = await importInto(target, plain)
    expect(again).toEqual({
      code: 1,
      out: '',
      err: `The organization Acme (${acme.orgId}) is already in ${target.BELLHOP_DATA}.\n`,
    })
    const renamed = JSON.parse(
      JSON.stringify(linesOf(plain).slice(0, -1)).replaceAll(acme.orgId, 'org_zzzzzz'),
    )
    const conflicting = await importInto(target, writeSealed(renamed))
    expect([conflicting.code, conflicting.out]).toEqual([1, ''])
    expect(conflicting.err).toMatch(
      /^A record "\w+" in \S+ conflicts with what is already there, .* Nothing was imported\.\n$/,
    )
    expect((await exportFrom(target)).hash).toBe(before)
  })
})

test('an export refuses an existing file, a missing folder, and an organization that it has to guess', async () => {
  const place = embeddedPlace()
  const admin = ['--name', 'Ana', '--email', 'ana@example.com']
  for (const org of ['One', 'Two']) {
    expect((await runProgram(place, ['setup', '--org', org, ...admin])).code).toBe(0)
  }
  const [taken, missing] = [fileOf('mine'), join(folder, 'no-folder', 'file.jsonl')]
  const refused = await Promise.all([
    runProgram(place, ['export', join(folder, 'new.jsonl')]),
    runProgram(place, ['export', taken, '--org', 'One']),
    runProgram(place, ['export', missing, '--org', 'One']),
    runProgram(embeddedPlace(), ['export', join(folder, 'new.jsonl')]),
  ])
  expect(refused.map(({ code, err }) => [code, err.split(/[.:] /)[0]])).toEqual([
    [1, 'There are several organizations'],
    [1, `${taken} exists already`],
    [1, "Can't write file.jsonl"],
    [1, expect.stringContaining('There is no Bellhop data in')],
  ])
  expect(readFileSync(taken, 'utf8')).toBe('mine')
  expect(existsSync(join(folder, 'new.jsonl'))).toBe(false)
})

test('an export says which files are missing, and the rest is imported', async () => {
  await using own = { ...(await startBellhop()), [Symbol.asyncDispose]: () => own.stop() }
  const client = await own.organization()
  const { id } = await upload(client, 'file.txt', CONTENT)
  await makeTicket(client, { attachments: [id] })
  writeFileSync(storedPath(own.deps, CONTENT), 'other bytes')
  const file = join(temporaryFolder('export'), 'acme.jsonl')
  const exported = await runProgram(placeOf(own.deps.config), ['export', file])
  expect([exported.code, exported.err.split('\n')[0]]).toEqual([
    0,
    '1 file is missing or damaged in the data folder, so the export lacks it.',
  ])
  const target = embeddedPlace()
  expect((await importInto(target, file)).code).toBe(0)
  expect(readFileSync((await exportFrom(target)).file)).toEqual(readFileSync(file))
})
