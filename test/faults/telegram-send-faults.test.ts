import { expect, test } from 'bun:test'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { insertBot, letRunFast, openChat, openChats } from '../support/chats.ts'
import { reservePort } from '../support/mail/ports.ts'
import { openDesk } from '../support/telegram.ts'
import { readThread } from '../support/threads.ts'
import { eventually } from '../support/webhooks.ts'

// What happens to an agent's message when Telegram, the customer, or the network has a problem.

const SECOND = 1_000
/** Long enough for a message that must not come. */
const A_MOMENT_MS = 30

test('a request is retried exactly when Telegram asks, and other chats continue', async () => {
  await using chats = await openChats()
  const { clock, telegram } = chats
  const [ana, ben] = [await chats.chat(), await chats.chat()]
  telegram.fail({ code: 429, retryAfter: 30 }, { method: 'sendMessage', chatId: ana.chatId, times: 1 })
  const limited = await chats.reply(ana, 'One')
  await chats.reply(ana, 'Two')
  const shown = await eventually(async () => {
    const found = await chats.message(ana, limited)
    return found.sendError ? found : undefined
  })
  expect(shown).toMatchObject({
    sending: 'queued',
    sendError: 'Telegram asked Bellhop to wait 30 seconds.',
    retryAt: new Date(clock.now() + 30 * SECOND).toISOString(),
  })
  const other = await chats.reply(ben, 'Hello')
  await chats.until(ben, other, 'sent')
  clock.advance(30 * SECOND - 1)
  await Bun.sleep(A_MOMENT_MS)
  expect(chats.texts(ana)).toEqual([])
  clock.advance(1)
  expect(await chats.until(ana, limited, 'sent')).not.toHaveProperty('sendError')
  using _ = letRunFast(clock)
  await eventually(() => chats.texts(ana).length === 2)
  expect(chats.texts(ana)).toEqual(['One', 'Two'])
})

test('a customer who blocked the bot gets nothing, and the message says so until it is sent again', async () => {
  await using chats = await openChats()
  const { telegram, ben } = chats
  const chat = await chats.chat()
  const held = chat.bot.chats.get(chat.chatId)
  if (held) held.isBlocked = true
  const id = await chats.reply(chat, 'Hello')
  expect(await chats.until(chat, id, 'failed')).toMatchObject({ sendError: 'The customer blocked the bot.' })
  const { reply } = await readThread(ben, chat.ticketId)
  expect(reply.problem).toEqual({ reason: 'Ana blocked the bot.', effect: 'fails' })
  if (held) held.isBlocked = false
  const path = `/console/tickets/${chat.ticketId}/messages/${id}/resend`
  const to = [{ address: 'ana@example.com' }]
  expect((await ben.call('POST', path, { body: { to } })).json).toMatchObject({
    errors: [{ pointer: '/to' }],
  })
  expect((await ben.call('POST', path, { body: {} })).status).toBe(204)
  using _ = letRunFast(chats.clock)
  await chats.until(chat, id, 'sent')
  expect(chats.texts(chat)).toEqual(['Hello'])
  expect((await readThread(ben, chat.ticketId)).reply.problem).toBeUndefined()
  expect(telegram.requests('sendMessage')).toBe(2)
})

const REFUSALS: [code: number, description: string, shown: string][] = [
  [400, 'Bad Request: chat not found', 'This chat no longer exists in Telegram.'],
  [403, "Forbidden: bot can't send messages to bots", "Telegram says: bot can't send messages to bots"],
  [400, 'Bad Request: TOPIC_CLOSED', 'Telegram says: TOPIC_CLOSED'],
]

test('what Telegram refuses fails at once, in plain words or its own', async () => {
  await using chats = await openChats()
  using _ = letRunFast(chats.clock)
  const chat = await chats.chat()
  for (const [code, description, sendError] of REFUSALS) {
    chats.telegram.fail({ code, description }, { times: 1, method: 'sendMessage' })
    expect(await chats.until(chat, await chats.reply(chat, 'Hello'), 'failed')).toMatchObject({ sendError })
  }
  expect(chats.telegram.requests('sendMessage')).toBe(REFUSALS.length)
})

