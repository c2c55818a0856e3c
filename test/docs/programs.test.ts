import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { temporaryFolder } from '../support/folder.ts'
import { makeTicket, type TicketJson } from '../support/tickets.ts'
import { block } from './page.ts'
import { testWith } from './runtimes.ts'

// The programs of the guides run as they are, against a server.

const MAX_MS = 60_000
/** Until a copy is the same: a busy machine takes its time. */
const MAX_WAIT_MS = 15_000
const LANGUAGES = [
  {
    name: 'Python',
    block: 'python',
    command: (file: string) => ['python3', '-u', `${file}.py`],
    ending: 'py',
  },
  {
    name: 'TypeScript',
    block: 'ts',
    command: (file: string) => [process.execPath, `${file}.ts`],
    ending: 'ts',
  },
]

let bellhop: Bellhop
beforeAll(async () => {
  bellhop = await startBellhop()
})
afterAll(() => bellhop.stop())

type Shown = Record<string, unknown>
type Row = Shown & { id: string; ticketId?: string }

for (const language of LANGUAGES) {
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
      const start = () => startGuide(language, 'mirror.db', { folder, client })
      {
        await using _mirror = start()
        await mirrored(client, folder)
        await client.call('PATCH', `/tickets/${first.id}`, { body: { status: 'resolved', tags: ['vip'] } })
        await client.call('POST', `/tickets/${first.id}/messages`, { body: { text: 'It is attached.' } })
        expect((await client.call('DELETE', `/tickets/${gone.id}`)).status).toBe(204)
        await mirrored(client, folder)
      }
      const kept = await make(client, 'dee')
      const merge = { body: { from: merged.id } }
      expect((await client.call('POST', `/tickets/${kept.id}/merge`, merge)).status).toBe(200)
      const people = { body: { from: first.customerId } }
      expect((await client.call('POST', `/customers/${kept.customerId}/merge`, people)).status).toBe(200)
      {
        await using _again = start()
        await mirrored(client, folder)
      }
      using db = new Database(join(folder, 'mirror.db'))
      db.run("update position set after = '000000000000.1'")
      db.run('delete from objects')
      await using _restored = start()
      await mirrored(client, folder)
    },
    MAX_MS,
  )

  testWith(
    ['python3'],
    `the channel in ${language.name} carries messages both ways`,
    async () => {
      const { withKey } = await bellhop.organization('Channel')
      const client = await withKey({ rateLimit: 100_000 })
      await using channel = startGuide(language, 'chat-', { folder: temporaryFolder('channel'), client })
      const conversation = async () => {
        const list = await client.call<{ data: Row[] }>('GET', '/tickets?externalId=chat-ana')
        const [ticket] = list.json.data
        return ticket && (await client.call<TicketJson>('GET', `/tickets/${ticket.id}`)).json
      }
      const written = async (texts: string[]) => {
        for (;;) {
          const ticket = await conversation()
          if (
            ticket &&
            Bun.deepEquals(
              texts,
              ticket.messages.map(({ role, text }) => `${role}: ${text}`),
            )
          )
            return ticket
          channel.check()
          await Bun.sleep(10)
        }
      }
      channel.type('ana: Hello\n')
      const { id } = await written(['customer: Hello'])
      await client.call('POST', `/tickets/${id}/messages`, { body: { text: 'Hi Ana', status: 'resolved' } })
      await channel.says('→ ana: Hi Ana\n')
      channel.type('ana: One more\n')
      const again = await written(['customer: Hello', 'agent: Hi Ana', 'customer: One more'])
      expect(again).toMatchObject({ status: 'open', channel: 'api' })
      await client.call('POST', `/tickets/${id}/messages`, { body: { text: 'Yes?' } })
      await channel.says('→ ana: Hi Ana\n→ ana: Yes?\n')
    },
    MAX_MS,
  )

  testWith(
    ['python3'],
    `the import in ${language.name} keeps dates, authors and notes, and imports nothing twice`,
    async () => {
      const { withKey } = await bellhop.organization('Move')
      const client = await withKey({ scopes: [...KEY_SCOPES] })
      const folder = temporaryFolder('move')
      writeFileSync(join(folder, 'tickets.csv'), block('csv', 'Missing invoice'))
      for (const said of [/created'?"?: 2.*exists'?"?: 0/s, /created'?"?: 0.*exists'?"?: 2/s]) {
        await using program = startGuide(language, '/imports', { folder, client, CSV: 'tickets.csv' })
        expect(await program.end()).toMatch(said)
      }
      const { json } = await client.call<{ data: Row[] }>('GET', '/tickets?sort=created_asc')
      expect(json.data).toMatchObject([
        {
          subject: 'Missing invoice',
          status: 'resolved',
          createdAt: '2024-03-01T09:30:00.000Z',
          tags: ['billing', 'vip'],
        },
        {
          subject: 'Change my plan',
          status: 'open',
          createdAt: '2024-03-02T13:00:00.000Z',
          externalId: '1042',
        },
      ])
      const path = `/tickets/${json.data[0]?.id}`
      const { messages } = (await client.call<TicketJson>('GET', path)).json
      expect(messages).toMatchObject([
        { role: 'customer', text: 'My invoice for March is missing.', createdAt: '2024-03-01T09:30:00.000Z' },
        { role: 'agent', agentName: 'Ben Okafor', createdAt: '2024-03-01T10:12:00.000Z' },
      ])
      const notes = await client.call<{ data: object[] }>('GET', `${path}/notes`)
      expect(notes.json.data).toMatchObject([
        { text: 'She moved in February.', createdAt: '2024-03-01T10:05:00.000Z' },
      ])
    },
    MAX_MS,
  )
}

async function make(client: Client, name: string) {
  return makeTicket(client, { customer: { email: `${name}@example.com` } })
}

/** Returns when the copy is the same as the lists. */
async function mirrored(client: Client, folder: string): Promise<void> {
  for (const end = Date.now() + MAX_WAIT_MS; Date.now() < end; await Bun.sleep(20)) {
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

interface GuideProgram extends AsyncDisposable {
  type(text: string): void
  /** Returns when it has printed exactly this. */
  says(text: string): Promise<void>
  /** Waits for its end; returns what it printed. Throws when it failed. */
  end(): Promise<string>
  /** Throws when it has ended. */
  check(): void
}

function startGuide(
  language: (typeof LANGUAGES)[number],
  words: string,
  { folder, client, ...settings }: { folder: string; client: Client; CSV?: string },
): GuideProgram {
  writeFileSync(join(folder, `program.${language.ending}`), block(language.block, words))
  const child = Bun.spawn(language.command('program'), {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      BELLHOP: `${bellhop.url}/v1`,
      BELLHOP_KEY: client.key,
      ...settings,
    },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let printed = ''
  let problem = ''
  const reading = (async () => {
    for await (const bytes of child.stdout) printed += new TextDecoder().decode(bytes)
  })()
  const failing = (async () => {
    for await (const bytes of child.stderr) problem += new TextDecoder().decode(bytes)
  })()
  const check = () => {
    if (child.exitCode !== null) throw new Error(`The program ended: ${problem}`)
  }
  return {
    type(text) {
      child.stdin.write(text)
      child.stdin.flush()
    },
    async says(text) {
      for (; printed !== text; await Bun.sleep(10)) check()
    },
    async end() {
      await Promise.all([child.exited, reading, failing])
      if (child.exitCode !== 0) throw new Error(problem)
      return printed
    },
    check,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
