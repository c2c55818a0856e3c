import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { SignJWT } from 'jose'
import { blockVisitor } from '../../server/channels/widget/inbox/blocked-visitors.ts'
import { recordEvents } from '../../server/events/events.ts'
import { createId } from '../../server/ids.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { type OpenStream, openLive } from '../support/live.ts'
import { readDraft } from '../support/threads.ts'
import { openWidget, type VisitorPage } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await startBellhop({ settings: { BELLHOP_TRUST_PROXY: '127.0.0.0/8,::1/128' } })
const { deps } = bellhop
const { orgId } = await bellhop.organization()
const widget = await openWidget(bellhop, orgId)
const ana = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
const open: OpenStream[] = []
afterEach(async () => {
  for (const stream of open.splice(0)) await stream.close()
})
afterAll(() => bellhop.stop())

async function streamOf(page: VisitorPage, after?: number): Promise<OpenStream> {
  const stream = await page.stream(after)
  open.push(stream)
  await stream.next('hello')
  return stream
}

async function reply(ticketId: string, text: string): Promise<void> {
  const path = `/v1/tickets/${ticketId}/messages`
  const answer = await ana.call('POST', path, { body: { text } })
  expect(answer.status, answer.text).toBe(201)
}

const textIs = (text: string) => (data: Record<string, unknown>) =>
  (data.message as { text: string }).text === text
const texts = (stream: OpenStream) =>
  stream.seen.flatMap(({ event, data }) =>
    event === 'message' ? (data.message as { text: string }).text : [],
  )

/** Events of a conversation that nobody here follows. */
async function otherEvents(howMany: number): Promise<void> {
  const event = { type: 'ticket.updated' as const, ticketId: 'tkt_x', createdAt: deps.clock.now() }
  await deps.database.write(undefined, async (tx) =>
    recordEvents(
      deps,
      tx,
      orgId,
      Array.from({ length: howMany }, () => event),
    ),
  )
}

describe('the stream of a visitor', () => {
  test('removes an answer that its author takes back, and says so only to who has seen it', async () => {
    const page = await widget.visit()
    const { conversation } = await page.say('Hello')
    const stream = await streamOf(page)
    const ticket = `/v1/tickets/${conversation.id}`
    const send = async (text: string) => {
      const id = createId('msg', ana.now())
      const sent = await ana.call('PUT', `${ticket}/messages/${id}`, { body: { text } })
      expect(sent.status, sent.text).toBe(201)
      await stream.next('message', textIs(text))
      return id
    }
    const unseen = await send('Wrong customer')
    expect((await ana.call('DELETE', `${ticket}/messages/${unseen}`)).status).toBe(204)
    const gone = await stream.next('removed')
    expect(gone.data).toMatchObject({
      messageId: unseen,
      conversation: { unread: 0, preview: { text: 'Hello' } },
    })

    const seen = await send('Wrong price')
    await page.call('POST', `/conversations/${conversation.id}/seen`, { body: { messageId: seen } })
    expect((await ana.call('DELETE', `${ticket}/messages/${seen}`)).status).toBe(204)
    const { data } = await stream.next(
      'message',
      (sent) => (sent.message as { id: string }).id === seen && textIs('')(sent),
    )
    expect(data.message).toMatchObject({ isRemoved: true, text: '', html: null })
    const { messages } = await page.messages(conversation.id)
    expect(messages.map(({ id, text }) => [id, text])).toEqual([
      [expect.any(String), 'Hello'],
      [seen, ''],
    ])

    // The team still sees both, and their texts are in the draft of their author.
    const read = await ana.call<{ messages: { text: string; delivery?: { state: string } }[] }>('GET', ticket)
    expect(read.json.messages.map(({ text, delivery }) => [text, delivery?.state])).toEqual([
      ['Hello', undefined],
      ['Wrong customer', 'taken_back'],
      ['Wrong price', 'taken_back'],
    ])
    expect(await readDraft(ana, conversation.id, 'reply')).toBe('Wrong price\n\nWrong customer')
    const again = await ana.call('DELETE', `${ticket}/messages/${seen}`)
    expect(again.json).toMatchObject({ status: 409, code: 'taken_back' })
  })

  test('brings a new conversation, answers and what happens to it, in every tab', async () => {
    const page = await widget.visit()
    const tabs = [await streamOf(page), await streamOf(page)]
    const { conversation, message } = await page.say('Hello')
    for (const tab of tabs) {
      expect((await tab.next('message')).data).toEqual({ conversation, message })
    }
    await reply(conversation.id, 'An answer')
    for (const tab of tabs) {
      expect((await tab.next('message')).data).toMatchObject({
        conversation: { unread: 1 },
        message: { from: 'agent', html: '<p>An answer</p>', agentName: 'Ana' },
      })
    }
    await ana.call('PATCH', `/v1/tickets/${conversation.id}`, { body: { status: 'resolved' } })
    expect((await tabs[0]?.next('conversation'))?.data).toMatchObject({ conversation: { state: 'ended' } })
    await ana.call('PUT', `/console/tickets/${conversation.id}/read`, { body: { messageId: message.id } })
    const seen = await tabs[1]?.next(
      'conversation',
      (data) => (data.conversation as { agentSeenAt: unknown }).agentSeenAt !== null,
    )
    expect(seen?.id).toBeGreaterThan(0)
    await ana.call('DELETE', `/console/tickets/${conversation.id}`)
    expect((await tabs[0]?.next('deleted'))?.data).toEqual({ conversationId: conversation.id })
  })

  test('brings nothing of other visitors, of notes or of internal changes of them', async () => {
    const [bo, eve] = [await widget.visit(), await widget.visit()]
    const stream = await streamOf(eve)
    const { conversation } = await bo.say('A secret')
    await reply(conversation.id, 'Secret answer')
    await eve.say('The end')
    await stream.next('message', textIs('The end'))
    expect(texts(stream)).toEqual(['The end'])
    expect(JSON.stringify(stream.seen)).not.toContain(conversation.id)
  })

  test('of a verified user brings what they write on another device', async () => {
    const exp = Math.floor(Date.now() / 1_000) + 600
    const key = new TextEncoder().encode(widget.identitySecret)
    const jwt = await new SignJWT({ sub: '42', exp }).setProtectedHeader({ alg: 'HS256' }).sign(key)
    const [phone, laptop] = [await widget.visit({ jwt }), await widget.visit({ jwt })]
    const stream = await streamOf(laptop)
    await phone.say('From the phone')
    await stream.next('message', textIs('From the phone'))
  })

  test('goes on after the last event that the page has seen, without a gap', async () => {
    const page = await widget.visit()
    const { conversation } = await page.say('Hello')
    const { event } = await page.conversations()
    await reply(conversation.id, 'While away 1')
    await otherEvents(30)
    await page.say('A second conversation')
    await reply(conversation.id, 'While away 2')
    const stream = await streamOf(page, event)
    await stream.next('hello', ({ number }) => Number(number) > event)
    expect(new Set(texts(stream))).toEqual(new Set(['While away 1', 'While away 2', 'A second conversation']))
    const last = Math.max(...stream.seen.map(({ id, data }) => id ?? Number(data.number)))
    await stream.close()
    const next = await streamOf(page, last)
    await reply(conversation.id, 'Later')
    await next.next('message', textIs('Later'))
    expect(texts(next)).toEqual(['Later'])
  })

  test('of a page that missed too much, or a deletion, tells it to read everything again', async () => {
    const page = await widget.visit()
    const { conversation } = await page.say('Hello')
    const { event } = await page.conversations()
    await otherEvents(5_000)
    // Another visitor keeps the feed open.
    await streamOf(await widget.visit())
    await (await streamOf(page, event)).next('reset')
    const newer = await page.conversations()
    await ana.call('DELETE', `/console/tickets/${conversation.id}`)
    await (await streamOf(page, newer.event)).next('reset')
    await (await streamOf(page, newer.event + 1_000_000)).next('reset')
  })

  test('says who is replying, and agents see who is typing', async () => {
    const page = await widget.visit()
    const { conversation } = await page.say('Hello')
    const ticketId = conversation.id
    const stream = await streamOf(page)
    await using inbox = await openLive(bellhop.url, ana)
    await inbox.next('presence')
    const announce = (state: string) =>
      ana.call('POST', '/console/presence', { body: { pageId: 'p', ticketId, state } })
    await announce('replying')
    const typing = { conversationId: ticketId, agentName: 'Ana' }
    expect((await stream.next('typing')).data).toEqual({ ...typing, isTyping: true })
    const later = await streamOf(page)
    expect((await later.next('typing')).data).toEqual({ ...typing, isTyping: true })
    await announce('viewing')
    expect((await stream.next('typing')).data).toEqual({ ...typing, isTyping: false })
    const type = (isTyping: boolean) =>
      page.call('POST', `/conversations/${ticketId}/typing`, { body: { isTyping } })
    expect((await type(true)).status).toBe(204)
    await inbox.next('presence', (data) => JSON.stringify(data.typing) === JSON.stringify([ticketId]))
    await type(false)
    await inbox.next('presence', (data) => data.typing === undefined)
    const stranger = await widget.visit()
    const refused = await stranger.call('POST', `/conversations/${ticketId}/typing`, {
      body: { isTyping: true },
    })
    expect(refused.status).toBe(404)
  })
})

