import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createAgent } from '../../server/agents/agents.ts'
import { engine } from '../../server/database/columns.ts'
import { RECORD_KINDS } from '../../server/export/record-kinds.ts'
import { block } from '../docs/page.ts'
import { type Bellhop, type Client, call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { emptyPlace } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type FullOrganization, makeFullOrganization } from '../support/full-organization.ts'
import { type Place, PROGRAM, runProgram, startProgram } from '../support/program.ts'
import { type ListJson, makeTicket } from '../support/tickets.ts'
import { download, upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'
import {
  countKinds,
  embeddedPlace,
  exportFrom,
  fillTables,
  hashOf,
  importInto,
  linesOf,
  placeOf,
  type WrittenExport,
  writeSealed,
} from './exports.ts'

/** Longer than a line of a file, and not a multiple of it. */
const LARGE_FILE = Buffer.alloc(700_001, 'Every byte of it. ')
const TICKETS = 30
/** In the guide. */
const NEW_FOLDER = '/var/lib/bellhop-postgresql'
const EMAIL = 'ines@globex.example'
const PASSWORD = 'a long enough password'

/** Fields that exports of earlier versions don't have. */
const INVENTED: Record<string, string[]> = {
  savedReply: ['agentId', 'isShared', 'actions', 'attachmentCount'],
  organization: ['lastVisitor'],
  customer: ['isNameTyped', 'unverifiedEmail', 'visitorNumber'],
  mailbox: ['aliases'],
  ticket: ['lastMessageAt', 'waitingOrder', 'mergedInto', 'snoozedUntil'],
  message: ['sentBy', 'isRemovalShown'],
  scheduledMessage: ['opening', 'actions', 'isLater'],
  draft: ['actions'],
  mail: ['becomesTicket'],
  knownMail: ['bodyHash'],
}

let bellhop: Bellhop
let source: Place
/** One of everything, and rows with a value in every column. */
let acme: FullOrganization
let acmeFile: WrittenExport
/** Ordinary tickets. */
let globex: Client
let fileId: string

async function imported(place: Place, file: string): Promise<Place> {
  expect(await importInto(place, file)).toMatchObject({ code: 0 })
  return place
}

describe('an export', () => {
  beforeAll(async () => {
    // Nothing changes on its own while the clock doesn't move.
    bellhop = await startBellhop({ clock: createManualClock() })
    source = placeOf(bellhop.deps.config)
    acme = await makeFullOrganization(bellhop)
    await fillTables(bellhop.deps, acme)
    globex = await bellhop.organization('Globex')
    fileId = (await upload(globex, 'large.bin', LARGE_FILE)).id
    for (let number = 0; number < TICKETS; number += 1) {
      const isFirst = number === 0
      await makeTicket(globex, {
        subject: `Invoice ${number}`,
        tags: number % 3 === 0 ? ['billing'] : [],
        ...(isFirst && { attachments: [fileId] }),
      })
    }
    await createAgent(bellhop.deps, globex.orgId, {
      name: 'Ines',
      email: EMAIL,
      role: 'agent',
      password: PASSWORD,
    })
    acmeFile = await exportFrom(source, '--org', acme.client.orgId)
  })
  afterAll(() => bellhop.stop())

  test('has records of every kind, secrets in plain text, and only its owner can read it', () => {
    const kinds = RECORD_KINDS.map(({ name }) => name)
    expect(Object.keys(countKinds(acmeFile.file))).toEqual(['header', ...kinds, 'file', 'fileBytes', 'end'])
    const bot = linesOf(acmeFile.file).find(({ record, id }) => record === 'bot' && id === acme.owned.bot)
    expect(bot?.token).toBe('7:nobody')
    expect(statSync(acmeFile.file).mode & 0o777).toBe(0o600)
  })

  test('of the same data is the same, also after it went to another engine and back', async () => {
    expect((await exportFrom(source, '--org', acme.client.orgId)).hash).toBe(acmeFile.hash)
    let { file } = acmeFile
    for (const place of [embeddedPlace(), await emptyPlace(), embeddedPlace()]) {
      const next = await exportFrom(await imported(place, file))
      expect(next.hash).toBe(acmeFile.hash)
      file = next.file
    }
  })

  test.if(engine === 'postgresql')('moves to PostgreSQL by the commands of the guide', async () => {
    const [before, after] = [await imported(embeddedPlace(), acmeFile.file), await emptyPlace()]
    const cwd = temporaryFolder()
    const commands = block('sh', NEW_FOLDER)
      .replaceAll(NEW_FOLDER, join(cwd, 'new'))
      .replace(/DATABASE_URL=\S+/, `DATABASE_URL=${after.DATABASE_URL}`)
      .replace('bellhop serve', 'bellhop org list')
    const bellhopCommand = PROGRAM.map((word) => `"${word}"`).join(' ')
    const script = `set -e; bellhop() { ${bellhopCommand} "$@"; }\n${commands}`
    const { code, out } = await runProgram(
      { PATH: process.env.PATH ?? '', ...before },
      [script],
      ['sh', '-c'],
      cwd,
    )
    expect([code, out]).toEqual([0, expect.stringContaining(acme.client.orgId)])
    expect(hashOf(join(cwd, 'acme.jsonl'))).toBe(acmeFile.hash)
    const moved = { ...after, BELLHOP_DATA: join(cwd, 'new') }
    expect((await exportFrom(moved)).hash).toBe(acmeFile.hash)
    const [key, oldKey] = [moved, before].map(({ BELLHOP_DATA = '' }) =>
      readFileSync(join(BELLHOP_DATA, 'secret.key')),
    )
    expect(key).toEqual(oldKey)
  })

  test('from before some fields were invented gets their values', async () => {
    const before = linesOf(acmeFile.file).slice(0, -1)
    for (const line of before) {
      if (line.visitorNumber) line.name = 'Visitor'
      for (const field of INVENTED[String(line.record)] ?? []) delete line[field]
    }
    const after = linesOf((await exportFrom(await imported(await emptyPlace(), writeSealed(before)))).file)
    const records = new Map(after.map((line) => [line.id, line]))
    expect(records.get(acme.client.orgId)).toMatchObject({ lastVisitor: 1 })
    expect(records.get(acme.owned.mailbox)).toMatchObject({ aliases: [] })
    expect(records.get(acme.owned.message)).toMatchObject({ sentBy: null })
    expect(records.get(acme.owned.failedMessage)).toMatchObject({ sentBy: 'email' })
    expect(records.get(acme.owned.ticket)?.lastMessageAt).toBeGreaterThan(0)
    expect(after).toContainEqual(
      expect.objectContaining({ record: 'customer', name: 'Visitor 1', visitorNumber: 1 }),
    )
  })

  test('is the same beside another organization, and gives its server the same tickets, files, keys, agents, and search', async () => {
    const original = await exportFrom(source, '--org', 'Globex')
    const target = await emptyPlace()
    const admin = ['--org', 'Other', '--name', 'Ana', '--email', 'ana@other.example']
    expect((await runProgram(target, ['setup', ...admin])).code).toBe(0)
    await imported(target, original.file)
    expect((await exportFrom(target, '--org', globex.orgId)).hash).toBe(original.hash)

    await using server = await startProgram({ ...target, BELLHOP_LOG: 'error' })
    const read = async (url: string, path: string) => {
      const headers = { authorization: `Bearer ${globex.key}` }
      return (await call<ListJson>('GET', `${url}/v1${path}`, { headers })).json
    }
    for (const path of ['/tickets?per_page=100', '/tickets?status=open&tag=billing']) {
      const answer = await read(server.url, path)
      expect(answer).toEqual(await read(bellhop.url, path))
      expect(answer.meta.total).toBe(answer.data.length)
    }
    const file = await download(globex, server.url, { id: fileId })
    expect(Buffer.from(await file.arrayBuffer()).equals(LARGE_FILE)).toBe(true)

    const headers = { 'sec-fetch-site': 'same-origin' }
    const body = { email: EMAIL, password: PASSWORD }
    const signedIn = await call('POST', `${server.url}/console/session`, { headers, body })
    expect(signedIn.status).toBe(201)
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const search = `${server.url}/console/tickets?q=invoice`
    await eventually(async () => {
      const found = await call<ListJson>('GET', search, { headers: { ...headers, cookie } })
      return found.json.data.length > 0
    })
  })
})
