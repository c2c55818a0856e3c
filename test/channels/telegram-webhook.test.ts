import { afterAll, beforeAll, expect, test } from 'bun:test'
import { systemClock } from '../../server/clock.ts'
import { call } from '../support/bellhop.ts'
import { reservePort } from '../support/mail/ports.ts'
import { type BotJson, type Desk, openDesk } from '../support/telegram.ts'
import { eventually } from '../support/webhooks.ts'

const SECRET_HEADER = 'x-telegram-bot-api-secret-token'

let desk: Desk
beforeAll(async () => {
  // Its address must be known before it starts.
  const port = reservePort()
  desk = await openDesk({
    clock: systemClock,
    settings: () => ({ PORT: String(port), BELLHOP_URL: `http://127.0.0.1:${port}` }),
  })
})
afterAll(() => desk[Symbol.asyncDispose]())

test('a bot receives by webhook when an administrator wants that, and by polling again later', async () => {
  const { telegram, admin } = desk
  const bot = telegram.addBot()
  const { id } = await desk.connect(bot, { receives: 'webhook' })
  await eventually(() => bot.queue.webhook)
  const { url = '', secret = '', maxConnections } = bot.queue.webhook ?? {}
  expect({ isOurs: url.startsWith(`${desk.bellhop.url}/telegram/`), maxConnections }).toEqual({
    isOurs: true,
    maxConnections: 1,
  })
  const ana = telegram.addUser()
  for (let at = 0; at < 15; at += 1) ana.writes(bot, `By webhook ${at}`)
  const [ticket] = await desk.ticketCount(1)
  const messages = await desk.messages(ticket?.id ?? '', 15)
  expect(messages.map(({ text }) => text)).toEqual(Array.from({ length: 15 }, (_, at) => `By webhook ${at}`))
  expect(telegram.requests('getUpdates')).toBe(0)
  const log = desk.bellhop.logLines.join('\n')
  expect(log).not.toContain(secret)
  expect(log).not.toContain(new URL(url).pathname)

  const changed = await admin.call('PATCH', `/console/bots/${id}`, { body: { receives: 'polling' } })
  expect(changed.status, changed.text).toBe(200)
  await eventually(() => bot.queue.webhook === undefined && bot.queue.isPolled)
  ana.writes(bot, 'By polling')
  await desk.messages(ticket?.id ?? '', 16)
})

test('only Telegram can deliver, and nothing that it delivers is sent again and again', async () => {
  const { telegram } = desk
  const bot = telegram.addBot()
  const { id } = await desk.connect(bot, { receives: 'webhook' })
  await eventually(() => bot.queue.webhook)
  const { url = '', secret = '' } = bot.queue.webhook ?? {}
  const update = {
    update_id: 1,
    message: { message_id: 1, chat: { id: 1, type: 'private' }, text: 'Forged' },
  }
  const deliver = (headers: Record<string, string>, raw = JSON.stringify(update), to = url) =>
    call('POST', to, { raw, headers })
  expect((await deliver({})).status).toBe(404)
  expect((await deliver({ [SECRET_HEADER]: `${secret}x` })).status).toBe(404)
  expect((await deliver({ [SECRET_HEADER]: secret }, undefined, `${url}x`)).status).toBe(404)
  expect((await desk.bot(id)).lastUpdateAt).toBeNull()
  const authentic = { [SECRET_HEADER]: secret }
  const odd = ['{', '[]', 'null', '"text"', '{"update_id":5,"message":{"text":"\\u0000"}}', '{"a":{"b":1}}']
  for (const raw of odd) expect([raw, (await deliver(authentic, raw)).status]).toEqual([raw, 204])
  expect((await deliver(authentic, `{"x":"${'y'.repeat(300_000)}"}`)).status).toBe(204)
  // All of them, and the one that was too large.
  await eventually(async () => (await desk.bot(id)).unknownUpdates === odd.length + 1)
  const ana = telegram.addUser()
  ana.writes(bot, 'After the odd ones')
  await eventually(async () => (await desk.tickets()).some(({ subject }) => subject === 'After the odd ones'))

  await desk.admin.call<BotJson>('POST', `/console/bots/${id}/pause`)
  expect((await deliver(authentic)).status).toBe(503)
  await desk.admin.call('DELETE', `/console/bots/${id}`)
  expect((await deliver(authentic)).status).toBe(404)
  expect(bot.queue.webhook).toBeUndefined()
})
