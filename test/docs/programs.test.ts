import { afterAll, beforeAll, expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { temporaryFolder } from '../support/folder.ts'
import type { TicketJson } from '../support/tickets.ts'
import { GUIDE_LANGUAGES, startGuide, startGuideOnBrokenConnections } from './guide-programs.ts'
import { block } from './page.ts'
import { testWith } from './runtimes.ts'

// The programs of the guides run as they are, against a server.

const MAX_MS = 60_000
let bellhop: Bellhop
beforeAll(async () => {
  bellhop = await startBellhop()
})
afterAll(() => bellhop.stop())

type Row = Record<string, unknown> & { id: string }

for (const language of GUIDE_LANGUAGES) {
  testWith(
    ['python3'],
    `the channel in ${language.name} carries messages both ways`,
    async () => {
      const { withKey } = await bellhop.organization('Channel')
      const client = await withKey({ rateLimit: 100_000 })
      await using channel = startGuide(language, 'chat-', {
        folder: temporaryFolder('channel'),
        client,
        url: bellhop.url,
      })
      channel.type('ana: Hello\n')
      const id = await ticketSaying(client, ['customer: Hello'], channel)
      await client.call('POST', `/tickets/${id}/messages`, { body: { text: 'Hi Ana', status: 'resolved' } })
      await channel.says('→ ana: Hi Ana\n')
      channel.type('ana: One more\n')
      await ticketSaying(client, ['customer: Hello', 'agent: Hi Ana', 'customer: One more'], channel)
      const again = (await client.call<TicketJson>('GET', `/tickets/${id}`)).json
      expect(again).toMatchObject({ status: 'open', channel: 'api' })
      await client.call('POST', `/tickets/${id}/messages`, { body: { text: 'Yes?' } })
      await channel.says('→ ana: Hi Ana\n→ ana: Yes?\n')
    },
    MAX_MS,
  )

  testWith(
    ['python3'],
    `the channel in ${language.name} delivers each message once even when connections break`,
    async () => {
      const { withKey } = await bellhop.organization('Broken')
      const client = await withKey({ rateLimit: 100_000 })
      await using channel = await startGuideOnBrokenConnections(language, 'chat-', {
        folder: temporaryFolder('channel'),
        client,
        url: bellhop.url,
      })
      const said: string[] = []
      for (const word of ['one', 'two', 'three', 'four']) {
        channel.type(`ana: ${word}\n`)
        said.push(`customer: ${word}`)
        const id = await ticketSaying(client, said, channel)
        await client.call('POST', `/tickets/${id}/messages`, { body: { text: `Not ${word}` } })
        said.push(`agent: Not ${word}`)
        const answers = said.filter((line) => line.startsWith('agent'))
        await channel.says(`${answers.map((line) => line.replace('agent:', '→ ana:')).join('\n')}\n`)
      }
    },
    MAX_MS,
  )

  testWith(
    ['python3'],
    `the import in ${language.name} goes on when the server is away and connections break`,
    async () => {
      const [names, , , , last = ''] = block('csv', 'Missing invoice').split('\n')
      const rows = Array.from({ length: 201 }, (_, place) => last.replace('1042', `${place}`))
      const given = await importOf([names, ...rows].join('\n'))
      await using program = await startGuideOnBrokenConnections(language, '/imports', given)
      // Two answers of 50 tickets got lost.
      expect(await program.end()).toMatch(/created'?"?: 101.*exists'?"?: 100/s)
    },
    MAX_MS,
  )

  testWith(
    ['python3'],
    `the import in ${language.name} reads the separators of a spreadsheet`,
    async () => {
      const plain = block('csv', 'Missing invoice').replaceAll('\n', '\r\n')
      for (const [separator, text] of [
        [';', '"Hello; and ""bye"",\nAna"'],
        ['\t', 'Hello; "x", Ana'],
      ]) {
        const file = `\uFEFF${plain.replaceAll(',', separator ?? '')}`.replace(
          'Here it is again.',
          text ?? '',
        )
        const given = await importOf(`${file}${separator?.repeat(11)}\r\n`)
        await using program = startGuide(language, '/imports', given)
        expect(await program.end()).toMatch(/created'?"?: 2/)
        const { client } = given
        const { json } = await client.call<{ data: Row[] }>('GET', '/messages?per_page=100')
        const texts = json.data.map((message) => message.text)
        expect(texts).toContain(separator === ';' ? 'Hello; and "bye",\nAna' : text)
      }
    },
    MAX_MS,
  )

  testWith(
    ['python3'],
    `the import in ${language.name} names the row and the column of what is wrong`,
    async () => {
      const csv = block('csv', 'Missing invoice')
      for (const [right, wrong, said] of [
        ['resolved', 'closed', /^Row 2, status: /m],
        ['Ana Pires,ana@example.com,,billing', 'Ana Pires,ana,,billing', /^Row 2, customer_email: /m],
        ['note,Ben', 'memo,Ben', /^Row 3, role: /m],
        ['How do I change my plan?', '', /^Row 5, text: /m],
        ['billing vip', `billing ${'v'.repeat(300)}`, /^Row 2, tags: /m],
        ['T10:12:00Z', 'T10:12:00', /^Row 4, created_at: /m],
        ['2024-03-01T10:12:00Z', '01/03/2024', /Row 4, created_at: /m],
        ['Here it is again.', '"Here it is, \nagain",', /Row 4 doesn't have as many cells as row 1/],
        [',note,', ',', /Row 3 doesn't have as many cells as row 1/],
        ['She moved in February.', '"She moved', /Row 3: /],
        ['She moved in February.', '"She" moved', /Row 3: /],
      ] as const) {
        expect(csv).toContain(right)
        const given = await importOf(csv.replace(right, wrong))
        await using program = startGuide(language, '/imports', given)
        const printed = await program.end().catch(String)
        expect(printed, wrong).toMatch(said)
      }
    },
    MAX_MS,
  )

  testWith(
    ['python3'],
    `the import in ${language.name} keeps dates, authors and notes, names the unnamed by their address, and imports nothing twice`,
    async () => {
      const given = await importOf(block('csv', 'Missing invoice').replace('Bo Lind,bo@', ',bo@'))
      const { client } = given
      for (const said of [/created'?"?: 2.*exists'?"?: 0/s, /created'?"?: 0.*exists'?"?: 2/s]) {
        await using program = startGuide(language, '/imports', given)
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
          customer: { name: 'bo' },
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

/** Waits until the conversation has exactly these messages; returns the id of its ticket. */
async function ticketSaying(client: Client, texts: string[], channel: { check(): void }): Promise<string> {
  for (;;) {
    const list = await client.call<{ data: Row[] }>('GET', '/tickets?externalId=chat-ana')
    const [found] = list.json.data
    const ticket = found && (await client.call<TicketJson>('GET', `/tickets/${found.id}`)).json
    const written = ticket?.messages.map(({ role, text }) => `${role}: ${text}`)
    if (ticket && Bun.deepEquals(texts, written)) return ticket.id
    channel.check()
    await Bun.sleep(10)
  }
}

/** What the program of the guide is started with to import this file into an organization of its own. */
async function importOf(csv: string) {
  const { withKey } = await bellhop.organization('Move')
  const client = await withKey({ scopes: [...KEY_SCOPES] })
  const folder = temporaryFolder('move')
  writeFileSync(join(folder, 'tickets.csv'), csv)
  return { folder, client, url: bellhop.url, CSV: 'tickets.csv' }
}
