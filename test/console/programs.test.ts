import { afterAll, beforeEach, expect, test } from 'bun:test'
import { sweepSlices } from '../../server/attachments/sweep.ts'
import { eventsAfter } from '../../server/events/events.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, call, startBellhop } from '../support/bellhop.ts'
import { newBrowserSession } from '../support/browser-session.ts'
import { createManualClock } from '../support/clock.ts'
import { paintedPng } from '../support/images.ts'
import { storedEvents, subscribe } from '../support/subscription.ts'
import { makeTicket, ticketInput } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

// A program is an agent that works through API keys: customers and colleagues see its name, and it can't sign in.

const clock = createManualClock()
const bellhop: Bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
let acme: Client
let ana: SignedInAgent

beforeEach(async () => {
  acme = await bellhop.organization()
  ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana', role: 'admin' })
})

interface Program {
  id: string
  name: string
  picture?: string
}

async function makeProgram(name = 'Answer bot'): Promise<Program> {
  const made = await ana.call<Program>('POST', '/console/programs', { body: { name } })
  expect(made.status).toBe(201)
  return made.json
}

/** A client with a key of the program. */
function actAs(program: Program, more = {}): Promise<Client> {
  return acme.withKey({ name: 'Server of the bot', program: program.id, ...more })
}

interface Thread {
  ticket: { assignedTo?: string }
  timeline: { kind: string; agentId?: string; agentName?: string; actor?: object; text?: string }[]
}

async function thread(id: string): Promise<Thread> {
  return (await ana.call<Thread>('GET', `/console/tickets/${id}`)).json
}

test('an administrator makes a program, which is listed with the agents and has neither an email nor a link', async () => {
  const made = await ana.call('POST', '/console/programs', { body: { name: ' Answer bot ' } })
  const program = { name: 'Answer bot', email: '', role: 'program', state: 'active' }
  expect(made.json).toMatchObject(program)
  const id = String(made.json.id)
  const { data } = (await ana.call<{ data: object[] }>('GET', '/console/agents')).json
  expect(data).toContainEqual(expect.objectContaining({ id, ...program }))
  const link = await ana.call('POST', `/console/agents/${id}/link`)
  expect(link.json).toMatchObject({ status: 409, code: 'is_program' })
  const role = await ana.call('PATCH', `/console/agents/${id}`, { body: { role: 'admin' } })
  expect(role.json).toMatchObject({ status: 409, code: 'is_program' })
  const person = { name: 'Bot', email: 'bot@acme.example', role: 'program' }
  expect((await ana.call('POST', '/console/agents', { body: person })).status).toBe(400)
  const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben' })
  const refused = await ben.call('POST', '/console/programs', { body: { name: 'Mine' } })
  expect(refused.json).toMatchObject({ status: 403, code: 'admins_only' })
})

test('nobody signs in as a program, and it is no second person of the setup', async () => {
  const { id } = await makeProgram()
  const body = { email: id, password: 'correct horse battery' }
  const answer = await newBrowserSession(bellhop).call('POST', '/console/session', { body })
  expect(answer.json).toMatchObject({ status: 401, code: 'wrong_credentials' })
  const { data } = (await ana.call<{ data: object[] }>('GET', '/console/checklist')).json
  expect(data).toContainEqual({ id: 'agents', state: 'todo' })
})

test('what a key of a program does is done by the program, in threads, events and the audit log', async () => {
  const program = await makeProgram()
  const bot = await actAs(program)
  const { id } = await makeTicket(acme)
  const sent = await bot.call('POST', `/tickets/${id}/messages`, { body: { text: 'Hello, I can help.' } })
  expect(sent.json).toMatchObject({ agentName: 'Answer bot' })
  await bot.call('PATCH', `/tickets/${id}`, { body: { assignedTo: program.id, tags: ['bot'] } })
  const { ticket, timeline } = await thread(id)
  expect(ticket.assignedTo).toBe(program.id)
  expect(timeline).toContainEqual(
    expect.objectContaining({ agentId: program.id, agentName: 'Answer bot', text: 'Hello, I can help.' }),
  )
  const actor = { kind: 'program', id: program.id, name: 'Answer bot' }
  expect(timeline).toContainEqual(expect.objectContaining({ kind: 'activity', actor }))
  const { deps } = bellhop
  const events = await eventsAfter(deps.database.read, acme.orgId, 0, 100)
  const ofBot = events.filter(({ byId }) => byId === program.id).map(({ type }) => type)
  expect(ofBot).toEqual(['message.sent', 'ticket.updated'])
})

