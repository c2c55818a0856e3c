import { afterAll, describe, expect, test } from 'bun:test'
import { createProgram } from '../../server/agents/programs.ts'
import { signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { paintedPng } from '../support/images.ts'
import { connectMcp } from '../support/mcp.ts'
import { makeAndReadTicket, makeTicket, NO_TICKET, readTicket } from '../support/tickets.ts'
import { upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'

// What each tool takes and answers.

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
const { url, deps } = bellhop
afterAll(() => bellhop.stop())

interface Part {
  id: string
  role: string
  agent?: string
  untrustedText: string
  textFrom?: number
  attachments?: { id: string; untrustedName: string }[]
  delivery?: { state: string; sendAt?: string }
}
interface TicketData {
  id: string
  etag: string
  status: string
  tags: string[]
  assignedTo?: string
  newestMessage?: { id: string; role: string }
  messages: Part[]
  before?: string
  waitingReplies?: { id: string; agent: string; state: string; sendAt: string }[]
}
interface SentData {
  id: string
  delivery?: { state: string; by?: string; sendAt?: string }
}

/** An organization, and a program of it with full access. */
async function newProgram(more: { name?: string } = {}) {
  const owner = await bellhop.organization()
  const program = await createProgram(deps, owner.orgId, { name: more.name ?? 'Answer bot' })
  const client = await owner.withKey({ name: 'bot', program: program.id, rateLimit: 10_000 })
  const { call } = await connectMcp({ url, key: client.key })
  const get = async (ticket: string, args = {}) =>
    (await call<TicketData>('get_ticket', { ticket, ...args })).data
  return { owner, program, client, call, get }
}

/** The customer's next message on a ticket of the API. */
async function customerWrites(client: Client, ticketId: string, text = 'Any news?'): Promise<string> {
  clock.advance(1_000)
  const answer = await client.call<{ id: string }>('POST', `/tickets/${ticketId}/messages`, {
    body: { role: 'customer', text },
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.json.id
}

describe('search_tickets', () => {
  test('finds by words, as the inbox does, with text around the first one', async () => {
    const { owner, call } = await newProgram()
    const { id } = await makeTicket(owner, { message: 'My zebra lamp flickers.' })
    await makeTicket(owner, { message: 'Nothing of that.' })
    const data = await eventually(async () => {
      clock.advance(1_000)
      const found = await call<{ tickets: { id: string; untrustedExcerpt: string }[] }>('search_tickets', {
        query: 'zebra',
      })
      return found.data.tickets.length > 0 ? found.data : undefined
    })
    expect(data.tickets).toMatchObject([{ id, untrustedExcerpt: 'My zebra lamp flickers.' }])
  })

  test('by status, channel, assignee, and tag together', async () => {
    const { owner, program, call } = await newProgram()
    const { id } = await makeTicket(owner, { tags: ['billing'] })
    await makeTicket(owner)
    await call('update_ticket', { ticket: id, status: 'pending', assignedTo: program.id })
    const idsBy = async (args: object) =>
      (await call<{ tickets: { id: string }[] }>('search_tickets', { ...args })).data.tickets.map(
        (one) => one.id,
      )
    expect(await idsBy({ tag: 'billing', status: 'pending', channel: 'api', assignedTo: 'me' })).toEqual([id])
    expect(await idsBy({ tag: 'billing', status: 'open' })).toEqual([])
    expect(await idsBy({ assignedTo: 'unassigned' })).not.toContain(id)
    expect(await idsBy({ assignedTo: program.id })).toEqual([id])
    expect(await idsBy({ channel: 'email' })).toEqual([])
  })

  test('a page at a time, each ticket once', async () => {
    const { owner, call } = await newProgram()
    for (const _ of [1, 2, 3, 4, 5]) await makeTicket(owner)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { data } = await call<{ tickets: { id: string }[]; nextCursor?: string }>('search_tickets', {
        limit: 2,
        ...(cursor !== undefined && { cursor }),
      })
      seen.push(...data.tickets.map(({ id }) => id))
      cursor = data.nextCursor
    } while (cursor !== undefined)
    expect(new Set(seen).size).toBe(5)
    expect(seen).toHaveLength(5)
    expect((await call('search_tickets', { cursor: 'x' })).error?.code).toBe('invalid_request')
  })
})

test('search_tickets stops at 20,000 characters, and the next pages have the rest', async () => {
  const { owner, call } = await newProgram()
  const tags = Array.from({ length: 20 }, (_, n) => `${n}-${'t'.repeat(40)}`)
  const made: string[] = []
  for (let n = 0; n < 25; n += 1) {
    clock.advance(1_000)
    made.push((await makeTicket(owner, { subject: '🛎'.repeat(200), tags })).id)
  }
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const args = { limit: 25, ...(cursor !== undefined && { cursor }) }
    const { data } = await call<{ tickets: { id: string }[]; nextCursor?: string }>('search_tickets', args)
    expect([...JSON.stringify(data.tickets)].length).toBeLessThan(20_100)
    seen.push(...data.tickets.map(({ id }) => id))
    cursor = data.nextCursor
  } while (cursor !== undefined)
  expect(seen).toEqual(made.toReversed())
})

describe('get_ticket', () => {
  test('shows the conversation, the oldest message first, and the newest one by its id', async () => {
    const { owner, get } = await newProgram()
    const { id } = await makeTicket(owner, { message: 'One' })
    clock.advance(1_000)
    await owner.call('POST', `/tickets/${id}/messages`, { body: { text: 'Two' } })
    const last = await customerWrites(owner, id, 'Three')
    const { messages, newestMessage, before } = await get(id)
    expect(messages.map(({ role, untrustedText }) => [role, untrustedText])).toEqual([
      ['customer', 'One'],
      ['agent', 'Two'],
      ['customer', 'Three'],
    ])
    expect(messages[1]).toMatchObject({ agent: 'Website', delivery: { state: 'sent', by: 'webhook' } })
    expect(newestMessage).toEqual({ id: last, role: 'customer' })
    expect(before).toBeUndefined()
  })

  test('reads back page by page, notes in their place, without missing one', async () => {
    const { owner, get } = await newProgram()
    const { id } = await makeTicket(owner, { message: '0' })
    for (let n = 1; n <= 8; n += 1) {
      clock.advance(1_000)
      if (n % 3 === 0) await owner.call('POST', `/tickets/${id}/notes`, { body: { text: `${n}` } })
      else await customerWrites(owner, id, `${n}`)
    }
    const pages: string[][] = []
    let before: string | undefined
    do {
      const page = await get(id, { limit: 4, ...(before !== undefined && { before }) })
      pages.unshift(
        page.messages.map(({ role, untrustedText }) => `${role === 'note' ? 'n' : ''}${untrustedText}`),
      )
      before = page.before
    } while (before !== undefined)
    expect(pages).toEqual([['0'], ['1', '2', 'n3', '4'], ['5', 'n6', '7', '8']])
  })

  test('notes need the scope notes:read, also as the place to begin before', async () => {
    const { owner } = await newProgram()
    const { id } = await makeTicket(owner)
    const note = await owner.call<{ id: string }>('POST', `/tickets/${id}/notes`, {
      body: { text: 'Secret' },
    })
    const reader = await owner.withKey({ scopes: ['tickets:read'] })
    const { call } = await connectMcp({ url, key: reader.key })
    const { data, result } = await call<TicketData>('get_ticket', { ticket: id })
    expect(data.messages.map(({ role }) => role)).toEqual(['customer'])
    expect(JSON.stringify(result)).not.toContain('Secret')
    expect((await call('get_ticket', { ticket: id, before: note.json.id })).error?.code).toBe(
      'invalid_request',
    )
  })

  test('of a lot of text, 20,000 characters at a time, also of a single message', async () => {
    const { owner, get } = await newProgram()
    const long = Array.from({ length: 4_500 }, (_, n) => `🛎${n}`).join(' ')
    const { id } = await makeTicket(owner, { message: 'Short' })
    const longId = await customerWrites(owner, id, long)
    await customerWrites(owner, id, 'x'.repeat(15_000))
    const pages: Part[][] = []
    let before: string | undefined
    do {
      const page = await get(id, before === undefined ? {} : { before })
      const length = page.messages.reduce((sum, { untrustedText }) => sum + [...untrustedText].length, 0)
      expect(length).toBeLessThanOrEqual(20_000)
      pages.push(page.messages)
      before = page.before
    } while (before !== undefined)
    expect(pages.map((parts) => parts.length)).toEqual([1, 1, 2])
    const pieces = pages.flat().filter((part) => part.id === longId)
    expect(pieces.map(({ textFrom }) => textFrom)).toEqual([undefined, 20_000])
    expect(pieces.map(({ untrustedText }) => untrustedText).join('')).toBe(long)
    expect(pages.flat().at(-2)?.untrustedText).toBe('Short')
  })

  test('a ticket that was merged leads to the one with its messages', async () => {
    const { owner, get } = await newProgram()
    const [from, into] = [await makeTicket(owner), await makeTicket(owner)]
    const merged = await owner.call('POST', `/tickets/${into.id}/merge`, { body: { from: from.id } })
    expect(merged.status, merged.text).toBe(200)
    expect(await get(from.id)).toMatchObject({ mergedInto: into.id, messages: [] })
    expect((await get(into.id)).messages).toHaveLength(2)
  })
})

describe('get_attachment', () => {
  async function ticketWith(owner: Client, name: string, content: string | Uint8Array<ArrayBuffer>) {
    const { id: attachment } = await upload(owner, name, content)
    await makeTicket(owner, { attachments: [attachment] })
    return attachment
  }

  test('a text, in pieces', async () => {
    const { owner, call } = await newProgram()
    const content = 'äöü€🛎'.repeat(5_000)
    const attachment = await ticketWith(owner, 'log.txt', content)
    const first = (
      await call<{ untrustedText: string; nextCursor: string }>('get_attachment', { attachment })
    ).data
    expect(first).toMatchObject({ untrustedName: 'log.txt', type: 'text/plain', nextCursor: '20000' })
    const { data } = await call<{ untrustedText: string; nextCursor?: string }>('get_attachment', {
      attachment,
      cursor: first.nextCursor,
    })
    expect(first.untrustedText + data.untrustedText).toBe(content)
    expect(data.nextCursor).toBeUndefined()
  })

  test('a picture, which the model sees', async () => {
    const { owner, call } = await newProgram()
    const png = paintedPng(4, 4)
    const attachment = await ticketWith(owner, 'photo.png', png)
    const { data, result } = await call('get_attachment', { attachment })
    expect(data).toEqual({ id: attachment, untrustedName: 'photo.png', type: 'image/png', size: png.length })
    expect(result.content[1]).toEqual({
      type: 'image',
      mimeType: 'image/png',
      data: Buffer.from(png).toString('base64'),
    })
  })

  test('neither anything else nor more than 1 MiB', async () => {
    const { owner, call } = await newProgram()
    const pdf = await ticketWith(owner, 'a.pdf', '%PDF-1.7 secret')
    const large = await ticketWith(owner, 'large.txt', 'x'.repeat(1024 * 1024 + 1))
    expect((await call('get_attachment', { attachment: pdf })).error?.code).toBe('not_readable')
    expect((await call('get_attachment', { attachment: large })).error?.code).toBe('attachment_too_large')
  })

  test('a file of a note only with the scope notes:read', async () => {
    const { owner, call } = await newProgram()
    const { id } = await makeTicket(owner)
    const { id: attachment } = await upload(owner)
    await owner.call('POST', `/tickets/${id}/notes`, { body: { text: 'See', attachments: [attachment] } })
    expect((await call('get_attachment', { attachment })).data).toMatchObject({ untrustedText: 'A file' })
    const reader = await connectMcp({ url, key: (await owner.withKey({ scopes: ['tickets:read'] })).key })
    expect((await reader.call('get_attachment', { attachment })).error?.code).toBe('not_found')
  })
})

describe('get_customer', () => {
  test('by id, any address, or the id of another system, with their last tickets', async () => {
    const { owner, call } = await newProgram()
    const { id, customerId } = await makeTicket(owner)
    await owner.call('PATCH', `/customers/${customerId}`, {
      body: { externalId: 'crm-7', company: 'Globex', emails: ['ana@example.com', 'ana@work.example'] },
    })
    for (const by of [{ id: customerId }, { address: 'ANA@work.example' }, { externalId: 'crm-7' }]) {
      expect((await call('get_customer', by)).data).toMatchObject({
        id: customerId,
        untrustedName: 'Ana Pires',
        untrustedEmails: ['ana@example.com', 'ana@work.example'],
        untrustedCompany: 'Globex',
        tickets: [{ id }],
      })
    }
    expect((await call('get_customer')).error?.detail).toContain('exactly one')
    expect((await call('get_customer', { address: 'no@example.com' })).error?.code).toBe('not_found')
  })

  test('the tickets need tickets:read', async () => {
    const { owner } = await newProgram()
    const { customerId } = await makeTicket(owner)
    const { key } = await owner.withKey({ scopes: ['customers:read'] })
    const { call } = await connectMcp({ url, key })
    expect((await call('get_customer', { id: customerId })).data).not.toHaveProperty('tickets')
  })
})

test('get_workspace says who one is, and how agents, tags and channels are named', async () => {
  const { owner, program, call } = await newProgram()
  await makeTicket(owner, { tags: ['vip'] })
  const ben = await signInAgent(bellhop, owner.orgId)
  const { data } = await call('get_workspace')
  expect(data).toMatchObject({
    organization: 'Acme',
    me: { kind: 'program', name: 'Answer bot', agent: program.id },
    agents: [
      { id: program.id, role: 'program' },
      { id: ben.id, name: ben.name, email: ben.email },
    ],
    tags: [{ name: 'vip', tickets: 1 }],
  })
  const reader = await connectMcp({ url, key: (await owner.withKey({ scopes: ['tickets:read'] })).key })
  expect(JSON.stringify((await reader.call('get_workspace')).data)).not.toContain(ben.email)
})

describe('suggest_reply', () => {
  test('suggests an answer under the name of the program, and sends nothing', async () => {
    const { owner, program, call, get } = await newProgram()
    const { id } = await makeTicket(owner)
    const { newestMessage } = await get(id)
    const sources = [{ title: 'Refunds', url: 'https://help.example.com/refunds' }]
    const written = { text: 'Within **30 days**.', sources, confidence: 0.8 }
    const { data } = await call<{ id: string }>('suggest_reply', {
      ticket: id,
      answers: newestMessage?.id,
      ...written,
    })
    const list = await owner.call<{ data: unknown[] }>('GET', `/tickets/${id}/suggestions`)
    expect(list.json.data).toMatchObject([
      { ...written, id: data.id, state: 'open', format: 'markdown', by: { kind: 'program', id: program.id } },
    ])
    expect((await readTicket(owner, id)).messages).toHaveLength(1)
  })

  test('is refused when the ticket was answered since', async () => {
    const { owner, call, get } = await newProgram()
    const { id } = await makeTicket(owner)
    const { newestMessage } = await get(id)
    await customerWrites(owner, id)
    const { error } = await call('suggest_reply', { ticket: id, answers: newestMessage?.id, text: 'Hello' })
    expect(error?.code).toBe('answered_since')
  })
})

test('add_note adds a note that only the team sees', async () => {
  const { owner, program, call } = await newProgram()
  const { id } = await makeTicket(owner)
  const { data } = await call('add_note', { ticket: id, text: 'Check **stock**.' })
  const notes = await owner.call<{ data: unknown[] }>('GET', `/tickets/${id}/notes`)
  expect(notes.json.data).toMatchObject([
    {
      id: data.id,
      text: 'Check **stock**.',
      format: 'markdown',
      agentId: program.id,
      agentName: 'Answer bot',
    },
  ])
  expect((await readTicket(owner, id)).messages).toHaveLength(1)
})

describe('update_ticket', () => {
  test('changes status, assignee and tags, and its thread says who did it', async () => {
    const { owner, program, call } = await newProgram()
    const { id } = await makeTicket(owner, { tags: ['old', 'vip'] })
    const change = { status: 'resolved', assignedTo: program.id, addTags: ['refund'], removeTags: ['old'] }
    const { data } = await call<TicketData>('update_ticket', { ticket: id, ...change })
    expect(data).toMatchObject({ status: 'resolved', assignedTo: program.id, tags: ['vip', 'refund'] })
    const { json } = await owner.call<{ data: { by: unknown }[] }>('GET', `/tickets/${id}/activity`)
    expect(json.data[0]?.by).toEqual({ kind: 'program', id: program.id, name: 'Answer bot' })
    expect(
      (await call<TicketData>('update_ticket', { ticket: id, assignedTo: '' })).data.assignedTo,
    ).toBeUndefined()
  })

  test('with an ETag only if nothing changed since', async () => {
    const { owner, call, get } = await newProgram()
    const { id } = await makeTicket(owner)
    const { etag } = await get(id)
    const first = await call<TicketData>('update_ticket', { ticket: id, status: 'pending', etag })
    expect(first.data.etag).not.toBe(etag)
    const second = await call('update_ticket', { ticket: id, status: 'resolved', etag })
    expect(second.error?.code).toBe('precondition_failed')
  })
})

test('create_ticket opens a ticket with the customer as its author, and only once per external id', async () => {
  const { owner, call } = await newProgram()
  const input = {
    subject: 'Called about an invoice',
    message: 'It’s wrong.',
    customer: { name: 'Bo', email: 'bo@example.com' },
    tags: ['phone'],
    externalId: 'call-1',
  }
  const { data } = await call<TicketData>('create_ticket', input)
  expect(await readTicket(owner, data.id)).toMatchObject({
    subject: input.subject,
    channel: 'api',
    customer: { name: 'Bo', email: 'bo@example.com' },
    tags: ['phone'],
    messages: [{ role: 'customer', text: input.message }],
  })
  expect((await call('create_ticket', input)).error).toMatchObject({ code: 'external_id_taken', id: data.id })
})

test('create_ticket renames no customer who is known', async () => {
  const { owner } = await newProgram()
  await makeTicket(owner, { customer: { name: 'Bo', email: 'bo@example.com' } })
  const writer = await connectMcp({ url, key: (await owner.withKey({ scopes: ['tickets:write'] })).key })
  const customer = { name: 'Admin', email: 'BO@example.com' }
  const { data } = await writer.call<TicketData>('create_ticket', { subject: 'A', message: 'B', customer })
  expect((await readTicket(owner, data.id)).customer).toMatchObject({ name: 'Bo' })
})

test('an unknown argument is answered with what the tool, or the object in it, takes', async () => {
  const { call } = await newProgram()
  const customer = { email: 'x@example.com', phone: '1' }
  const written = { subject: 'A', message: 'B', customer }
  expect((await call('create_ticket', written)).error?.errors).toEqual([
    {
      pointer: '/customer',
      code: 'unknown_field',
      detail: 'Unknown argument. This object takes name, email.',
    },
  ])
  const sources = [{ title: 'A', url: 'https://example.com', page: 1 }]
  const { error } = await call('suggest_reply', {
    ticket: NO_TICKET,
    answers: 'x',
    text: 'A',
    sources,
    to: 'x',
  })
  expect(error?.errors).toEqual([
    {
      pointer: '',
      code: 'unknown_field',
      detail: 'Unknown argument. This tool takes ticket, answers, text, sources, confidence.',
    },
    {
      pointer: '/sources/0',
      code: 'unknown_field',
      detail: 'Unknown argument. This object takes title, url.',
    },
  ])
})

describe('send_reply', () => {
  const UNDO_MS = 10_000

  test('waits as long as an agent can undo it, and is then sent under the name of the program', async () => {
    const { owner, program, call, get } = await newProgram()
    const { id } = await makeTicket(owner)
    const after = (await get(id)).newestMessage?.id
    const { data } = await call<SentData>('send_reply', { ticket: id, text: 'It’s **on its way**.', after })
    expect(data.delivery).toEqual({
      state: 'waiting',
      sendAt: new Date(clock.now() + UNDO_MS).toISOString(),
    })
    expect((await readTicket(owner, id)).messages).toHaveLength(1)
    clock.advance(UNDO_MS)
    const sent = await eventually(async () => (await readTicket(owner, id)).messages[1])
    expect(sent).toMatchObject({
      id: data.id,
      text: 'It’s **on its way**.',
      format: 'markdown',
      agentName: program.name,
    })
  })

  test('at a time that was chosen; an agent can take it back until then', async () => {
    const { owner, call, get } = await newProgram()
    const { id } = await makeTicket(owner)
    const after = (await get(id)).newestMessage?.id
    const sendAt = new Date(clock.now() + 3_600_000).toISOString()
    const { data } = await call<SentData>('send_reply', { ticket: id, text: 'Later', after, sendAt })
    expect(data.delivery).toEqual({ state: 'waiting', sendAt })
    const ben = await signInAgent(bellhop, owner.orgId, { role: 'admin' })
    const taken = await ben.call('DELETE', `/v1/tickets/${id}/messages/${data.id}`)
    expect(taken.status).toBe(204)
    const far = new Date(clock.now() + 31 * 86_400_000).toISOString()
    const refused = await call('send_reply', { ticket: id, text: 'Later', after, sendAt: far })
    expect(refused.error?.code).toBe('invalid_request')
  })

  test('is refused when the customer, a person, or the program itself wrote since', async () => {
    const { owner, call, get } = await newProgram()
    const { id, messages } = await makeAndReadTicket(owner)
    const first = messages[0]?.id
    const second = await customerWrites(owner, id)
    const send = (after: string | undefined) =>
      call<SentData>('send_reply', { ticket: id, text: 'Hello', after })
    expect((await send(first)).error).toMatchObject({ code: 'answered_since', id: second })
    expect((await send(second)).error).toBeUndefined()
    // It waits to be sent.
    expect((await send(second)).error?.code).toBe('answered_since')
    clock.advance(UNDO_MS)
    await eventually(async () => (await get(id)).messages.length === 3)
    expect((await send(second)).error?.code).toBe('answered_since')
    const third = await customerWrites(owner, id)
    const ben = await signInAgent(bellhop, owner.orgId)
    await ben.call('POST', `/v1/tickets/${id}/messages`, { body: { text: 'I take over.' } })
    expect((await send(third)).error?.code).toBe('answered_since')
    expect((await readTicket(owner, id)).messages.filter(({ text }) => text === 'Hello')).toHaveLength(1)
  })

  test('a program answers customers only: neither itself, another program, nor an agent', async () => {
    const { owner, call, get } = await newProgram()
    const { id } = await makeTicket(owner)
    const other = await createProgram(deps, owner.orgId, { name: 'Other bot' })
    const otherMcp = await connectMcp({ url, key: (await owner.withKey({ program: other.id })).key })
    const key = await connectMcp({ url, key: (await owner.withKey({ name: 'A key' })).key })
    const first = (await get(id)).newestMessage?.id
    await call('send_reply', { ticket: id, text: 'Hello', after: first })
    clock.advance(UNDO_MS)
    await eventually(async () => (await get(id)).messages.length === 2)
    const own = (await get(id)).newestMessage?.id
    for (const program of [{ call }, otherMcp, key]) {
      const { error } = await program.call('send_reply', { ticket: id, text: 'Hello again', after: own })
      expect(error).toMatchObject({ code: 'answered_since', id: own })
    }
    await customerWrites(owner, id)
    const ben = await signInAgent(bellhop, owner.orgId)
    clock.advance(1_000)
    await ben.call('POST', `/v1/tickets/${id}/messages`, { body: { text: 'I take over.' } })
    const bens = (await get(id)).newestMessage
    expect(bens?.role).toBe('agent')
    const { error } = await call('send_reply', { ticket: id, text: 'Hello again', after: bens?.id })
    expect(error).toMatchObject({
      code: 'answered_since',
      id: bens?.id,
      detail: 'The team has answered the customer. Wait for the customer.',
    })
  })

  test('a reply that waits is in the ticket, and the next one is refused because of it', async () => {
    const { owner, call, get } = await newProgram()
    const { id } = await makeTicket(owner)
    const first = await get(id)
    expect(first).not.toHaveProperty('waitingReplies')
    const args = { ticket: id, text: 'Hello', after: first.newestMessage?.id }
    const { data } = await call<SentData>('send_reply', args)
    const sendAt = data.delivery?.sendAt ?? ''
    expect((await get(id)).waitingReplies).toEqual([
      { id: data.id, agent: 'Answer bot', state: 'waiting', sendAt },
    ])
    expect((await call('send_reply', args)).error).toMatchObject({
      code: 'answered_since',
      detail: 'A reply is already waiting to be sent: see waitingReplies of get_ticket.',
    })
    const ben = await signInAgent(bellhop, owner.orgId)
    await ben.call('POST', `/v1/tickets/${id}/messages`, { body: { text: 'I take over.' } })
    clock.advance(UNDO_MS)
    await eventually(async () => (await get(id)).waitingReplies?.[0]?.state === 'held')
  })

  test('a message of another ticket, or of none, is no newest one', async () => {
    const { owner, call } = await newProgram()
    const { id } = await makeTicket(owner)
    const other = await makeAndReadTicket(owner)
    for (const after of [other.messages[0]?.id, 'x', `msg_${'0'.repeat(26)}`]) {
      const { error } = await call('send_reply', { ticket: id, text: 'Hello', after })
      expect(error).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/after' }] })
    }
    const { error } = await call('send_reply', { ticket: NO_TICKET, text: 'Hello', after: 'x' })
    expect(error?.code).toBe('not_found')
    const without = await call('send_reply', { ticket: id, text: 'Hello' })
    expect(without.error?.errors?.[0]).toMatchObject({ pointer: '/after', code: 'required' })
  })

  test('30 a minute, and suggestions 60, beside the requests of the key', async () => {
    const { owner, call, get } = await newProgram()
    const { id } = await makeTicket(owner)
    const [send, suggest] = ['send_reply', 'suggest_reply'].map((name) => async (times: number) => {
      const codes: (string | undefined)[] = []
      for (let n = 0; n < times; n += 1) {
        const args = name === 'send_reply' ? { after: 'x' } : { answers: 'x' }
        codes.push((await call(name, { ticket: id, text: 'Hello', ...args })).error?.code)
      }
      return codes.filter((code) => code === 'rate_limited').length
    })
    expect(await send?.(31)).toBe(1)
    expect(await suggest?.(62)).toBe(2)
    const after = (await get(id)).newestMessage?.id
    const refused = await call('send_reply', { ticket: id, text: 'Hello', after })
    expect(refused.error).toMatchObject({
      code: 'rate_limited',
      detail: 'send_reply can be called 30 times a minute. Try again in 60 s.',
    })
    clock.advance(60_000)
    expect((await call('send_reply', { ticket: id, text: 'Hello', after })).error).toBeUndefined()
  })
})
