import { afterAll, expect, test } from 'bun:test'
import { systemClock } from '../../server/clock.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock, letRun } from '../support/clock.ts'
import { startTelegram } from '../support/telegram-server/telegram-server.ts'
import { openWidget } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const clock = createManualClock(Date.now())
const running = letRun(clock)
const telegram = await startTelegram({ clock: systemClock, maxPollMs: 300 })
const bellhop = await startBellhop({ clock, settings: { BELLHOP_TELEGRAM_API: telegram.root } })
afterAll(async () => {
  running[Symbol.dispose]()
  await bellhop.stop()
  await telegram.close()
})

/** A widget that leads to a bot, with a visitor who has written. */
async function visited() {
  const { orgId } = await bellhop.organization('Acme')
  const ben = await signInAgent(bellhop, orgId, { role: 'admin' })
  const bot = telegram.addBot()
  const added = await ben.call<{ id: string }>('POST', '/console/bots', { body: { token: bot.token } })
  expect(added.status, added.text).toBe(201)
  const widget = await openWidget(bellhop, orgId)
  const change = (telegramBotId: string) =>
    ben.call('PATCH', `/console/widgets/${widget.id}`, { body: { telegramBotId } })
  expect((await change(added.json.id)).status).toBe(200)
  const visitor = await widget.visit()
  const { conversation } = await visitor.say('Which plan is right for us?')
  const link = () =>
    visitor.call<{ url: string; code: string }>('POST', `/conversations/${conversation.id}/telegram`)
  return { ben, bot, botId: added.json.id, widget, visitor, ticketId: conversation.id, link, change }
}

interface Message {
  role: string
  text: string
}

test('a conversation of the website continues in Telegram, in the same ticket', async () => {
  const { ben, bot, widget, visitor, ticketId, link } = await visited()
  expect((await widget.call('GET', '/settings')).json).toMatchObject({ telegram: true })
  const { url } = (await link()).json
  const [, username, token = ''] = /^https:\/\/t\.me\/(\w+)\?start=([\w-]{1,64})$/.exec(url) ?? []
  expect(username).toBe(bot.me.username)
  const zoe = telegram.addUser({ first_name: 'Zoë' })
  zoe.presses(bot, token)
  await eventually(() => telegram.sent(bot, zoe.id).length > 0)
  zoe.writes(bot, 'Now I am here')
  const messages = async () =>
    (await ben.call<{ messages: Message[] }>('GET', `/v1/tickets/${ticketId}`)).json.messages
  await eventually(async () => {
    await Bun.sleep(50)
    return (await messages()).some(({ text }) => text === 'Now I am here')
  })
  expect((await messages()).map(({ role, text }) => [role, text])).toEqual([
    ['customer', 'Which plan is right for us?'],
    ['customer', 'Now I am here'],
  ])
  const path = `/tickets/${ticketId}/messages`
  const { json: answer } = await ben.call<{ id: string }>('POST', `/v1${path}`, { body: { text: 'Plan B.' } })
  const isInChat = () => telegram.sent(bot, zoe.id).some(({ text }) => text === 'Plan B.')
  const inWidget = async () => (await visitor.messages(ticketId)).messages.map(({ text }) => text)
  await eventually(isInChat)
  expect(await inWidget()).toContain('Plan B.')
  await eventually(async () => {
    await Bun.sleep(50)
    return (await ben.call('DELETE', `/console${path}/${answer.id}`)).status === 204
  })
  await eventually(() => !isInChat())
  expect(await inWidget()).not.toContain('Plan B.')

  // The link is used up, for this chat and for others.
  expect(await link()).toMatchObject({ status: 409, json: { code: 'telegram_not_offered' } })
  const other = telegram.addUser({ first_name: 'Other' })
  other.presses(bot, token)
  other.writes(bot, 'I want to see it too')
  await eventually(async () => {
    await Bun.sleep(50)
    const all = await ben.call<{ meta: { total: number } }>('GET', '/v1/tickets')
    return all.json.meta.total === 2
  })
  expect((await messages()).map(({ text }) => text)).not.toContain('I want to see it too')
})

test('a link works for an hour, with its own bot, and leads nowhere when it was changed', async () => {
  const { ben, bot, ticketId, link } = await visited()
  const tokenOf = async () => /start=(.*)$/.exec((await link()).json.url)?.[1] ?? ''
  const changed = (await tokenOf()).replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  const old = await tokenOf()
  clock.advance(3_600_001)
  const foreign = await visited()
  const wrong: [typeof bot, string][] = [
    [bot, changed],
    [bot, old],
    [foreign.bot, await tokenOf()],
  ]
  for (const [to, token] of wrong) {
    const user = telegram.addUser({ first_name: 'Mallory' })
    user.presses(to, token)
    user.writes(to, `With ${token}`)
    await eventually(() => telegram.sent(to, user.id).length > 0)
  }
  await Bun.sleep(300)
  const { json } = await ben.call<{ messages: Message[] }>('GET', `/v1/tickets/${ticketId}`)
  expect(json.messages.map(({ text }) => text)).toEqual(['Which plan is right for us?'])
})

test('a link needs a bot that works, and a bot of the organization', async () => {
  const { ben, botId, link, change, widget } = await visited()
  const foreign = await visited()
  expect(await change(foreign.botId)).toMatchObject({ status: 400 })
  await ben.call('POST', `/console/bots/${botId}/pause`)
  expect((await link()).status).toBe(409)
  expect((await change('')).status).toBe(200)
  expect((await widget.call('GET', '/settings')).json).toMatchObject({ telegram: false })
  expect((await link()).status).toBe(409)
})
