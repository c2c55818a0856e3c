import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import {
  telegramChats,
  telegramConversations,
  telegramMessages,
  telegramUpdates,
} from '../../server/database/tables/bots.ts'
import { messageEdits } from '../../server/database/tables/messages.ts'
import { signInAgent } from '../support/agents.ts'
import { letRunFast } from '../support/chats.ts'
import { createManualClock } from '../support/clock.ts'
import { storedRows } from '../support/stored-rows.ts'
import { type BotJson, type Desk, openDesk } from '../support/telegram.ts'
import { readThread } from '../support/threads.ts'
import { ORIGIN, openWidget } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const DAY_MS = 86_400_000

const clock = createManualClock(Date.parse('2026-03-02T09:00:00.000Z'))
let desk: Desk
let running: Disposable
beforeAll(async () => {
  desk = await openDesk({ clock, telegram: { maxPollMs: 5_000 } })
  running = letRunFast(clock)
})
afterAll(async () => {
  running[Symbol.dispose]()
  await desk[Symbol.asyncDispose]()
})

describe('a token', () => {
  test('that is none, or none of a bot, is refused with a sentence', async () => {
    const { token } = desk.telegram.addBot()
    const refusals = [
      ['', 'invalid_token'],
      ['hello', 'invalid_token'],
      [`${token} x`, 'invalid_token'],
      [`${token}x`, 'token_refused'],
      ['1:abc', 'token_refused'],
    ]
    for (const [given, code] of refusals) {
      const answer = await desk.admin.call('POST', '/console/bots', { body: { token: given } })
      expect(answer.status).toBe(400)
      expect(answer.json).toMatchObject({ errors: [{ pointer: '/token', code }] })
      if (given) expect(answer.text).not.toContain(given)
    }
  })

  test('of another bot does not replace the one of a bot', async () => {
    const [one, other] = [desk.telegram.addBot(), desk.telegram.addBot()]
    const { id } = await desk.connect(one)
    const answer = await desk.admin.call('PATCH', `/console/bots/${id}`, { body: { token: other.token } })
    expect(answer.json).toMatchObject({ errors: [{ pointer: '/token', code: 'other_bot' }] })
    expect(answer.text).not.toContain(other.token)
  })

  test('is connected once, in all organizations', async () => {
    const bot = desk.telegram.addBot()
    const { id } = await desk.connect(bot)
    const other = await desk.bellhop.organization('Other')
    const eve = await signInAgent(desk.bellhop, other.orgId, { role: 'admin', name: 'Eve' })
    for (const admin of [desk.admin, eve]) {
      const answer = await admin.call('POST', '/console/bots', { body: { token: bot.token } })
      expect(answer.status).toBe(409)
      expect(answer.json).toMatchObject({ code: 'bot_exists' })
      expect(answer.text).not.toContain(desk.acme.orgId)
    }
    expect((await desk.admin.call('DELETE', `/console/bots/${id}`)).status).toBe(204)
    const again = await eve.call<BotJson>('POST', '/console/bots', { body: { token: bot.token } })
    expect(again.status, again.text).toBe(201)
    await eve.call('DELETE', `/console/bots/${again.json.id}`)
  })

  test('is in no answer, log line, audit entry or stored row', async () => {
    const bot = desk.telegram.addBot()
    const secret = bot.token.split(':')[1] ?? ''
    const { id } = await desk.connect(bot)
    const answers = [
      await desk.admin.call('GET', '/console/bots'),
      await desk.admin.call('GET', `/console/bots/${id}`),
      await desk.admin.call('POST', `/console/bots/${id}/check`),
      await desk.admin.call('GET', '/console/audit'),
      await desk.admin.call('GET', '/console/bots/problems'),
    ]
    for (const { text, status } of answers) {
      expect(status).toBe(200)
      expect(text).not.toContain(secret)
    }
    expect(JSON.stringify(await storedRows(desk.bellhop.deps))).not.toContain(secret)
    expect(desk.bellhop.logLines.join('\n')).not.toContain(secret)
  })
})

