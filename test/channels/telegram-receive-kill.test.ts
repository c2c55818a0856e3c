import { expect, test } from 'bun:test'
import { eq, ne } from 'drizzle-orm'
import { startTelegramReceiving } from '../../server/channels/telegram/start-telegram.ts'
import { systemClock } from '../../server/clock.ts'
import { bots, telegramUpdates } from '../../server/database/tables/bots.ts'
import { messages } from '../../server/database/tables/messages.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { startTelegram } from '../../server/demo/telegram/telegram-server.ts'
import { insertBot } from '../support/chats.ts'
import { freshPlace } from '../support/engine.ts'
import { killedLives } from '../support/killed-program.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

const KILLS = 20
const MAX_LIFE_MS = 200
const MAX_TEST_MS = 120_000
const UPDATES = 1_000
/** So many that no chat reaches its limit, which every life begins anew. */
const PEOPLE = 100
/** Each update is delivered twice, the second time below the offset that has confirmed it. */
const DELIVERIES = 2

test(
  'a server that is killed while it receives from Telegram stores each message once, in the order of its chat',
  async () => {
    const telegram = await startTelegram({ clock: systemClock, deliveries: DELIVERIES, maxPollMs: 2_000 })
    const place = await freshPlace()
    const settings = { ...place, BELLHOP_TELEGRAM_API: telegram.root }
    await using webhooks = await openWebhooks({ place, settings })
    const { deps, orgId } = webhooks
    const bot = telegram.addBot()
    const botId = await insertBot(deps, orgId, bot)
    const people = Array.from({ length: PEOPLE }, (_, at) => telegram.addUser({ first_name: `Person ${at}` }))
    let written = 0
    function write(howMany: number): void {
      for (let left = howMany; left > 0 && written < UPDATES; left -= 1, written += 1) {
        people[written % PEOPLE]?.writes(bot, `Message ${written}`)
      }
    }

    write(UPDATES / KILLS)
    const lives = killedLives({
      program: `${import.meta.dir}/programs/receive-updates.ts`,
      args: [],
      env: { ...process.env, ...settings },
      kills: KILLS,
      longestLifeMs: MAX_LIFE_MS,
      firstWord: 'taken in',
    })
    const stored: number[] = []
    for await (const _ of lives) {
      write(UPDATES / KILLS)
      const rows = await deps.database.read.select({ id: messages.id }).from(messages)
      stored.push(rows.length)
    }
    write(UPDATES)
    // Kills in the middle of the work are what this test is about.
    expect(stored.filter((count) => count > 0 && count < UPDATES).length).toBeGreaterThan(KILLS / 4)

    const receiving = startTelegramReceiving(deps)
    await eventually(() => bot.queue.size === 0)
    const pending = () =>
      deps.database.read
        .select({ id: telegramUpdates.id })
        .from(telegramUpdates)
        .where(eq(telegramUpdates.state, 'pending'))
    // A busy machine is given its time for each half of what is left.
    const half = (await pending()).length / 2
    await eventually(async () => (await pending()).length <= half)
    await eventually(async () => (await pending()).length === 0)
    await receiving.stop()
    await telegram.close()

    const all = await deps.database.read
      .select({ ticketId: messages.ticketId, text: messages.text })
      .from(messages)
      .where(eq(messages.orgId, orgId))
      .orderBy(messages.id)
    expect(all).toHaveLength(UPDATES)
    expect(new Set(all.map(({ text }) => text)).size).toBe(UPDATES)
    const byTicket = Map.groupBy(all, ({ ticketId }) => ticketId)
    expect(byTicket.size).toBe(PEOPLE)
    for (const [, inTicket] of byTicket) {
      const numbers = inTicket.map(({ text }) => Number(text.slice('Message '.length)))
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
      expect(new Set(numbers.map((number) => number % PEOPLE)).size).toBe(1)
    }
    expect(await deps.database.read.select({ id: tickets.id }).from(tickets)).toHaveLength(PEOPLE)
    const unfinished = await deps.database.read
      .select({ state: telegramUpdates.state, raw: telegramUpdates.raw })
      .from(telegramUpdates)
      .where(ne(telegramUpdates.state, 'done'))
    // The second deliveries.
    expect(unfinished.every(({ state, raw }) => state === 'ignored' && raw === null)).toBe(true)
    const [{ offset, state } = { offset: -1, state: '' }] = await deps.database.read
      .select({ offset: bots.offset, state: bots.state })
      .from(bots)
      .where(eq(bots.id, botId))
    expect({ isOffset: offset >= 0, state }).toEqual({ isOffset: true, state: 'active' })
  },
  MAX_TEST_MS,
)