test('a renamed program has its new name in what it writes from then on', async () => {
  const program = await makeProgram()
  const bot = await actAs(program)
  const { id } = await makeTicket(bot)
  await bot.call('POST', `/tickets/${id}/messages`, { body: { text: 'One' } })
  await ana.call('PATCH', `/console/agents/${program.id}`, { body: { name: 'Iris' } })
  const two = await bot.call('POST', `/tickets/${id}/messages`, { body: { text: 'Two' } })
  expect(two.json).toMatchObject({ agentName: 'Iris' })
})

test('an answer of a program leaves the ticket unassigned, as its colleagues look after it', async () => {
  await ana.call('PATCH', '/console/organization', { body: { assignOnReply: true } })
  const bot = await actAs(await makeProgram())
  const { id } = await makeTicket(acme)
  const messageId = bellhop.deps.newId('msg')
  await bot.call('PUT', `/tickets/${id}/messages/${messageId}`, { body: { text: 'Hello' } })
  expect((await thread(id)).ticket.assignedTo).toBeUndefined()
})

test('files and idempotency keys are those of the key, not of all keys of the program', async () => {
  const program = await makeProgram()
  const [one, other] = [await actAs(program), await actAs(program)]
  const { id } = await makeTicket(acme)
  const file = await one.call<{ id: string }>('POST', '/attachments?name=a.txt', { raw: 'A file' })
  const body = { text: 'See the file', attachments: [file.json.id] }
  expect((await other.call('POST', `/tickets/${id}/messages`, { body })).status).toBe(400)
  const messageId = bellhop.deps.newId('msg')
  const put = await one.call('PUT', `/tickets/${id}/messages/${messageId}`, { body })
  expect(put.json).toMatchObject({ agentName: 'Answer bot', attachments: [{ id: file.json.id }] })
  const headers = { 'idempotency-key': 'order-1' }
  const made = await one.call('POST', '/tickets', { body: ticketInput(), headers })
  const again = await one.call('POST', '/tickets', { body: ticketInput(), headers })
  const another = await other.call('POST', '/tickets', { body: ticketInput(), headers })
  expect([again.json.id === made.json.id, another.json.id === made.json.id]).toEqual([true, false])
})

test('the keys of a disabled program are refused at once, its tickets are unassigned, and enabling gives the keys back', async () => {
  const program = await makeProgram()
  const bot = await actAs(program)
  const { id } = await makeTicket(acme)
  const body = { assignedTo: program.id }
  expect((await bot.call('PATCH', `/tickets/${id}`, { body })).status).toBe(200)
  const disabled = await ana.call('POST', `/console/agents/${program.id}/disable`)
  expect(disabled.json).toMatchObject({ agent: { state: 'disabled' }, unassignedTickets: 1 })
  for (const [method, path] of [
    ['GET', '/tickets'],
    ['POST', '/tickets'],
    ['GET', '/nothing'],
  ] as const) {
    expect((await bot.call(method, path)).json).toMatchObject({ status: 403, code: 'program_disabled' })
  }
  const key = await ana.call('POST', '/console/keys', { body: { name: 'New', program: program.id } })
  expect(key.json).toMatchObject({ status: 400, errors: [{ pointer: '/program' }] })
  await ana.call('POST', `/console/agents/${program.id}/enable`)
  expect((await bot.call('GET', '/tickets')).status).toBe(200)
})

test('a reply that waits is held when its program is disabled or its key revoked', async () => {
  const program = await makeProgram()
  const { id } = await makeTicket(acme)
  const sendAt = new Date(clock.now() + 120_000).toISOString()
  const made = await ana.call<{ key: { id: string }; secret: string }>('POST', '/console/keys', {
    body: { name: 'Bot', program: program.id },
  })
  expect(made.json.key).toMatchObject({ program: { id: program.id, name: 'Answer bot' } })
  const put = await call('PUT', `${bellhop.url}/v1/tickets/${id}/messages/${bellhop.deps.newId('msg')}`, {
    body: { text: 'Later', sendAt },
    headers: { authorization: `Bearer ${made.json.secret}` },
  })
  expect(put.status).toBe(201)
  await ana.call('DELETE', `/console/keys/${made.json.key.id}`)
  clock.advance(121_000)
  const reply = await eventually(async () => {
    const { json } = await ana.call<{ waiting: { isHeld: boolean }[] }>('GET', `/console/tickets/${id}`)
    return json.waiting.find(({ isHeld }) => isHeld)
  })
  expect(reply).toMatchObject({ heldBecause: 'disabled' })
})