describe('the settings of a bot', () => {
  test('are refused with every fault at once', async () => {
    const { id } = await desk.connect(desk.telegram.addBot())
    const body = {
      name: ' ',
      greeting: 'x'.repeat(4_097),
      newTicketAfterDays: -1,
      receives: 'webhook',
    }
    const answer = await desk.admin.call<{ errors: { code: string }[] }>('PATCH', `/console/bots/${id}`, {
      body,
    })
    expect(answer.status).toBe(400)
    expect(answer.json.errors.map(({ code }) => code)).toEqual([
      'invalid_name',
      'too_long',
      'invalid_days',
      'public_url_required',
    ])
    const half = await desk.admin.call('PATCH', `/console/bots/${id}`, { body: { newTicketAfterDays: 1.5 } })
    expect(half.json).toMatchObject({
      errors: [{ code: 'not_whole_number', detail: 'Must be a whole number.' }],
    })
    const unknown = { defaultAssignee: 'agt_00000000000000000000000000' }
    const assigned = await desk.admin.call('PATCH', `/console/bots/${id}`, { body: unknown })
    expect(assigned.json).toMatchObject({ errors: [{ code: 'unknown_agent' }] })
  })

  test('greet, assign new tickets, and open a new one some days after the last was resolved', async () => {
    const bot = desk.telegram.addBot()
    const { admin } = desk
    const { id } = await desk.connect(bot)
    const body = { greeting: 'Welcome to Parcelbird!', defaultAssignee: admin.id, newTicketAfterDays: 3 }
    const changed = await admin.call('PATCH', `/console/bots/${id}`, { body })
    expect(changed.status, changed.text).toBe(200)
    await desk.botIn(id, 'active')
    const ana = desk.telegram.addUser()
    const own = async (count: number) =>
      eventually(async () => {
        const found = (await desk.tickets()).filter(({ subject }) => subject.startsWith('Days'))
        if (found.length < count) await Bun.sleep(25)
        return found.length >= count ? found : undefined
      })
    ana.presses(bot)
    ana.writes(bot, 'Days one')
    const [first] = await own(1)
    expect(first).toMatchObject({ assignedTo: admin.id })
    await eventually(() => desk.telegram.sent(bot, ana.id)[0]?.text === 'Welcome to Parcelbird!')
    const path = `/v1/tickets/${first?.id}`
    await admin.call('PATCH', path, { body: { status: 'resolved' } })
    clock.advance(2 * DAY_MS)
    ana.writes(bot, 'Days two')
    await desk.messages(first?.id ?? '', 2)
    await admin.call('PATCH', path, { body: { status: 'resolved' } })
    clock.advance(4 * DAY_MS)
    ana.writes(bot, 'Days three')
    const found = await own(2)
    expect(found.map(({ subject }) => subject).sort()).toEqual(['Days one', 'Days three'])
  })

  test('open a new ticket each time, and what answers an older one that is open again goes there', async () => {
    const bot = desk.telegram.addBot()
    const { admin, telegram } = desk
    await desk.connect(bot, { newTicketAfterDays: 0 })
    const ana = telegram.addUser()
    const ticketWith = (subject: string) =>
      eventually(async () => {
        const found = (await desk.tickets()).find((ticket) => ticket.subject === subject)
        if (!found) await Bun.sleep(25)
        return found
      })
    const setStatus = async (id: string, status: string) =>
      expect((await admin.call('PATCH', `/v1/tickets/${id}`, { body: { status } })).status).toBe(200)
    const first = ana.writes(bot, 'Matter A')
    const { id: older } = await ticketWith('Matter A')
    await setStatus(older, 'resolved')
    ana.writes(bot, 'Matter B')
    const { id: newer } = await ticketWith('Matter B')
    await setStatus(older, 'open')
    const answered = { ...first, reply_to_message: undefined }
    ana.writes(bot, 'About A', { reply_to_message: answered })
    const [, about] = await desk.messages(older, 2)
    expect(about).toMatchObject({ text: 'About A', chat: { repliesTo: { text: 'Matter A' } } })
    // The conversation goes on there, also without a reply.
    ana.writes(bot, 'More about A')
    await desk.messages(older, 3)
    await setStatus(older, 'resolved')
    ana.writes(bot, 'And now B')
    await desk.messages(newer, 2)
    await setStatus(newer, 'resolved')
    ana.writes(bot, 'Matter C', { reply_to_message: answered })
    await ticketWith('Matter C')
  })

  test('pause it: nothing is fetched until it is resumed', async () => {
    const bot = desk.telegram.addBot()
    const { id } = await desk.connect(bot)
    expect((await desk.admin.call('POST', `/console/bots/${id}/pause`)).json).toMatchObject({
      state: 'paused',
    })
    await eventually(() => !bot.queue.isPolled)
    desk.telegram.addUser().writes(bot, 'While it was paused')
    expect(bot.queue.size).toBe(1)
    await desk.admin.call('POST', `/console/bots/${id}/resume`)
    await desk.botIn(id, 'active')
    await eventually(() => bot.queue.size === 0)
  })
})

