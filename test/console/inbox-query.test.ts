import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { messages } from '../../server/database/tables/messages.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { indexed } from '../support/search.ts'
import { changeTicket, makeTicket, problemOf } from '../support/tickets.ts'

const DAY_MS = 86_400_000
const clock = createManualClock(Date.parse('2026-03-01T09:00:00.000Z'))
let bellhop: Bellhop
let acme: Client
let ben: SignedInAgent
let cleo: SignedInAgent
const ids: Record<string, string> = {}

/** Five tickets, one per day from March 1. */
beforeAll(async () => {
  bellhop = await startBellhop({ clock })
  acme = await bellhop.organization()
  ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben Okafor', role: 'admin' })
  cleo = await signInAgent(bellhop, acme.orgId, { name: 'Cleo Van Dam' })
  await signInAgent(bellhop, acme.orgId, { name: 'Ben Affleck' })
  const make = async (name: string, tags: string[], change: object = {}) => {
    const ticket = await makeTicket(acme, { subject: name, tags, message: `About ${name}` })
    ids[name] = ticket.id
    await changeTicket(acme, ticket.id, { tags, ...change })
    clock.advance(DAY_MS)
  }
  await make('mine', ['a'], { assignedTo: ben.id })
  await make('cleos', ['a', 'two words'], { assignedTo: cleo.id })
  await make('done', ['b'], { status: 'resolved', assignedTo: ben.id })
  await make('waiting', [], { status: 'pending' })
  await make('junk', ['a'])
  expect((await ben.call('PATCH', `/console/tickets/${ids.junk}`, { body: { isSpam: true } })).status).toBe(
    200,
  )
})
afterAll(() => bellhop.stop())

async function names(q: string, more = '', agent = ben): Promise<string[]> {
  await indexed(bellhop, clock)
  const answer = await agent.call<{ data: { id: string; subject: string }[] }>(
    'GET',
    `/console/tickets?q=${encodeURIComponent(q)}${more}`,
  )
  expect(answer.status, `${q}: ${answer.text}`).toBe(200)
  return answer.json.data.map(({ subject }) => subject)
}

const FOUND: [string, string[]][] = [
  ['', ['waiting', 'done', 'cleos', 'mine']],
  ['status:open', ['cleos', 'mine']],
  ['STATUS:Resolved', ['done']],
  ['-status:open', ['waiting', 'done']],
  ['-status:open -status:pending', ['done']],
  ['assigned:me', ['done', 'mine']],
  ['status:open assigned:me', ['mine']],
  ['assigned:none', ['waiting']],
  ['-assigned:none', ['done', 'cleos', 'mine']],
  ['-assigned:me', ['waiting', 'cleos']],
  ['assigned:cleo', ['cleos']],
  ['assigned:"van dam"', ['cleos']],
  ['assigned:"ben okafor"', ['done', 'mine']],
  ['tag:a', ['cleos', 'mine']],
  ['tag:"two words"', ['cleos']],
  ['-tag:a', ['waiting', 'done']],
  ['-tag:"two words" tag:a', ['mine']],
  ['tag:a tag:b', []],
  ['tag:A', []],
  ['status:open tag:a', ['cleos', 'mine']],
  ['status:resolved tag:a', []],
  ['channel:api', ['waiting', 'done', 'cleos', 'mine']],
  ['channel:email', []],
  ['-channel:email status:open', ['cleos', 'mine']],
  ['after:2026-03-03', ['waiting', 'done']],
  ['-after:2026-03-03', ['cleos', 'mine']],
  ['before:2026-03-03', ['cleos', 'mine']],
  ['after:2026-03-02 before:2026-03-04 tag:b', ['done']],
  ['is:spam', ['junk']],
  ['is:spam tag:a', ['junk']],
  ['-is:spam status:open', ['cleos', 'mine']],
  ['is:failed', []],
  ['is:held', []],
  ['is:draft', []],
  ['from:ana', ['waiting', 'done', 'cleos', 'mine']],
  ['-from:ana', []],
  ['about', ['waiting', 'done', 'cleos', 'mine']],
  ['about status:open assigned:me', ['mine']],
  ['about -status:open', ['waiting', 'done']],
  ['about before:2026-03-03 -tag:"two words"', ['mine']],
  ['about is:spam', ['junk']],
  ['re: about', []],
]

test('each key finds its tickets, alone, combined and negated', async () => {
  for (const [q, wanted] of FOUND) expect(await names(q), q).toEqual(wanted)
})

test('the list is sorted as requested', async () => {
  for (const q of ['', 'status:open', 'tag:a', '-status:resolved', 'is:spam']) {
    const newest = await names(q, '&sort=created_desc')
    expect(await names(q, '&sort=created_asc'), q).toEqual(newest.toReversed())
    expect(newest, q).toEqual(await names(q))
  }
  expect(await names('before:2026-03-03', '&sort=created_asc')).toEqual(['mine', 'cleos'])
})

