import { afterAll, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { messages } from '../../server/database/tables/messages.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { recordEvents } from '../../server/events/events.ts'
import { addAgentMessage } from '../../server/tickets/messages.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { addNote } from '../support/threads.ts'
import { newClientId, openWidget } from '../support/visitors.ts'

const bellhop = await startBellhop()
const { deps } = bellhop
const { read } = deps.database
afterAll(() => bellhop.stop())

const client = await bellhop.organization()
const { orgId } = client
const widget = await openWidget(bellhop, orgId)
const ana = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
const address = (last: number) => ({ 'x-forwarded-for': `198.51.100.${last}` })

async function reply(ticketId: string, text: string, more: object = {}): Promise<string> {
  const id = deps.newId('msg')
  const body = { text, format: 'markdown', ...more }
  const answer = await ana.call('PUT', `/v1/tickets/${ticketId}/messages/${id}`, { body })
  expect(answer.status, answer.text).toBe(201)
  return id
}

function ticketsOf(customerId: string) {
  return read.select().from(tickets).where(eq(tickets.customerId, customerId))
}

test('a first message opens a ticket that agents see at once', async () => {
  const page = await widget.visit({ name: 'Bo' })
  const sent = await page.write('Where is my order?\nI paid on Monday.')
  expect([sent.status, sent.json]).toMatchObject([
    201,
    {
      conversation: { state: 'open', preview: { isMine: true }, unread: 0, agent: null, agentSeenAt: null },
      message: {
        from: 'visitor',
        text: 'Where is my order?\nI paid on Monday.',
        html: null,
        isEmailed: false,
      },
    },
  ])
  const { conversation } = sent.json
  const ticket = await client.call('GET', `/tickets/${conversation.id}`)
  expect(ticket.json).toMatchObject({ channel: 'widget', subject: 'Where is my order?', status: 'open' })
})

test('a page of long messages has fewer of them, and the rest follows', async () => {
  const page = await widget.visit()
  const written = Array.from({ length: 5 }, (_, number) => `${number} ${'x'.repeat(60_000)}`)
  const { conversation } = await page.say(written[0] ?? '')
  for (const text of written.slice(1)) await page.say(text, conversation.id)
  const found: string[] = []
  let pages = 0
  for (let query = ''; ; pages += 1) {
    const { messages: shown, hasOlder } = await page.messages(conversation.id, query)
    expect(shown.length).toBeLessThanOrEqual(2)
    found.unshift(...shown.map(({ text }) => text))
    if (!hasOlder) break
    query = `?before=${shown[0]?.id}`
  }
  expect([found, pages]).toEqual([written, 2])
})

test('a message that is sent again is stored once, and an id belongs to one message', async () => {
  const page = await widget.visit()
  const conversation = newClientId()
  const clientId = newClientId()
  const first = await page.write('Hello', { conversation, clientId })
  const again = await page.write('Hello', { conversation, clientId })
  // After its answer, a page names the conversation by the server's id.
  const byServerId = await page.write('Hello', { conversation: first.json.conversation.id, clientId })
  expect([first.status, again.status, byServerId.status]).toEqual([201, 200, 200])
  expect(again.json.message).toEqual(first.json.message)
  expect(byServerId.json.message).toEqual(first.json.message)
  const other = await page.write('Something else', { conversation, clientId })
  expect([other.status, other.text]).toMatchObject([409, expect.stringContaining('id_taken')])
  expect((await page.messages(first.json.conversation.id)).messages).toHaveLength(1)
})

test('two first messages at the same time open one ticket', async () => {
  for (let round = 0; round < 5; round += 1) {
    const page = await widget.visit({}, address(round))
    const conversation = newClientId()
    const sent = await Promise.all([
      page.write('One', { conversation }),
      page.write('Two', { conversation }),
      page.write('Two', { conversation }),
    ])
    expect(sent.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(sent.map(({ json }) => json.conversation.id)).size).toBe(1)
    const [row] = await read
      .select()
      .from(tickets)
      .where(eq(tickets.id, sent[0]?.json.conversation.id ?? ''))
    expect(await ticketsOf(row?.customerId ?? '')).toHaveLength(1)
    expect((await page.conversations()).data).toHaveLength(1)
  }
})

test('the same message at the same time from two tabs is stored once', async () => {
  const page = await widget.visit()
  const id = { conversation: newClientId(), clientId: newClientId() }
  const sent = await Promise.all(Array.from({ length: 6 }, () => page.write('Hello', id)))
  expect(sent.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201])
  expect(new Set(sent.map(({ json }) => json.message.id)).size).toBe(1)
})

