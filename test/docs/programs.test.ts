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
    `the channel in ${language.name} carries each message once while connections break`,
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
    `the import in ${language.name} keeps dates, authors and notes, and imports nothing twice`,
    async () => {
      const { withKey } = await bellhop.organization('Move')
      const client = await withKey({ scopes: [...KEY_SCOPES] })
      const folder = temporaryFolder('move')
      writeFileSync(join(folder, 'tickets.csv'), block('csv', 'Missing invoice'))
      for (const said of [/created'?"?: 2.*exists'?"?: 0/s, /created'?"?: 0.*exists'?"?: 2/s]) {
        await using program = startGuide(language, '/imports', {
          folder,
          client,
          url: bellhop.url,
          CSV: 'tickets.csv',
        })
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
