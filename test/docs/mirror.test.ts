import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { temporaryFolder } from '../support/folder.ts'
import { makeTicket } from '../support/tickets.ts'
import { GUIDE_LANGUAGES, startGuide, startGuideOnBrokenConnections } from './guide-programs.ts'
import { testWith } from './runtimes.ts'

const MAX_MS = 60_000
/** Until a copy is the same: a busy machine takes its time. */
const MAX_WAIT_MS = 15_000

let bellhop: Bellhop
beforeAll(async () => {
  bellhop = await startBellhop()
})
afterAll(() => bellhop.stop())

type Shown = Record<string, unknown>
type Row = Shown & { id: string; ticketId?: string }

for (const language of GUIDE_LANGUAGES) {
  testWith(
    ['python3'],
    `the mirror in ${language.name} has everything that the API has, after changes, a stop, and a restore`,
    async () => {
      const { withKey } = await bellhop.organization('Mirror')
      const client = await withKey({ scopes: [...KEY_SCOPES], rateLimit: 100_000 })
      const [first, gone, merged] = [
        await make(client, 'ana'),
        await make(client, 'bo'),
        await make(client, 'cy'),
      ]
      const folder = temporaryFolder('mirror')
      const start = () => startGuide(language, 'mirror.db', { folder, client, url: bellhop.url })
      {
        await using mirror = start()
        await mirrored(client, folder, mirror)
        await client.call('PATCH', `/tickets/${first.id}`, { body: { status: 'resolved', tags: ['vip'] } })
        await client.call('POST', `/tickets/${first.id}/messages`, { body: { text: 'It is attached.' } })
        expect((await client.call('DELETE', `/tickets/${gone.id}`)).status).toBe(204)
        await mirrored(client, folder, mirror)
        await importOld(client, 'eve')
        await split(client, await make(client, 'fay'))
        await mirrored(client, folder, mirror)
      }
      await importOld(client, 'gil')
      await split(client, await make(client, 'hal'))
      const kept = await make(client, 'dee')
      const merge = { body: { from: merged.id } }
      expect((await client.call('POST', `/tickets/${kept.id}/merge`, merge)).status).toBe(200)
      const people = { body: { from: first.customerId } }
      expect((await client.call('POST', `/customers/${kept.customerId}/merge`, people)).status).toBe(200)
      {
        await using again = start()
        await mirrored(client, folder, again)
      }
      using db = new Database(join(folder, 'mirror.db'))
      db.run("update position set after = '000000000000.1'")
      db.run('delete from objects')
      await using restored = start()
      await mirrored(client, folder, restored)
    },
    MAX_MS,
  )

  testWith(
    ['python3'],
    `the mirror in ${language.name} goes on when the server is away and connections break`,
    async () => {
      const { withKey } = await bellhop.organization('Away')
      const client = await withKey({ scopes: [...KEY_SCOPES], rateLimit: 100_000 })
      const { id } = await make(client, 'ana')
      const folder = temporaryFolder('mirror')
      await using mirror = await startGuideOnBrokenConnections(language, 'mirror.db', {
        folder,
        client,
        url: bellhop.url,
      })
      await mirrored(client, folder, mirror)
      for (const text of ['One', 'Two', 'Three', 'Four']) {
        await client.call('POST', `/tickets/${id}/messages`, { body: { text } })
        await mirrored(client, folder, mirror)
      }
    },
    MAX_MS,
  )
}

async function make(client: Client, name: string) {
  return makeTicket(client, { customer: { email: `${name}@example.com` } })
}

/** A ticket whose messages have no events of their own. */
async function importOld(client: Client, name: string): Promise<void> {
  const createdAt = '2024-03-01T09:30:00Z'
  const ticket = {
    externalId: name,
    subject: 'Missing invoice',
    status: 'resolved',
    channel: 'api',
    customer: { name, email: `${name}@example.com` },
    createdAt,
    messages: [
      { externalId: '1', role: 'customer', text: 'Where is it?', createdAt },
      { externalId: '2', role: 'agent', text: 'In the mail.', createdAt },
    ],
  }
  const answer = await client.call('POST', '/imports', { body: { tickets: [ticket] } })
  expect(answer.status, answer.text).toBe(200)
}

/** Moves a second message of the ticket into a new one. */
async function split(client: Client, { id }: { id: string }): Promise<void> {
  const added = { body: { text: 'By the way, where is my parcel?' } }
  const message = await client.call<{ id: string }>('POST', `/tickets/${id}/messages`, added)
  const moved = { body: { subject: 'A parcel', messages: [message.json.id] } }
  const answer = await client.call('POST', `/tickets/${id}/split`, moved)
  expect(answer.status, answer.text).toBe(201)
}

/** Returns when the copy is the same as the lists. */
async function mirrored(client: Client, folder: string, mirror: { check(): void }): Promise<void> {
  for (const end = Date.now() + MAX_WAIT_MS; Date.now() < end; await Bun.sleep(20)) {
    mirror.check()
    if (Bun.deepEquals(copyIn(folder), await everything(client))) return
  }
  expect(copyIn(folder)).toEqual(await everything(client))
}

function copyIn(folder: string): Shown | undefined {
  const file = join(folder, 'mirror.db')
  if (!existsSync(file)) return undefined
  try {
    using db = new Database(file, { readonly: true })
    const rows = db
      .query<{ data: string; ticketId: string | null }, []>('select data, ticketId from objects')
      .all()
    return shownBy(rows.map(({ data, ticketId }) => ({ ...JSON.parse(data), ticketId })))
  } catch {
    return undefined
  }
}

async function everything(client: Client): Promise<Shown> {
  const rows: Row[] = []
  for (const list of ['/tickets', '/messages', '/customers']) {
    rows.push(...(await client.call<{ data: Row[] }>('GET', `${list}?per_page=100`)).json.data)
  }
  return shownBy(rows)
}

/** What of everything has to be the same, by id. */
function shownBy(rows: Row[]): Shown {
  const of = (row: Row) => {
    const { subject, status, tags, text, role, name, emails, updatedAt, customerId } = row
    const ticketId = row.id.startsWith('msg_') ? row.ticketId : undefined
    return { subject, status, tags, text, role, name, emails, updatedAt, customerId, ticketId }
  }
  const byId = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return JSON.parse(JSON.stringify(Object.fromEntries(byId.map((row) => [row.id, of(row)]))))
}