test("an answer shows the agent's name and its formatting, and nothing that could run", async () => {
  const page = await widget.visit()
  const { conversation } = await page.say('Hello')
  await reply(
    conversation.id,
    '**Bold** <script>x</script> [link](https://a.example/?a=1&b) `code`\n\n- one\n  - two',
  )
  const { messages: shown, conversation: after } = await page.messages(conversation.id)
  expect(shown[1]).toMatchObject({ from: 'agent', agentName: 'Ana', clientId: null })
  expect(shown[1]?.html).toBe(
    '<p><strong>Bold</strong> &lt;script&gt;x&lt;/script&gt; ' +
      '<a href="https://a.example/?a=1&amp;b" target="_blank" rel="noopener noreferrer nofollow">link</a> ' +
      '<code>code</code></p><ul><li>one<ul><li>two</li></ul></li></ul>',
  )
  expect(after).toMatchObject({ unread: 1, agent: { name: 'Ana' }, preview: { isMine: false } })
  const stored = await client.call<{ messages: { delivery?: { state: string } }[] }>(
    'GET',
    `/tickets/${conversation.id}`,
  )
  expect(stored.json.messages[1]?.delivery).toMatchObject({ state: 'sent' })
})

test('notes, waiting replies, forwards and what others answered to them stay with the agents', async () => {
  const page = await widget.visit()
  const { conversation } = await page.say('Hello')
  await addNote(ana, conversation.id, 'A rude customer')
  await reply(conversation.id, 'Not yet sent', { sendAt: new Date(Date.now() + 600_000).toISOString() })
  await deps.database.write(undefined, async (tx) => {
    const email = { from: { name: '', address: 'x@example.com' }, replyTo: [], to: [], cc: [], subject: 'x' }
    const forwarded = { ...email, messageId: null, references: [], forwardOf: 'x' }
    const { message, events } = await addAgentMessage(deps, tx, orgId, {
      ticketId: conversation.id,
      text: 'Passed on',
      agentName: 'Ana',
    })
    await tx
      .update(messages)
      .set({ author: 'third_party', email: forwarded })
      .where(eq(messages.id, message.id))
    recordEvents(deps, tx, orgId, events)
  })
  const read50 = await page.messages(conversation.id)
  expect(read50.messages.map(({ text }) => text)).toEqual(['Hello'])
  expect(read50.conversation).toMatchObject({ unread: 0, preview: { text: 'Hello' } })
})

test('what a visitor has seen is no longer unread, and never becomes unread again', async () => {
  const page = await widget.visit()
  const { conversation } = await page.say('Hello')
  const [one, two] = [await reply(conversation.id, 'One'), await reply(conversation.id, 'Two')]
  const unread = async () => (await page.conversations()).data[0]?.unread
  expect(await unread()).toBe(2)
  const see = (messageId: string) =>
    page.call('POST', `/conversations/${conversation.id}/seen`, { body: { messageId } })
  expect((await see(one)).status).toBe(204)
  expect(await unread()).toBe(1)
  await see(two)
  await see(one)
  expect(await unread()).toBe(0)
  expect((await see('msg_01jq8z5w8wf6r9f5v0h3q1x2yz')).status).toBe(404)
})

test('a visitor sees when an agent has read, and ends a conversation, which the next message opens again', async () => {
  const page = await widget.visit({ name: 'Bo' })
  const { conversation, message } = await page.say('Hello')
  const read1 = await ana.call('PUT', `/console/tickets/${conversation.id}/read`, {
    body: { messageId: message.id },
  })
  expect(read1.status).toBe(204)
  expect((await page.conversations()).data[0]?.agentSeenAt).not.toBeNull()
  const ended = await page.call<{ conversation: object }>('POST', `/conversations/${conversation.id}/end`)
  expect([ended.status, ended.json.conversation]).toMatchObject([200, { state: 'ended' }])
  expect((await client.call('GET', `/tickets/${conversation.id}`)).json).toMatchObject({ status: 'resolved' })
  const more = await page.say('One more thing', conversation.id)
  expect(more.conversation.state).toBe('open')
})

