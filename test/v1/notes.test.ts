import { afterAll, expect, test } from 'bun:test'
import { createProgram } from '../../server/agents/programs.ts'
import { signInAgent } from '../support/agents.ts'
import { type Answer, type Client, startBellhop } from '../support/bellhop.ts'
import { changeTicket, makeTicket, NO_TICKET, problemOf, readTicket } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

interface Note {
  id: string
  text: string
  format: string
  agentName: string
  agentId?: string
  attachments?: { id: string; name: string }[]
  createdAt: string
}
interface Page<Row> {
  data: Row[]
  meta: { perPage: number; nextCursor?: string }
}
interface Activity {
  id: string
  by: { kind: string; id?: string; name: string }
  changes: { field: string; from: unknown; to: unknown }[]
  createdAt: string
}

test('a note has the name of the key, or is its program’s, and the inbox shows it', async () => {
  const acme = await bellhop.organization()
  const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben' })
  const program = await createProgram(bellhop.deps, acme.orgId, { name: 'Answer bot' })
  const bot = await acme.withKey({ name: 'Key of the bot', program: program.id })
  const { id } = await makeTicket(acme)
  const before = await readTicket(acme, id)
  const byKey = await add(acme, id, { text: 'From the shop' })
  const byBot = await add(bot, id, { text: '**Paid** twice', format: 'markdown' })
  const note = bellhop.deps.newId('not')
  await ben.call('PUT', `/console/tickets/${id}/notes/${note}`, { body: { text: 'Thanks' } })
  const { data, meta } = await list<Note>(acme, `${id}/notes`)
  expect(data.map(({ text, agentName, agentId }) => [text, agentName, agentId])).toEqual([
    ['From the shop', 'Website', undefined],
    ['**Paid** twice', 'Answer bot', program.id],
    ['Thanks', 'Ben', ben.id],
  ])
  expect(data.slice(0, 2)).toEqual([byKey, byBot])
  expect(meta).toEqual({ perPage: 25 })
  expect(await readTicket(acme, id)).toEqual(before)
  const thread = await ben.call<{ timeline: { kind: string; text: string; agentName: string }[] }>(
    'GET',
    `/console/tickets/${id}`,
  )
  const shown = thread.json.timeline.flatMap(({ kind, agentName }) => (kind === 'note' ? agentName : []))
  expect(shown).toEqual(['Website', 'Answer bot', 'Ben'])
})

test('a note can have the files of its key, which other keys read with the scope of notes', async () => {
  const acme = await bellhop.organization()
  const reader = await acme.withKey({ scopes: ['tickets:read'] })
  const { id } = await makeTicket(acme)
  const file = await acme.call<{ id: string }>('POST', '/attachments?name=a.txt', { raw: 'A file' })
  const made = await add(acme, id, { text: '', attachments: [file.json.id] })
  expect(made.attachments).toMatchObject([{ id: file.json.id, name: 'a.txt' }])
  expect((await list<Note>(acme, `${id}/notes`)).data).toEqual([made])
  const noteReader = await acme.withKey({ scopes: ['tickets:read', 'notes:read'] })
  expect((await noteReader.call('GET', `/attachments/${file.json.id}`)).text).toBe('A file')
  problemOf(await reader.call('GET', `/attachments/${file.json.id}`), 404, 'not_found')
  problemOf(await add(acme, id, { text: ' ' }, 400), 400, 'invalid_request')
})

test('the same Idempotency-Key adds one note', async () => {
  const acme = await bellhop.organization()
  const { id } = await makeTicket(acme)
  const headers = { 'idempotency-key': 'once' }
  const send = (text: string) => acme.call<Note>('POST', `/tickets/${id}/notes`, { body: { text }, headers })
  const [first, again] = [await send('Once'), await send('Once')]
  expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
  expect((await list<Note>(acme, `${id}/notes`)).data).toHaveLength(1)
  problemOf(await send('Twice'), 422, 'idempotency_mismatch')
})

