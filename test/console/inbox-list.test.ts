import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { seeded } from '../support/random.ts'
import { indexed } from '../support/search.ts'
import { changeTicket, makeTicket, problemOf } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)

interface List {
  data: Record<string, unknown>[]
  nextCursor?: string
  terms: string[]
}

function list(query: Record<string, string>) {
  return ben.call<List>('GET', `/console/tickets?${new URLSearchParams(query)}`)
}

test('a row shows what an agent wants to know before opening the ticket', async () => {
  const { id } = await makeTicket(acme, { message: `It  broke.\n\n${'Really. '.repeat(60)}`, tags: ['vip'] })
  await changeTicket(acme, id, { assignedTo: ben.id })
  const [row] = (await list({ q: 'status:open assigned:me' })).json.data
  expect(row).toMatchObject({
    id,
    tags: ['vip'],
    assignedTo: ben.id,
    isUnread: true,
    isSpam: false,
    version: 2,
  })
  expect(row).toMatchObject({ hasDraft: false, hasFailedSend: false, customer: { name: 'Ana Pires' } })
  expect(row?.preview).toEqual({ role: 'customer', text: expect.any(String) })
  expect(JSON.stringify(row?.preview)).toMatch(/"It broke\. Really\. .{100,150}Really\.…"/)
  expect(row?.lastMessageAt).toBe(row?.createdAt)
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'On it.' } })
  await ben.call('PUT', `/console/tickets/${id}/draft`, { body: { kind: 'reply', text: 'Dear' } })
  const [after] = (await list({ q: 'status:open assigned:me' })).json.data
  expect(after).toMatchObject({
    id,
    isUnread: false,
    hasDraft: true,
    preview: { role: 'agent', text: 'On it.' },
  })
  expect(after?.lastMessageAt).toBe(after?.updatedAt)
})

test('a message without a text is shown by its files, and marks of images are left out', async () => {
  const { id } = await makeTicket(acme, {
    tags: ['shown'],
    message: '[cid:image001.png@01D9.AB]\nSee [image: a.png]',
  })
  const preview = async () => (await list({ q: 'tag:shown' })).json.data[0]?.preview
  expect(await preview()).toEqual({ role: 'customer', text: 'See' })
  const upload = async (name: string) => {
    const headers = { 'content-type': 'application/octet-stream' }
    const file = await acme.call<{ id: string }>('POST', `/attachments?name=${name}`, {
      raw: 'Files',
      headers,
    })
    return file.json.id
  }
  const send = async (text: string, ...names: string[]) => {
    const attachments = await Promise.all(names.map(upload))
    const path = `/tickets/${id}/messages/${bellhop.deps.newId('msg')}`
    const answer = await acme.call('PUT', path, { body: { text, attachments } })
    expect(answer.status, answer.text).toBe(201)
  }
  await send('', 'invoice.pdf', 'photo.jpg')
  expect(await preview()).toEqual({ role: 'agent', text: '2 files: invoice.pdf, photo.jpg' })
  await send('[image: scan.png]', 'scan.png')
  expect(await preview()).toEqual({ role: 'agent', text: '1 file: scan.png' })
  await send('It is attached.', 'plan.pdf')
  expect(await preview()).toEqual({ role: 'agent', text: 'It is attached.' })
})

const WALKS = [
  { q: 'status:open tag:walk', sort: 'updated_desc' },
  { q: 'tag:walk', sort: 'created_asc' },
  { q: 'status:open -tag:none', sort: 'created_desc' },
  { q: '-status:pending channel:api', sort: 'updated_desc' },
  { q: 'is:unread', sort: 'created_asc' },
  { q: 'wanderer', sort: 'updated_desc' },
  { q: 'wanderer status:open', sort: 'updated_desc' },
]

test('pages have no gaps and no duplicates while other tickets change', async () => {
  const random = seeded(7)
  const still: string[] = []
  const moving: string[] = []
  for (let place = 0; place < 40; place += 1) {
    const { id } = await makeTicket(acme, { subject: `Wanderer ${place}`, tags: ['walk'] })
    if (place % 4 === 0) moving.push(id)
    else still.push(id)
  }
  for (const walk of WALKS) {
    await indexed(bellhop)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const answer = await list({ ...walk, limit: '7', ...(cursor === undefined ? {} : { cursor }) })
      expect(answer.status, answer.text).toBe(200)
      seen.push(...answer.json.data.map(({ id }) => String(id)))
      cursor = answer.json.nextCursor
      const id = moving[random(moving.length)] ?? ''
      await changeTicket(acme, id, { status: random(2) === 0 ? 'pending' : 'open' })
      if (random(2) === 0) await indexed(bellhop)
    } while (cursor !== undefined)
    expect(new Set(seen).size, JSON.stringify(walk)).toBe(seen.length)
    expect(
      still.filter((id) => !seen.includes(id)),
      JSON.stringify(walk),
    ).toEqual([])
  }
})

test('a cursor belongs to its list', async () => {
  const { nextCursor = '' } = (await list({ q: 'tag:walk', limit: '3' })).json
  expect((await list({ q: ' tag:walk ', cursor: nextCursor })).status).toBe(200)
  for (const other of [
    { q: 'tag:vip', sort: 'updated_desc' },
    { q: 'tag:walk', sort: 'created_asc' },
  ]) {
    const problem = problemOf(await list({ ...other, cursor: nextCursor }), 400, 'invalid_request')
    expect(problem.errors).toMatchObject([{ parameter: 'cursor', code: 'foreign_cursor' }])
  }
  const problem = problemOf(await list({ cursor: 'x' }), 400, 'invalid_request')
  expect(problem.errors).toMatchObject([{ parameter: 'cursor', code: 'invalid_cursor' }])
})

test('unknown parameters are refused', async () => {
  for (const [name, value] of [
    ['limit', '0'],
    ['limit', '101'],
    ['sort', 'random'],
    ['page', '2'],
    ['q', 'x'.repeat(501)],
  ]) {
    problemOf(await list({ [String(name)]: String(value) }), 400, 'invalid_request')
  }
  const { errors } = problemOf(await list({ limit: '101' }), 400, 'invalid_request')
  expect(errors).toMatchObject([{ parameter: 'limit', detail: 'Must be a whole number from 1 to 100.' }])
})
