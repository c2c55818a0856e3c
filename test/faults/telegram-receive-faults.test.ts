import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { createBotApi } from '../../server/channels/telegram/bot-api/bot-api.ts'
import { systemClock } from '../../server/clock.ts'
import { bots } from '../../server/database/tables/bots.ts'
import { messages } from '../../server/database/tables/messages.ts'
import type { Deps } from '../../server/deps.ts'
import { insertBot, letRunFast } from '../support/chats.ts'
import { createManualClock } from '../support/clock.ts'
import { type Desk, openDesk } from '../support/telegram.ts'
import { readThread } from '../support/threads.ts'
import { eventually } from '../support/webhooks.ts'

// What happens to incoming messages when Telegram, the network, or this server has a problem. Time passes only when a test
// lets it.

const SECOND = 1_000
const HOUR = 3_600 * SECOND

async function openAt(): Promise<Desk & { clock: ReturnType<typeof createManualClock> }> {
  const clock = createManualClock(Date.parse('2026-03-02T09:00:00.000Z'))
  const desk = await openDesk({ clock, telegram: { maxPollMs: 5 * SECOND } })
  return Object.assign(desk, { clock })
}

const CASES: [name: string, fault: Parameters<Desk['telegram']['fail']>[0], sentence: string][] = [
  ['has a problem of its own', { code: 502 }, 'Telegram returned an error (502).'],
  ['cuts the connection', 'cut', 'The connection to Telegram was lost.'],
]

test.each(CASES)(
  'when Telegram %s, the bot says so and continues when it can',
  async (_name, fault, sentence) => {
    await using desk = await openAt()
    const { clock, telegram } = desk
    const bot = telegram.addBot()
    using _running = letRunFast(clock)
    const { id } = await desk.connect(bot)
    const planned = telegram.fail(fault, { method: 'getUpdates' })
    telegram.addUser().writes(bot, 'Meanwhile')
    expect((await desk.botIn(id, 'failing')).detail).toBe(sentence)
    planned.end()
    expect(await desk.botIn(id, 'active')).toMatchObject({ receiveError: null })
    await desk.ticketCount(1)
  },
)

test('a poll that hangs is repeated', async () => {
  await using desk = await openAt()
  const { clock, telegram } = desk
  const bot = telegram.addBot()
  const running = letRunFast(clock)
  const { id } = await desk.connect(bot)
  const planned = telegram.fail('hang', { method: 'getUpdates', times: 2 })
  telegram.addUser().writes(bot, 'Before it hangs')
  await desk.ticketCount(1)
  await eventually(() => planned.count() > 0)
  telegram.addUser().writes(bot, 'While it hangs')
  expect((await desk.botIn(id, 'failing')).detail).toBe("Telegram didn't respond in time.")
  await desk.ticketCount(2)
  running[Symbol.dispose]()
})

test('a request is retried exactly when Telegram asks, and other bots continue', async () => {
  await using desk = await openAt()
  const { clock, telegram } = desk
  const [limited, other] = [telegram.addBot(), telegram.addBot()]
  const running = letRunFast(clock)
  const { id } = await desk.connect(limited)
  await desk.connect(other)
  const planned = telegram.fail(
    { code: 429, retryAfter: 30 },
    { method: 'getUpdates', token: limited.token, times: 1 },
  )
  const ana = telegram.addUser()
  ana.writes(limited, 'Wakes the poll')
  await eventually(() => planned.count() === 1)
  running[Symbol.dispose]()
  expect((await desk.botIn(id, 'failing')).detail).toBe('Telegram asked Bellhop to wait 30 seconds.')
  const asked = telegram.requests('getUpdates')
  ana.writes(limited, 'Has to wait')
  ana.writes(other, 'For the other bot')
  await eventually(async () => (await textsIn(desk.bellhop.deps)).includes('For the other bot'))
  clock.advance(20 * SECOND)
  await Bun.sleep(20)
  expect(await textsIn(desk.bellhop.deps)).not.toContain('Has to wait')
  expect(telegram.requests('getUpdates') - asked).toBeLessThan(5)
  clock.advance(11 * SECOND)
  await eventually(async () => (await textsIn(desk.bellhop.deps)).includes('Has to wait'))
  await desk.botIn(id, 'active')
})

test('when Telegram’s name has no address, bots say so, and so does connecting one', async () => {
  await using desk = await openDesk({
    settings: () => ({ BELLHOP_TELEGRAM_API: 'http://telegram.invalid' }),
  })
  const bot = desk.telegram.addBot()
  const sentence = "telegram.invalid couldn't be resolved."
  const refused = await desk.admin.call('POST', '/console/bots', { body: { token: bot.token } })
  expect([refused.status, refused.json]).toMatchObject([
    503,
    { code: 'telegram_unavailable', detail: sentence },
  ])
  const id = await insertBot(desk.bellhop.deps, desk.acme.orgId, bot)
  expect(await desk.botIn(id, 'failing')).toMatchObject({ detail: sentence, receiveError: sentence })
})