test('a note can mention no program, which no one would tell', async () => {
  const program = await makeProgram()
  const { id } = await makeTicket(acme)
  const text = `Ask [@Answer bot](agent:${program.id})`
  const noteId = bellhop.deps.newId('not')
  const body = { text, format: 'markdown' }
  const refused = await ana.call('PUT', `/console/tickets/${id}/notes/${noteId}`, { body })
  expect(refused.json).toMatchObject({ status: 400, errors: [{ code: 'cannot_see_ticket' }] })
})

test('a program has a picture, which stays until it is replaced', async () => {
  const { id } = await makeProgram()
  const upload = async (raw: Uint8Array<ArrayBuffer>, name: string) =>
    (await ana.call<{ id: string }>('POST', `/v1/attachments?name=${name}`, { raw })).json.id
  const set = (picture: string | null, of = id) =>
    ana.call<Program>('PUT', `/console/agents/${of}/picture`, { body: { picture } })
  const png = paintedPng(3, 3)
  const made = await set(await upload(png, 'bot.png'))
  expect(made.status).toBe(200)
  const path = String(made.json.picture)
  const shown = await ana.call('GET', path)
  expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png'])
  const text = await set(await upload(Buffer.from('not a picture'), 'bot.png'))
  expect(text.json).toMatchObject({ status: 400, errors: [{ pointer: '/picture' }] })
  expect((await ana.call('GET', path)).status).toBe(200)
  expect((await set(await upload(png, 'ana.png'), ana.id)).json).toMatchObject({ code: 'not_a_program' })
  expect((await set(null)).json.picture).toBeUndefined()
  expect((await ana.call('GET', path)).status).toBe(404)
})

test('the picture of a program stays when uploads that nobody sent are deleted', async () => {
  const { id } = await makeProgram()
  const raw = paintedPng(5, 5)
  const { json } = await ana.call<{ id: string }>('POST', '/v1/attachments?name=bot.png', { raw })
  const body = { picture: json.id }
  const made = await ana.call<Program>('PUT', `/console/agents/${id}/picture`, { body })
  clock.advance(25 * 3_600_000)
  for await (const _ of sweepSlices(bellhop.deps));
  const eve = await signInAgent(bellhop, acme.orgId, { name: 'Eve' })
  expect((await eve.call('GET', String(made.json.picture))).status).toBe(200)
})

test('a program that answers every message of a customer never answers itself', async () => {
  const program = await makeProgram()
  const bot = await actAs(program)
  await subscribe(bellhop.deps, acme.orgId)
  const { id } = await makeTicket(acme)
  let after = '0'
  const answerNew = async () => {
    const { json } = await bot.call<Log>('GET', `/events?after=${after}&types=message.sent`)
    after = json.meta.after
    for (const { ticketId, by } of json.data) {
      if (by.kind === 'program' && by.id === program.id) continue
      await bot.call('POST', `/tickets/${ticketId}/messages`, { body: { text: 'An answer' } })
    }
  }
  await answerNew()
  for (let turn = 1; turn <= 10; turn += 1) {
    const body = { text: `Question ${turn}`, role: 'customer' }
    expect((await acme.call('POST', `/tickets/${id}/messages`, { body })).status).toBe(201)
    await answerNew()
    await answerNew()
  }
  const said = (await thread(id)).timeline.filter(({ kind }) => kind === 'message')
  expect(said.map(({ agentId }) => agentId ?? 'customer')).toEqual(
    Array.from({ length: 11 }, () => ['customer', program.id]).flat(),
  )
  // Webhooks say the same.
  const sent = (await storedEvents(bellhop.deps, acme.orgId)).filter(({ type }) => type === 'message.sent')
  const authors = sent.map(({ body }) => JSON.parse(body).data.message.author)
  expect(authors.filter(({ kind }) => kind === 'program')).toEqual(
    Array(11).fill({ kind: 'program', id: program.id, name: 'Answer bot' }),
  )
  expect(authors.filter(({ kind }) => kind === 'customer')).toHaveLength(11)
})

interface Log {
  data: { ticketId: string; by: { kind: string; id?: string } }[]
  meta: { after: string }
}

test('a search finds the tickets of a program by its name', async () => {
  const program = await makeProgram()
  const { id } = await makeTicket(acme)
  await acme.call('PATCH', `/tickets/${id}`, { body: { assignedTo: program.id } })
  const path = `/console/tickets?q=${encodeURIComponent('assigned:"answer bot"')}`
  const found = await ana.call<{ data: { id: string }[] }>('GET', path)
  expect(found.json.data.map((row) => row.id)).toEqual([id])
})