describe('a stream ends', () => {
  test('for a visitor who signs out, and for no other', async () => {
    const [bo, eve] = [await widget.visit(), await widget.visit()]
    const [stream, other] = [await streamOf(bo), await streamOf(eve)]
    await bo.call('DELETE', '/session')
    await stream.next('signed_out')
    await stream.ended
    await eve.say('Still here')
    await other.next('message', textIs('Still here'))
  })

  test('for a visitor who is blocked, who can do nothing until unblocked', async () => {
    const page = await widget.visit()
    const stream = await streamOf(page)
    await blockVisitor(deps, orgId, { id: page.id, isBlocked: true })
    await stream.next('blocked')
    expect((await page.write('Hello')).text).toContain('visitor_blocked')
    expect((await page.call('GET', '/conversations')).status).toBe(403)
    await blockVisitor(deps, orgId, { id: page.id, isBlocked: false })
    expect((await page.write('Hello')).status).toBe(201)
  })

  test('at the server when the page closes it', async () => {
    const page = await widget.visit()
    const stream = await streamOf(page)
    const metrics = async () => (await fetch(`${bellhop.url}/metrics`)).text()
    expect(await metrics()).toMatch(/bellhop_visitor_streams [1-9]/)
    await stream.close()
    await eventually(async () => /bellhop_visitor_streams 0/.test(await metrics()))
    expect(await metrics()).toMatch(/bellhop_visitor_messages_total [1-9]/)
  })
})

test('a browser has at most 8 streams, and gets the next after one has ended', async () => {
  const page = await widget.visit()
  for (let tab = 0; tab < 8; tab += 1) await streamOf(page)
  const refused = await page.call('GET', '/events')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
  expect(refused.json).toMatchObject({ code: 'too_many_streams' })
  await open.pop()?.close()
  await eventually(async () => {
    const stream = await page.stream()
    open.push(stream)
    await Bun.sleep(20)
    return stream.status === 200
  })
})