test('a bot that is removed sends nothing more, and goes on with its chats when it is added again', async () => {
  await using chats = await openChats()
  const { ben, botId, bot } = chats
  const chat = await chats.chat()
  await ben.call('POST', `/console/bots/${botId}/pause`)
  const id = await chats.reply(chat, 'Hello')
  expect((await ben.call('DELETE', `/console/bots/${botId}`)).status).toBe(204)
  const reason = `The bot @${bot.me.username} was removed.`
  expect(await chats.until(chat, id, 'failed')).toMatchObject({ sendError: reason })
  expect((await readThread(ben, chat.ticketId)).reply).toEqual({
    by: 'nothing',
    undoSeconds: 10,
    chat: { bot: `@${bot.me.username}`, name: 'Ana', username: 'ana' },
    problem: { reason, effect: 'fails', setting: 'telegram' },
  })
  chats.clock.advance(60_000)
  expect(
    chats.bellhop.logLines.filter((line) => line.includes('"stack"') || line.includes('"level":"error"')),
  ).toEqual([])
  expect(await chats.message(chat, await chats.reply(chat, 'Hi'))).toMatchObject({
    sending: 'failed',
    sendError: reason,
  })

  const added = await ben.call<{ id: string }>('POST', '/console/bots', { body: { token: bot.token } })
  expect([added.status, added.json.id]).toEqual([201, botId])
  using _ = letRunFast(chats.clock)
  expect(
    (await ben.call('POST', `/console/tickets/${chat.ticketId}/messages/${id}/resend`, { body: {} })).status,
  ).toBe(204)
  await chats.until(chat, id, 'sent')
  chat.user.writes(bot, 'There you are')
  await eventually(async () => {
    await Bun.sleep(A_MOMENT_MS)
    return (await readThread(ben, chat.ticketId)).timeline.some(({ text }) => text === 'There you are')
  })
})

test('a problem of Telegram is tried again after 5 and 20 seconds, then like mail', async () => {
  await using chats = await openChats()
  const { clock, telegram } = chats
  const chat = await chats.chat()
  telegram.fail({ code: 502 }, { method: 'sendMessage', times: 3 })
  const id = await chats.reply(chat, 'Hello')
  for (const [number, wait] of [5, 20, 60].entries()) {
    const send = await eventually(async () => {
      const found = await chats.send(id)
      return found?.attempts === number + 1 && found.state === 'waiting' ? found : undefined
    })
    expect(send.dueAt).toBe(clock.now() + wait * SECOND)
    expect(send.error).toBe('Telegram returned an error (502).')
    clock.advance(wait * SECOND)
  }
  await chats.until(chat, id, 'sent')
  expect(chats.texts(chat)).toEqual(['Hello'])
})

test('a message that Telegram did not answer is repeated once', async () => {
  await using chats = await openChats()
  const { clock, telegram } = chats
  const [ana, other] = [await chats.chat(), await chats.chat()]
  const repeated = "Telegram didn't respond. The message may have arrived. Bellhop sends it once more."
  const unanswered = async (id: string) => {
    const send = await chats.send(id)
    return send?.state === 'waiting' && send.error === repeated
  }
  telegram.fail('answer lost', { method: 'sendMessage', chatId: ana.chatId, times: 1 })
  const lost = await chats.reply(ana, 'Hello')
  await eventually(() => unanswered(lost))
  expect(await chats.message(ana, lost)).toMatchObject({ sending: 'queued', sendError: repeated })
  clock.advance(30 * SECOND)
  await chats.until(ana, lost, 'sent')
  expect(chats.texts(ana)).toEqual(['Hello', 'Hello'])

  const fault = telegram.fail('hang', { method: 'sendMessage', chatId: other.chatId })
  const hanging = await chats.reply(other, 'Hello')
  await eventually(() => fault.count() === 1)
  clock.advance(30 * SECOND)
  await eventually(() => unanswered(hanging))
  clock.advance(30 * SECOND)
  await eventually(() => fault.count() === 2)
  clock.advance(30 * SECOND)
  expect(await chats.until(other, hanging, 'failed')).toMatchObject({
    sendError: "Telegram didn't respond, twice. The message may have arrived.",
  })
})