test('someone who comes from the website continues that conversation, as the same customer', async () => {
  const { admin, telegram, bellhop, acme } = desk
  const bot = telegram.addBot({ username: 'from_the_website_bot' })
  const { id } = await desk.connect(bot)
  const widget = await openWidget(bellhop, acme.orgId, { origins: [ORIGIN] })
  const linked = await admin.call('PATCH', `/console/widgets/${widget.id}`, { body: { telegramBotId: id } })
  expect(linked.status, linked.text).toBe(200)
  const visitor = await widget.visit()
  const { conversation } = await visitor.say('From the website')
  const answer = await visitor.call<{ url: string }>('POST', `/conversations/${conversation.id}/telegram`)
  expect(answer.status, answer.text).toBe(200)
  const token = new URL(answer.json.url).searchParams.get('start') ?? ''
  const ana = telegram.addUser({ first_name: 'Ana' })
  ana.presses(bot, token)
  await eventually(() => telegram.sent(bot, ana.id)[0]?.text?.includes('Continue your conversation here'))
  ana.writes(bot, 'And from Telegram')
  const messages = await desk.messages(conversation.id, 2)
  expect(messages.map(({ text }) => text)).toEqual(['From the website', 'And from Telegram'])
  // A link leads there once.
  const eve = telegram.addUser({ first_name: 'Eve' })
  eve.presses(bot, token)
  eve.writes(bot, 'Who is there?')
  await eventually(async () => (await desk.tickets()).some(({ subject }) => subject === 'Who is there?'))
  expect((await readThread(admin, conversation.id)).timeline).toHaveLength(2)
})

test('deleting a ticket leaves tombstones, and deleting the customer leaves nothing', async () => {
  const { admin, telegram, bellhop } = desk
  const { read } = bellhop.deps.database
  const bot = telegram.addBot()
  const { id: botId } = await desk.connect(bot)
  const ana = telegram.addUser({ first_name: 'Erasable', username: 'erasable_ana' })
  const first = ana.writes(bot, 'Delete me')
  const ticket = await eventually(async () =>
    (await desk.tickets()).find(({ subject }) => subject === 'Delete me'),
  )
  ana.edits(bot, first.message_id, { text: 'Delete me soon' })
  await eventually(async () => (await desk.messages(ticket.id, 1))[0]?.edits === 1)
  expect((await admin.call('DELETE', `/console/tickets/${ticket.id}`)).status).toBe(204)
  const known = await read.select().from(telegramMessages).where(eq(telegramMessages.botId, botId))
  expect(known).toMatchObject([{ ticketId: null, messageId: null }])
  expect(await read.select().from(messageEdits).where(eq(messageEdits.ticketId, ticket.id))).toEqual([])
  telegram.deliver(bot, {
    message: { ...first, from: ana.user, chat: { id: ana.id, type: 'private', first_name: 'E' } },
  })
  ana.writes(bot, 'A new question')
  const next = await eventually(async () =>
    (await desk.tickets()).find(({ subject }) => subject === 'A new question'),
  )
  expect((await desk.tickets()).some(({ subject }) => subject.startsWith('Delete me'))).toBe(false)
  const { ticket: stored } = await readThread(admin, next.id)
  const { userId } = stored.customer as { userId: string }
  expect((await admin.call('DELETE', `/console/customers/${userId}`)).status).toBe(200)
  for (const table of [telegramChats, telegramConversations, telegramMessages, telegramUpdates]) {
    expect(await read.select().from(table).where(eq(table.botId, botId))).toEqual([])
  }
  expect(JSON.stringify(await storedRows(bellhop.deps))).not.toContain('erasable_ana')
})