test('notes and changes are read in pages, oldest first', async () => {
  const acme = await bellhop.organization()
  const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben' })
  const { id } = await makeTicket(acme)
  for (const text of ['one', 'two', 'three']) await add(acme, id, { text })
  await changeTicket(acme, id, { status: 'pending', assignedTo: ben.id })
  await changeTicket(acme, id, { tags: ['vip'], assignedTo: null })
  await ben.call('PATCH', `/console/tickets/${id}`, { body: { isSpam: true } })
  const notes = await pages<Note>(acme, `${id}/notes`)
  expect([notes.rows.map(({ text }) => text), notes.requests]).toEqual([['one', 'two', 'three'], 2])
  const activity = await pages<Activity>(acme, `${id}/activity`)
  const key = { kind: 'key', id: expect.stringMatching(/^key_/), name: 'Website' }
  expect(activity.rows.map(({ by, changes }) => ({ by, changes }))).toEqual([
    {
      by: key,
      changes: expect.arrayContaining([
        { field: 'status', from: 'open', to: 'pending' },
        { field: 'assignedTo', from: null, to: ben.id },
      ]),
    },
    {
      by: key,
      changes: expect.arrayContaining([
        { field: 'tags', from: [], to: ['vip'] },
        { field: 'assignedTo', from: ben.id, to: null },
      ]),
    },
    { by: { kind: 'agent', id: ben.id, name: 'Ben' }, changes: [{ field: 'spam', from: false, to: true }] },
  ])
  const { meta } = await list<Note>(acme, `${id}/notes?per_page=2`)
  const elsewhere = await acme.call(
    'GET',
    `/tickets/${(await makeTicket(acme)).id}/notes?cursor=${meta.nextCursor}`,
  )
  expect(problemOf(elsewhere, 400, 'invalid_request').errors?.[0]?.code).toBe('foreign_cursor')
})

test('why a ticket was snoozed is a change that only keys see that may read notes', async () => {
  const acme = await bellhop.organization()
  const reader = await acme.withKey({ scopes: ['tickets:read'] })
  const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben' })
  const { id } = await makeTicket(acme)
  const snoozedUntil = new Date(Date.now() + 86_400_000).toISOString()
  for (const change of [{ snoozedUntil, why: 'She is hard to please' }, { snoozedUntil: null }]) {
    const body = { items: [{ id, change }] }
    expect((await ben.call('POST', '/console/bulk', { body })).status).toBe(200)
  }
  const fields = async (client: Client) => {
    const { data } = await list<Activity>(client, `${id}/activity`)
    return data.map(({ changes }) => changes.map(({ field }) => field).toSorted())
  }
  expect(await fields(acme)).toEqual([
    ['snoozedUntil', 'why'],
    ['snoozedUntil', 'why'],
  ])
  expect(await fields(reader)).toEqual([['snoozedUntil'], ['snoozedUntil']])
  expect((await reader.call('GET', `/tickets/${id}/activity`)).text).not.toContain('hard to please')
})

test('a ticket of another organization has no notes and no changes', async () => {
  const [acme, other] = [await bellhop.organization(), await bellhop.organization('Other')]
  const { id } = await makeTicket(acme)
  await add(acme, id, { text: 'Secret' })
  for (const ticket of [id, NO_TICKET, 'x']) {
    problemOf(await other.call('GET', `/tickets/${ticket}/notes`), 404, 'not_found')
    problemOf(await other.call('GET', `/tickets/${ticket}/activity`), 404, 'not_found')
    problemOf(await other.call('POST', `/tickets/${ticket}/notes`, { body: { text: 'x' } }), 404, 'not_found')
  }
})

async function add(client: Client, id: string, body: object): Promise<Note>
async function add(client: Client, id: string, body: object, status: number): Promise<Answer<Note>>
async function add(client: Client, id: string, body: object, status = 201) {
  const answer = await client.call<Note>('POST', `/tickets/${id}/notes`, { body })
  expect(answer.status, answer.text).toBe(status)
  return status === 201 ? answer.json : answer
}

async function list<Row>(client: Client, path: string): Promise<Page<Row>> {
  const answer = await client.call<Page<Row>>('GET', `/tickets/${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

/** All pages of two rows, until one has no cursor. */
async function pages<Row>(client: Client, path: string): Promise<{ rows: Row[]; requests: number }> {
  const rows: Row[] = []
  let requests = 0
  for (let cursor: string | undefined = ''; cursor !== undefined; requests += 1) {
    const page: Page<Row> = await list<Row>(client, `${path}?per_page=2&cursor=${cursor}`)
    rows.push(...page.data)
    cursor = page.meta.nextCursor
  }
  return { rows, requests }
}