test('a refused token stops the bot, everything waits, and a new token sends it', async () => {
  await using chats = await openChats()
  const { telegram, ben, botId, bot, clock } = chats
  const [chat, other] = [await chats.chat(), await chats.chat()]
  const token = telegram.revokeToken(bot)
  const id = await chats.reply(chat, 'Hello')
  const sentence = `Telegram refused the token of the bot @${bot.me.username}. An administrator has to enter the current one.`
  await eventually(async () => (await chats.message(chat, id)).sendError === sentence)
  const later = await chats.reply(other, 'Hi')
  expect(await chats.message(other, later)).toMatchObject({ sending: 'queued', sendError: sentence })
  expect((await readThread(ben, other.ticketId)).reply.problem).toEqual({
    reason: sentence,
    effect: 'waits',
    setting: 'telegram',
    fix: { id: botId, by: 'reconnect' },
  })
  expect((await ben.call('GET', `/console/bots/${botId}`)).json).toMatchObject({ state: 'refused' })
  const answer = await ben.call('PATCH', `/console/bots/${botId}`, { body: { token } })
  expect(answer.status, answer.text).toBe(200)
  using _ = letRunFast(clock)
  await chats.until(chat, id, 'sent')
  await chats.until(other, later, 'sent')
})

test('a paused bot sends nothing until it is resumed', async () => {
  await using chats = await openChats()
  const { ben, botId, bot } = chats
  const chat = await chats.chat()
  expect((await ben.call('POST', `/console/bots/${botId}/pause`)).status).toBe(200)
  const id = await chats.reply(chat, 'Hello')
  await eventually(
    async () => (await chats.message(chat, id)).sendError === `The bot @${bot.me.username} is paused.`,
  )
  expect((await ben.call('POST', `/console/bots/${botId}/resume`)).status).toBe(200)
  await chats.until(chat, id, 'sent')
  expect(chats.texts(chat)).toEqual(['Hello'])
})

test('while Telegram cannot be reached everything waits, the bot says so, and it continues afterwards', async () => {
  const sockets = new Set<Socket>()
  const road = createServer()
  await using chats = await openChats({
    async rootOf({ root }) {
      road.on('connection', (socket) => {
        const there = connect(Number(new URL(root).port), '127.0.0.1')
        for (const end of [socket, there]) sockets.add(end.on('error', () => {}))
        socket.pipe(there).pipe(socket)
      })
      return `http://127.0.0.1:${await listenAt(road, reservePort())}`
    },
  })
  const { bellhop, clock, ben, botId } = chats
  const [ana, other] = [await chats.chat(), await chats.chat()]
  const bot = async () => (await ben.call<{ sendError: string | null }>('GET', `/console/bots/${botId}`)).json
  await chats.until(ana, await chats.reply(ana, 'Hello'), 'sent')
  road.close()
  for (const socket of sockets) socket.destroy()
  clock.advance(5 * SECOND)
  const waiting = [await chats.reply(ana, 'Again'), await chats.reply(other, 'Hi')]
  const sentence = "127.0.0.1 can't be reached."
  const isWaiting = async (id: string) => (await chats.send(id))?.error === sentence
  await eventually(async () => (await Promise.all(waiting.map(isWaiting))).every(Boolean))
  expect((await bot()).sendError).toBe(sentence)
  await listenAt(road, Number(new URL(bellhop.deps.config.telegramApi).port))
  using _ = letRunFast(clock)
  await eventually(() => chats.texts(other).length === 1 && chats.texts(ana).length === 2)
  await eventually(async () => {
    await Bun.sleep(A_MOMENT_MS)
    return (await bot()).sendError === null
  })
  road.close()
})

test('a name that cannot be resolved is said in a sentence, and the token is in no log', async () => {
  await using desk = await openDesk({ settings: () => ({ BELLHOP_TELEGRAM_API: 'http://telegram.invalid' }) })
  const { bellhop, acme, admin, telegram } = desk
  const bot = telegram.addBot()
  const botId = await insertBot(bellhop.deps, acme.orgId, bot)
  const { ticketId } = await openChat(bellhop.deps, { orgId: acme.orgId, telegram, bot, botId })
  const path = `/v1/tickets/${ticketId}/messages`
  expect((await admin.call('POST', path, { body: { text: 'Hello' } })).status).toBe(201)
  const message = await eventually(async () => {
    await Bun.sleep(A_MOMENT_MS)
    return (await readThread(admin, ticketId)).timeline.find(({ sendError }) => sendError)
  })
  expect(message).toMatchObject({ sending: 'queued', sendError: "telegram.invalid couldn't be resolved." })
  expect(bellhop.logLines.join()).toContain('send_failed')
  expect(bellhop.logLines.join()).not.toContain(bot.token.slice(bot.token.indexOf(':')))
})

function listenAt(server: Server, port: number): Promise<number> {
  return new Promise((resolve) =>
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    }),
  )
}