test('tickets whose customers wait are found in every order, and others by excluding them', async () => {
  for (const sort of ['', '&sort=waiting', '&sort=created_asc']) {
    const all = await names('', sort)
    const waiting = await names('is:waiting', sort)
    const others = await names('-is:waiting', sort)
    expect(waiting.length).toBeGreaterThan(0)
    expect([...waiting, ...others].toSorted(), sort).toEqual(all.toSorted())
    expect(all.filter((name) => waiting.includes(name))).toEqual(waiting)
    expect(await names('is:waiting status:resolved', sort)).toEqual([])
  }
})

test('a ticket is unread for each agent who has not read the customer’s newest message', async () => {
  expect(await names('is:unread status:open')).toEqual(['cleos', 'mine'])
  const read = await ben.call<{ timeline: { id: string; kind: string }[] }>(
    'GET',
    `/console/tickets/${ids.mine}`,
  )
  const message = read.json.timeline.findLast(({ kind }) => kind === 'message')
  const marked = await ben.call('PUT', `/console/tickets/${ids.mine}/read`, {
    body: { messageId: message?.id },
  })
  expect(marked.status, marked.text).toBe(204)
  expect(await names('is:unread status:open')).toEqual(['cleos'])
  expect(await names('-is:unread status:open')).toEqual(['mine'])
  expect(await names('is:unread status:open', '', cleo)).toEqual(['cleos', 'mine'])
})

test('agents find only their own drafts', async () => {
  await ben.call('PUT', `/console/tickets/${ids.waiting}/draft`, { body: { kind: 'reply', text: 'Dear' } })
  expect(await names('is:draft')).toEqual(['waiting'])
  expect(await names('is:draft status:open')).toEqual([])
  expect(await names('-is:draft')).not.toContain('waiting')
  expect(await names('is:draft', '', cleo)).toEqual([])
})

test('a failed send is found', async () => {
  const posted = await acme.call<{ id: string }>('POST', `/tickets/${ids.done}/messages`, {
    body: { text: 'Hi' },
  })
  await bellhop.deps.database.write(undefined, async (tx) => {
    await tx.update(messages).set({ sending: 'failed' }).where(eq(messages.id, posted.json.id))
  })
  expect(await names('is:failed')).toEqual(['done'])
  expect(await names('is:failed status:open')).toEqual([])
  expect(await names('-is:failed')).not.toContain('done')
})

const REFUSED: [string, string][] = [
  ['status:opne', '“opne” isn’t a status. Try status:open, status:resolved or status:pending.'],
  ['status:', 'Try status:open, status:resolved or status:pending.'],
  ['foo -status: bar', 'Try status:open, status:resolved or status:pending.'],
  [
    'channel:fax',
    '“fax” isn’t a channel. Try channel:widget, channel:email, channel:telegram or channel:api.',
  ],
  [
    'is:odd',
    '“odd” isn’t a state. Try is:unread, is:failed, is:held, is:spam, is:draft, is:waiting, is:snoozed, is:mentioned, is:followed, is:scheduled, is:suggested or is:merged.',
  ],
  ['before:yesterday', '“yesterday” isn’t a date. Try before:2026-03-01.'],
  ['after:2026-02-30', '“2026-02-30” isn’t a date. Try after:2026-03-01.'],
  [
    'assigned:nobody',
    'No agent matches “nobody”. Try assigned:me, assigned:none, or a name or email address.',
  ],
  ['tag:""', 'Add a tag, such as tag:billing or tag:"two words".'],
  ['from:"…"', 'Add a name or email address, such as from:ana@example.com.'],
  ['status:open status:pending', 'A ticket has one status. Use status: only once.'],
  ['assigned:me assigned:none', 'A ticket has one assignee. Use assigned: only once.'],
]

test('an invalid value is refused with an example of a valid one', async () => {
  for (const [q, detail] of REFUSED) {
    const answer = await ben.call('GET', `/console/tickets?q=${encodeURIComponent(q)}`)
    expect(problemOf(answer, 400, 'invalid_query').detail, q).toBe(detail)
  }
  const answer = await ben.call('GET', '/console/tickets?q=assigned:ben')
  expect(problemOf(answer, 400, 'invalid_query').detail).toMatch(
    /^Several agents match “ben”\. Try assigned:ben\..* or /,
  )
  const long = Array.from({ length: 40 }, (_, place) => `w${place}`).join(' ')
  problemOf(await ben.call('GET', `/console/tickets?q=${encodeURIComponent(long)}`), 400, 'invalid_query')
})
