import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { matchingNumbers } from '../../server/database/full-text.ts'
import { events } from '../../server/database/tables/events.ts'
import { organizations } from '../../server/database/tables/organizations.ts'
import { searchCursors } from '../../server/database/tables/search.ts'
import { attempts, deliveries } from '../../server/database/tables/webhooks.ts'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { storedRows } from '../support/stored-rows.ts'
import { addNote, newestMessage, readThread, sendNow, sendReply } from '../support/threads.ts'
import {
  type ListedTicketJson,
  makeAndReadTicket,
  makeTicket,
  problemOf,
  readTicket,
  type TicketJson,
} from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

let bellhop: Bellhop
let acme: Client
let admin: SignedInAgent
let ben: SignedInAgent
let receiver: Receiver

/** Accepts `ticket.created` and refuses everything else, in both cases with the request as its response. */
const echo = ({ headers, body }: { headers: Record<string, string>; body: Uint8Array }) => ({
  status: headers['x-service-event'] === 'ticket.created' ? 200 : 500,
  body,
})

beforeAll(async () => {
  receiver = await startReceiver({ respond: echo })
  const settings = { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', BELLHOP_WEBHOOK_CA: await writeCaFile() }
  bellhop = await startBellhop({ settings })
  acme = await bellhop.organization()
  admin = await signInAgent(bellhop, acme.orgId, { role: 'admin', name: 'Root' })
  ben = await signInAgent(bellhop, acme.orgId)
  const hook = { url: receiver.url, events: ['ticket.created', 'message.sent'] }
  await createEndpoint(bellhop.deps, acme.orgId, hook)
})
afterAll(async () => {
  await receiver.stop()
  await bellhop.stop()
})

/** A ticket with text in every place where text of a ticket is stored. */
async function fullTicket(): Promise<TicketJson> {
  const created = await acme.call<ListedTicketJson>('POST', '/tickets', {
    body: {
      subject: 'Quokka arrived',
      message: 'The zebrafish is missing.',
      customer: { name: 'Wilhelmina', email: 'wilhelmina@private.example' },
      tags: ['vip'],
    },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  const { id } = created.json
  await acme.call('POST', `/tickets/${id}/messages`, {
    body: { text: 'Your pangolin is on its way.' },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  await ben.call('PATCH', `/console/tickets/${id}`, { body: { subject: 'Quokka lost' } })
  await addNote(ben, id, 'A narwhal, really.')
  await ben.call('PUT', `/console/tickets/${id}/read`, { body: { messageId: await newestMessage(ben, id) } })
  await sendReply(ben, id, { text: 'An axolotl for you.' })
  await ben.call('PUT', `/console/tickets/${id}/draft`, { body: { kind: 'reply', text: 'Dear okapi' } })
  await eventually(() => isFound('zebrafish'))
  // All four deliveries have been attempted, and the responses are stored.
  await eventually(async () => {
    const tried = await bellhop.deps.database.read.select().from(attempts)
    return tried.filter(({ responseBody }) => textOf(responseBody).includes(id)).length >= 3
  })
  return readTicket(acme, id)
}

const WORDS = ['quokka', 'zebrafish', 'pangolin', 'narwhal', 'axolotl', 'okapi']
const PERSON = ['wilhelmina', 'private.example']

async function isFound(word: string): Promise<boolean> {
  const wanted = { required: [{ words: [word], isOpenEnded: false }], excluded: [] }
  // On PostgreSQL the numbers of documents have gaps.
  const most = bellhop.deps.database.engine === 'sqlite' ? 1_000 : 1_000_000
  const within = { downTo: -most, below: most, limit: 1 }
  return (await matchingNumbers(bellhop.deps.database.read, wanted, within)).numbers.length > 0
}

/** The index may have been reading the ticket. It then removes it when the log says it was deleted. */
async function untilUnindexed(): Promise<void> {
  await eventually(async () => {
    const found = await Promise.all(WORDS.map(isFound))
    const [organization] = await bellhop.deps.database.read
      .select()
      .from(organizations)
      .where(eq(organizations.id, acme.orgId))
    const [cursor] = await bellhop.deps.database.read
      .select()
      .from(searchCursors)
      .where(eq(searchCursors.orgId, acme.orgId))
    return !found.includes(true) && cursor?.eventNumber === organization?.lastEvent
  })
}

/** The tables and other places that contain one of the words. */
async function placesOf(words: string[]): Promise<string[]> {
  const { read } = bellhop.deps.database
  const tables = await storedRows(bellhop.deps)
  // Bytes are not readable as text in a row.
  tables.bodies = (await read.select().from(events)).map(({ body }) => textOf(body))
  tables.answers = (await read.select().from(attempts)).map(({ responseBody }) => textOf(responseBody))
  const places = Object.entries(tables).flatMap(([table, rows]) => {
    const all = rows.join('\n').toLowerCase()
    return words.some((word) => all.includes(word)) ? [table] : []
  })
  for (const word of words) if (/^\w+$/.test(word) && (await isFound(word))) places.push('search')
  return [...new Set(places)].sort()
}

function textOf(bytes: Uint8Array | null): string {
  return bytes ? Buffer.from(bytes).toString() : ''
}

test('no word of a permanently deleted ticket is left anywhere', async () => {
  const { id } = await fullTicket()
  expect(await placesOf(WORDS)).toEqual([
    'activities',
    'answers',
    'bodies',
    'drafts',
    'idempotency_keys',
    'messages',
    'notes',
    'scheduled_messages',
    'search',
    'tickets',
  ])
  expect((await admin.call('DELETE', `/console/tickets/${id}`)).status).toBe(204)
  await untilUnindexed()
  expect(await placesOf(WORDS)).toEqual([])
  problemOf(await ben.call('GET', `/console/tickets/${id}`), 404, 'not_found')
  problemOf(await acme.call('GET', `/tickets/${id}`), 404, 'not_found')
  problemOf(await admin.call('DELETE', `/console/tickets/${id}`), 404, 'not_found')
})

test('its pending deliveries are cancelled, and the delivery log keeps the others without their bodies', async () => {
  const { id } = await fullTicket()
  await admin.call('DELETE', `/console/tickets/${id}`)
  const rows = (await bellhop.deps.database.read.select().from(deliveries)).filter(
    ({ ticketId }) => ticketId === id,
  )
  expect(rows.map(({ state }) => state).sort()).toEqual(['cancelled', 'cancelled', 'succeeded'])
  const log = await bellhop.deps.database.read.select().from(events)
  const ofTicket = log.filter(({ ticketId }) => ticketId === id)
  expect(ofTicket.map(({ type }) => type)).toContain('ticket.deleted')
  expect(ofTicket.every(({ body }) => body === null)).toBe(true)
})

test('a customer is deleted with all tickets, name and address; others don’t change', async () => {
  const { customer } = await fullTicket()
  await makeTicket(acme, { customer: { name: 'Wilhelmina', email: 'Wilhelmina@private.example' } })
  const other = await makeTicket(acme, { subject: 'Other', customer: { email: 'other@example.com' } })
  const panel = await ben.call('GET', `/console/customers/${customer.userId}`)
  expect(panel.json).toMatchObject({
    id: customer.userId,
    name: 'Wilhelmina',
    email: 'wilhelmina@private.example',
    totalTickets: 2,
    tickets: [
      { subject: 'Missing invoice', status: 'open', channel: 'api' },
      { subject: 'Quokka lost', status: 'open', channel: 'api' },
    ],
  })
  const erased = await admin.call('DELETE', `/console/customers/${customer.userId}`)
  expect([erased.status, erased.json]).toEqual([200, { deletedTickets: 2 }])
  await untilUnindexed()
  expect(await placesOf([...WORDS, ...PERSON])).toEqual([])
  expect((await readThread(ben, other.id)).timeline).toHaveLength(1)
  problemOf(await ben.call('GET', `/console/customers/${customer.userId}`), 404, 'not_found')
})

test('a customer with more tickets than fit into one unit loses all of them, and the counters follow', async () => {
  const many = await bellhop.organization('Many')
  const root = await signInAgent(bellhop, many.orgId, { role: 'admin' })
  let userId = ''
  for (let made = 0; made < 45; made += 1) {
    const body = { subject: 'S', message: 'M', customer: { email: 'a@example.com' }, tags: ['vip'] }
    const { json } = await many.call<ListedTicketJson>('POST', '/tickets', { body })
    if (made === 0) userId = (await readTicket(many, json.id)).customer.userId
  }
  const erased = await root.call('DELETE', `/console/customers/${userId}`)
  expect(erased.json).toEqual({ deletedTickets: 45 })
  const audit = await root.call<{ data: object[] }>('GET', '/console/audit?action=customer.deleted')
  expect(audit.json.data).toMatchObject([{ subject: { id: userId }, detail: { deletedTickets: 45 } }])
  const { json } = await many.call<{ meta: { total: number } }>('GET', '/tickets')
  expect(json.meta.total).toBe(0)
  expect((await root.call('GET', '/console/tags')).json).toEqual({ data: [] })
})

test('the audit log says who deleted what, with ids only', async () => {
  const { id, customer } = await fullTicket()
  await admin.call('DELETE', `/console/tickets/${id}`)
  await admin.call('DELETE', `/console/customers/${customer.userId}`)
  const { json } = await admin.call<{ data: object[] }>('GET', '/console/audit?limit=2')
  expect(json.data).toMatchObject([
    { action: 'customer.deleted', actor: { name: 'Root' }, subject: { id: customer.userId } },
    { action: 'ticket.deleted', actor: { name: 'Root' }, subject: { id, label: id } },
  ])
})

test('a queued reply is not sent after its ticket is deleted', async () => {
  const { id } = await makeTicket(acme)
  const reply = await sendReply(ben, id, { text: 'Too late.' })
  const [deleted, sent] = await Promise.all([
    admin.call('DELETE', `/console/tickets/${id}`),
    sendNow(ben, id, reply.id),
  ])
  expect([deleted.status, [204, 404].includes(sent.status)]).toEqual([204, true])
  expect(await placesOf(['too late'])).toEqual([])
})

test('a deleted customer’s address is removed from saved views, and the audit log says from how many', async () => {
  const other = await bellhop.organization('Views')
  const root = await signInAgent(bellhop, other.orgId, { role: 'admin', name: 'Root' })
  const cleo = await signInAgent(bellhop, other.orgId, { name: 'Cleo' })
  const { customer } = await makeAndReadTicket(other, {
    customer: { name: 'Zoe', email: 'Zoe.Quist@private.example' },
  })
  const make = async (agent: SignedInAgent, name: string, query: string, isShared = false) => {
    const made = await agent.call('POST', '/console/views', { body: { name, query, isShared } })
    expect(made.status, made.text).toBe(201)
  }
  await make(root, 'Hers', 'status:open from:zoe.quist@private.example', true)
  await make(cleo, 'Private', 'FROM:"ZOE.QUIST@PRIVATE.EXAMPLE"')
  await make(cleo, 'Words', 'about zoe.quist@private.example')
  await make(cleo, 'For zoe.quist@private.example', 'status:open')
  await make(
    cleo,
    'Others',
    'status:open  -from:zoe.quist@private.example tag:"a  b" -zoe.quist@private.example',
  )
  await make(cleo, 'Only without', '-from:zoe.quist@private.example')
  await make(cleo, 'Untouched', 'from:zoe  status:open')
  await make(cleo, 'Another', 'from:zoe.quist@private.example.org')
  await make(cleo, 'A third', 'from:a-zoe.quist@private.example')
  const foreign = await signInAgent(bellhop, acme.orgId)
  await make(foreign, 'Elsewhere', 'from:zoe.quist@private.example')

  const erased = await root.call('DELETE', `/console/customers/${customer.userId}`)
  expect([erased.status, erased.json]).toEqual([200, { deletedTickets: 1 }])
  const views = async (agent: SignedInAgent) =>
    (await agent.call<{ data: { name: string; query: string }[] }>('GET', '/console/views')).json.data
  expect(await views(root)).toEqual([])
  expect((await views(cleo)).map(({ name, query }) => [name, query])).toEqual([
    ['Others', 'status:open tag:"a  b"'],
    ['Untouched', 'from:zoe  status:open'],
    ['Another', 'from:zoe.quist@private.example.org'],
    ['A third', 'from:a-zoe.quist@private.example'],
  ])
  expect((await views(foreign)).map(({ name }) => name)).toContain('Elsewhere')
  const audit = await root.call<{ data: object[] }>('GET', '/console/audit?limit=1')
  expect(audit.json.data).toMatchObject([
    { action: 'customer.deleted', detail: { deletedTickets: 1, changedViews: 6 } },
  ])
})
