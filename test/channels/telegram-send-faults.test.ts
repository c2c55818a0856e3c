import { expect, test } from 'bun:test'
import { insertNotice } from '../../server/sends/telegram/plan-telegram.ts'
import { letRunFast, openChats } from '../support/chats.ts'
import { readThread } from '../support/threads.ts'
import { eventually } from '../support/webhooks.ts'

// What happens to an agent's message when Telegram, the customer, or the network has a problem.

const SECOND = 1_000
/** Long enough for a message that must not come. */
const A_MOMENT_MS = 30

test('Telegram is asked again exactly when it said, and other chats go on', async () => {
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
    sendError: 'Telegram asks to wait 30 seconds.',
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

test('when two chats of a bot have to wait, all of them do, and other bots go on', async () => {
  await using chats = await openChats()
  const { clock, telegram, bot } = chats
  const second = await chats.addBot()
  const all = await Promise.all(Array.from({ length: 6 }, () => chats.chat()))
  const fault = telegram.fail({ code: 429, retryAfter: 30 }, { method: 'sendMessage', token: bot.token })
  for (const chat of all.slice(0, 2)) await chats.reply(chat, 'Hello')
  await eventually(() => fault.count() === 2)
  for (const chat of all.slice(2)) await chats.reply(chat, 'Hello')
  const elsewhere = await chats.chat(second)
  await chats.until(elsewhere, await chats.reply(elsewhere, 'Hello'), 'sent')
  await Bun.sleep(A_MOMENT_MS)
  expect(fault.count()).toBe(2)
  fault.end()
  clock.advance(30 * SECOND - 1)
  await Bun.sleep(A_MOMENT_MS)
  expect(all.flatMap((chat) => chats.texts(chat))).toEqual([])
  clock.advance(1)
  await eventually(() => all.every((chat) => chats.texts(chat).length === 1))
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

test('a chat that Telegram does not know fails at once, in its words', async () => {
  await using chats = await openChats()
  const chat = await chats.chat()
  chats.telegram.fail(
    { code: 400, description: 'Bad Request: chat not found' },
    { times: 1, method: 'sendMessage' },
  )
  const id = await chats.reply(chat, 'Hello')
  expect(await chats.until(chat, id, 'failed')).toMatchObject({
    sendError: 'Telegram does not know this chat anymore.',
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
    expect(send.error).toBe('Telegram has a problem of its own (status 502).')
    clock.advance(wait * SECOND)
  }
  await chats.until(chat, id, 'sent')
  expect(chats.texts(chat)).toEqual(['Hello'])
})

test('a message that Telegram did not answer is repeated once', async () => {
  await using chats = await openChats()
  const { clock, telegram } = chats
  const [ana, other] = [await chats.chat(), await chats.chat()]
  const repeated = 'Telegram did not answer. The message may have arrived, and is sent once more.'
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
    sendError: 'Telegram did not answer twice. The message may have arrived.',
  })
})

test('a greeting is sent like a message, without one', async () => {
  await using chats = await openChats()
  const { bellhop, acme, bot, botId, telegram } = chats
  const chat = await chats.chat()
  telegram.fail({ code: 502 }, { method: 'sendMessage', times: 1 })
  const place = { orgId: acme.orgId, chatId: String(chat.chatId) }
  await bellhop.deps.database.write((tx) =>
    insertNotice(bellhop.deps, tx, {
      ...place,
      bot: { id: botId, username: bot.me.username, state: 'active' },
      text: 'How can *we* help?',
      format: 'markdown',
    }),
  )
  using _ = letRunFast(chats.clock)
  await eventually(() => chats.texts(chat).length === 1)
  expect(chats.texts(chat)).toEqual(['How can we help?'])
  expect((await readThread(chats.ben, chat.ticketId)).timeline).toHaveLength(1)
})