test('a refused token stops the bot until Telegram knows it again, and every administrator sees it', async () => {
  await using desk = await openAt()
  const { clock, telegram, admin } = desk
  const bot = telegram.addBot()
  using _running = letRunFast(clock)
  const { id } = await desk.connect(bot)
  const old = bot.token
  const renewed = telegram.revokeToken(bot)
  telegram.addUser().writes(bot, 'With the old token')
  expect((await desk.botIn(id, 'refused')).detail).toContain('Telegram refuses the token')
  const problems = await admin.call<{ data: { id: string; state: string }[] }>(
    'GET',
    '/console/bots/problems',
  )
  expect(problems.json.data).toMatchObject([{ id, state: 'refused' }])
  expect((await admin.call('PATCH', `/console/bots/${id}`, { body: { token: old } })).json).toMatchObject({
    errors: [{ pointer: '/token', code: 'token_refused' }],
  })
  const changed = await admin.call('PATCH', `/console/bots/${id}`, { body: { token: renewed } })
  expect(changed.status, changed.text).toBe(200)
  await desk.botIn(id, 'active')
  await desk.ticketCount(1)
})

test('the state says that another program gets the messages, and the bot continues when that has stopped', async () => {
  await using desk = await openAt()
  const { clock, telegram } = desk
  const bot = telegram.addBot()
  using _running = letRunFast(clock)
  const { id } = await desk.connect(bot)
  const other = createBotApi({ clock: systemClock, root: telegram.root })
  let isStopped = false
  const polling = (async () => {
    while (!isStopped) {
      await other.call(bot.token, 'getUpdates', { timeout: 50 }).catch(() => Bun.sleep(1))
    }
  })()
  const taken = await desk.botIn(id, 'taken')
  expect(taken.detail).toBe(
    "Another program is receiving this bot's messages. Stop it, or give this bot a new token.",
  )
  isStopped = true
  await desk.botIn(id, 'active')
  await polling
  other.close()
  telegram.addUser().writes(bot, 'Nobody else is there')
  await desk.ticketCount(1)
})

test('a webhook that was set elsewhere is shown, and removed with one request', async () => {
  await using desk = await openAt()
  const { clock, telegram, admin } = desk
  const bot = telegram.addBot()
  using _running = letRunFast(clock)
  bot.queue.webhook = { url: 'https://old.example/secret-path', secret: '', maxConnections: 40 }
  const made = await admin.call<{ id: string }>('POST', '/console/bots', { body: { token: bot.token } })
  const { id } = made.json
  telegram.addUser().writes(bot, 'Waits for the old program')
  const shown = await desk.botIn(id, 'webhook')
  expect(shown.detail).toContain('old.example')
  expect(JSON.stringify(shown)).not.toContain('secret-path')
  const removed = await admin.call('POST', `/console/bots/${id}/webhook/remove`)
  expect(removed.status, removed.text).toBe(200)
  await desk.botIn(id, 'active')
  await desk.ticketCount(1)
})

const OUT_OF_ORDER = [
  [30, 'Three'],
  [28, 'Four'],
  [29, 'Five'],
] as const

test('updates whose ids start over, come out of order, or are older than the last ones are not lost', async () => {
  await using desk = await openAt()
  const { clock, telegram, admin } = desk
  const bot = telegram.addBot({ firstUpdateId: 900_000_000 })
  using _running = letRunFast(clock)
  const { id } = await desk.connect(bot)
  const ana = telegram.addUser()
  ana.writes(bot, 'One')
  const [ticket] = await desk.ticketCount(1)
  await eventually(async () => (await offsetOf(desk.bellhop.deps, id)) === 0)
  bot.queue.restartIdsAt(17)
  ana.writes(bot, 'Two')
  await desk.messages(ticket?.id ?? '', 2)
  await eventually(async () => (await offsetOf(desk.bellhop.deps, id)) === 0)
  // In one answer: what is below an id that was confirmed is gone in Telegram.
  await admin.call('POST', `/console/bots/${id}/pause`)
  await eventually(() => !bot.queue.isPolled)
  for (const [updateId, text] of OUT_OF_ORDER) {
    bot.queue.restartIdsAt(updateId)
    ana.writes(bot, text)
  }
  await admin.call('POST', `/console/bots/${id}/resume`)
  const received = await desk.messages(ticket?.id ?? '', 5)
  expect(received.map(({ text }) => text).sort()).toEqual(['Five', 'Four', 'One', 'Three', 'Two'])
})