test('older messages come page by page, none twice and none missing', async () => {
  const page = await widget.visit()
  const { conversation } = await page.say('Message 0')
  for (let number = 1; number < 120; number += 1) await reply(conversation.id, `Message ${number}`)
  const newest = await page.messages(conversation.id)
  const middle = await page.messages(conversation.id, `?before=${newest.messages[0]?.id}`)
  const oldest = await page.messages(conversation.id, `?before=${middle.messages[0]?.id}`)
  expect([newest.hasOlder, middle.hasOlder, oldest.hasOlder]).toEqual([true, true, false])
  const all = [...oldest.messages, ...middle.messages, ...newest.messages].map(({ text }) => text)
  expect(all).toEqual(Array.from({ length: 120 }, (_, number) => `Message ${number}`))
})

test('conversations are listed by their newest message', async () => {
  const page = await widget.visit()
  const first = await page.say('First')
  const second = await page.say('Second')
  await reply(first.conversation.id, 'An answer')
  const { data } = await page.conversations()
  expect(data.map(({ id }) => id)).toEqual([first.conversation.id, second.conversation.id])
})

test('a message without text, too long, or in a conversation with a wrong id is refused', async () => {
  const page = await widget.visit()
  for (const text of ['', ' \n ', '\u200b', '\u0007', 'x'.repeat(65_537)]) {
    const answer = await page.write(text)
    expect([answer.status, answer.text]).toMatchObject([400, expect.stringContaining('/text')])
  }
  expect((await page.write('x'.repeat(65_536))).status).toBe(201)
  expect((await page.write('x', { conversation: 'short' })).status).toBe(400)
  expect((await page.write('x', { body: { unknown: 1 } })).text).toContain('unknown_field')
  const large = await page.write('x', { body: { fields: { a: 'x'.repeat(1_100_000) } } })
  expect([large.status, large.text]).toMatchObject([413, expect.stringContaining('body_too_large')])
  expect((await page.conversations()).data).toHaveLength(1)
})

test('control characters are left out, and the subject is the first line', async () => {
  const page = await widget.visit()
  const { conversation, message } = await page.say(`\n\u0007Bell\r\n${'word '.repeat(40)}`)
  expect(message.text.startsWith('\nBell\nword')).toBe(true)
  expect((await client.call('GET', `/tickets/${conversation.id}`)).json).toMatchObject({ subject: 'Bell' })
  const long = await page.say('word '.repeat(40))
  const { subject } = (await client.call<{ subject: string }>('GET', `/tickets/${long.conversation.id}`)).json
  expect(subject).toMatch(/^(?:word ){14}word…$/)
})

test('a first message without the answers that the widget requires opens nothing, and later ones need none', async () => {
  const fields = [
    { key: 'order', label: 'Order number', isRequired: true },
    { key: 'plan', label: 'Your plan', isRequired: false },
  ]
  const asking = await openWidget(bellhop, orgId, {
    questions: { name: 'optional', email: 'required', fields },
  })
  const page = await asking.visit()
  const id = { conversation: newClientId(), clientId: newClientId() }
  const refused = await page.write('Hello', id)
  expect([refused.status, refused.json]).toMatchObject([
    400,
    {
      code: 'answers_required',
      errors: [
        { pointer: '/email', code: 'required' },
        { pointer: '/fields/order', code: 'required' },
      ],
    },
  ])
  expect(
    (await page.write('Hello', { ...id, body: { email: 'bo@example.com', fields: { order: ' ' } } })).json,
  ).toMatchObject({ code: 'answers_required', detail: expect.stringContaining('Order number') })
  expect((await page.conversations()).data).toEqual([])
  const body = { email: 'bo@example.com', fields: { order: '1001' } }
  expect((await page.write('Hello', { ...id, body })).status).toBe(201)

  // Questions that come later are for new visitors.
  const strict = [...fields, { key: 'city', label: 'City', isRequired: true }]
  await ana.call('PATCH', `/console/widgets/${asking.id}`, { body: { questions: { fields: strict } } })
  expect((await page.write('One more thing')).status).toBe(201)
  const user = await asking.visit({
    userId: '42',
    userHash: createHmac('sha256', asking.identitySecret).update('42').digest('hex'),
  })
  // The website says who its user is. The rest is asked.
  expect((await user.write('Hello')).json).toMatchObject({
    errors: [{ pointer: '/fields/order' }, { pointer: '/fields/city' }],
  })
})