test('after 30 hours without a connection, it says that Telegram kept only 24', async () => {
  await using desk = await openAt()
  const { clock, telegram, admin } = desk
  const bot = telegram.addBot()
  const running = letRunFast(clock)
  const { id } = await desk.connect(bot)
  const away = telegram.fail('cut', { method: 'getUpdates' })
  telegram.addUser().writes(bot, 'Wakes the poll')
  await desk.botIn(id, 'failing')
  running[Symbol.dispose]()
  clock.jump(30 * HOUR)
  telegram.addUser().writes(bot, 'In the last hours')
  away.end()
  using _again = letRunFast(clock)
  const found = await desk.ticketCount(2)
  expect(found.map(({ subject }) => subject)).toContain('In the last hours')
  const late = await desk.botIn(id, 'active')
  expect(late.missedSince).not.toBeNull()
  expect(late.detail).toBe(
    "Messages may be missing: Telegram keeps them for 24 hours, and Bellhop didn't fetch them for longer than that.",
  )
  const dismissed = await admin.call<{ missedSince: null }>('POST', `/console/bots/${id}/missed/dismiss`)
  expect(dismissed.json.missedSince).toBeNull()
})

const FILE_FAULTS: [name: string, fault: Parameters<Desk['telegram']['fail']>[0]][] = [
  ['cut in the middle', 'short'],
  ['refused', { code: 500 }],
  ['cut before it starts', 'cut'],
]

test.each(FILE_FAULTS)('a file whose download is %s follows its message', async (_name, fault) => {
  await using desk = await openAt()
  const { clock, telegram } = desk
  const bot = telegram.addBot()
  const running = letRunFast(clock)
  await desk.connect(bot)
  const planned = telegram.fail(fault, { method: 'download' })
  const file = telegram.addFile(new Uint8Array(200_000), { name: 'plan.pdf', type: 'application/pdf' })
  telegram.addUser().sends(bot, {
    caption: 'The plan',
    document: { file_id: file.id, file_unique_id: 'u', file_size: 200_000, file_name: 'plan.pdf' },
  })
  const [ticket] = await desk.ticketCount(1)
  running[Symbol.dispose]()
  const ticketId = ticket?.id ?? ''
  const [message] = await desk.messages(ticketId, 1)
  expect(message).toMatchObject({ text: 'The plan' })
  expect(message).not.toHaveProperty('attachments')
  const [missing] = message?.chat?.missingFiles ?? []
  expect(missing).toMatchObject({ name: 'plan.pdf', size: 200_000 })
  expect(missing?.reason).toEndWith('Bellhop tries again.')
  planned.end()
  using _again = letRunFast(clock)
  const complete = await eventually(async () => {
    const [found] = await desk.messages(ticketId, 1)
    return found?.attachments ? found : undefined
  })
  expect(complete.attachments).toMatchObject([{ name: 'plan.pdf', size: 200_000 }])
  expect(complete).not.toHaveProperty('telegram')
})

test('a file that never arrives is shown as failed, with its message', async () => {
  await using desk = await openAt()
  const { clock, telegram } = desk
  const bot = telegram.addBot()
  using _running = letRunFast(clock)
  await desk.connect(bot)
  telegram.fail('short', { method: 'download' })
  const wrong = telegram.addFile(new Uint8Array(100), { name: 'a.pdf', type: '' })
  telegram.addUser().sends(bot, {
    caption: 'Never complete',
    document: { file_id: wrong.id, file_unique_id: 'u', file_name: 'a.pdf' },
  })
  const [ticket] = await desk.ticketCount(1)
  // More than three hours pass in these steps.
  const reason = await eventually(async () => {
    clock.advance(HOUR / 4)
    const [message] = await desk.messages(ticket?.id ?? '', 1)
    const [missing] = message?.chat?.missingFiles ?? []
    return missing?.reason.endsWith('again.') ? undefined : missing?.reason
  })
  expect(reason).toBe('The download was interrupted.')
})

test('a file of 25 MB is named in the thread, and the customer learns why it did not arrive', async () => {
  await using desk = await openAt()
  const { clock, telegram, admin } = desk
  const bot = telegram.addBot()
  using _running = letRunFast(clock)
  await desk.connect(bot)
  const ana = telegram.addUser()
  const file_size = 25 * 1024 * 1024
  ana.sends(bot, {
    caption: 'My film',
    video: {
      file_id: 'f',
      file_unique_id: 'u',
      file_size,
      file_name: 'film.mp4',
      duration: 1,
      width: 1,
      height: 1,
    },
  })
  const [ticket] = await desk.ticketCount(1)
  const { timeline } = await readThread(admin, ticket?.id ?? '')
  expect(timeline).toMatchObject([
    {
      text: 'My film',
      chat: {
        missingFiles: [
          {
            name: 'film.mp4',
            size: file_size,
            reason: 'Telegram lets bots download files of up to 20 MB.',
          },
        ],
      },
    },
  ])
  await eventually(() => telegram.sent(bot, ana.id).length === 1)
  expect(telegram.sent(bot, ana.id)[0]?.text).toContain('“film.mp4” is too large')
  expect(telegram.requests('getFile')).toBe(0)
})

async function textsIn({ database }: Deps): Promise<string[]> {
  return (await database.read.select({ text: messages.text }).from(messages)).map(({ text }) => text)
}

async function offsetOf({ database }: Deps, id: string): Promise<number> {
  const [bot] = await database.read.select({ offset: bots.offset }).from(bots).where(eq(bots.id, id))
  return bot?.offset ?? -1
}
