import { expect, test } from 'bun:test'
import { inArray } from 'drizzle-orm'
import { startOutbound } from '../../server/channels/start-outbound.ts'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import { sends } from '../../server/database/tables/sends.ts'
import { startTelegram } from '../../server/demo/telegram/telegram-server.ts'
import { openDeps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { insertBot, type OpenChat, openChat } from '../support/chats.ts'
import { freshPlace } from '../support/engine.ts'
import { killedLives } from '../support/killed-program.ts'
import { eventually } from '../support/webhooks.ts'

const KILLS = 20
const BOTS = 4
const CHATS_OF_BOT = 12
const MAX_LIFE_MS = 300
const LOOK_EVERY_MS = 5
/** Much less than the pause between two messages of a chat. */
const TO_BE_RECORDED_MS = 100
/** Of the first of two parts. */
const MIN_LONG_LENGTH = 1_000
const MAX_TEST_MS = 120_000
/** More than any test sends: each process counts anew. */
const UNLIMITED = { burst: 1_000_000, everyMs: 1 }
/** A part of an answer: its word, and which part it is. */
const PART = /^([0-9a-f-]{36} [12])/

test(
  'whenever the process is killed, every answer arrives whole, and each part at most once more for each kill',
  async () => {
    const telegram = await startTelegram({
      clock: systemClock,
      limits: { perChat: UNLIMITED, perBot: UNLIMITED },
    })
    const place = { ...(await freshPlace()), BELLHOP_TELEGRAM_API: telegram.root }
    const log = createLog('error', false, () => {}, Date.now)
    const deps = await openDeps(readConfig(place), { log })
    const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
    const chats: OpenChat[] = []
    for (let number = 0; number < BOTS; number++) {
      const bot = telegram.addBot()
      const botId = await insertBot(deps, orgId, bot)
      for (let of = 0; of < CHATS_OF_BOT; of++)
        chats.push(await openChat(deps, { orgId, telegram, bot, botId }))
    }
    const inState = (...states: ('sending' | 'waiting')[]) =>
      deps.database.read.select({ content: sends.content }).from(sends).where(inArray(sends.state, states))
    const isBetween = ({ bot, chatId }: OpenChat) =>
      (telegram.sent(bot, chatId).at(-1)?.text ?? '').length > MIN_LONG_LENGTH
    /** A chat gets the first part of an answer. The second follows a second later. */
    async function betweenTwoParts(): Promise<void> {
      const known = new Set(chats.filter(isBetween))
      while (!chats.some((chat) => !known.has(chat) && isBetween(chat))) await Bun.sleep(LOOK_EVERY_MS)
      await Bun.sleep(TO_BE_RECORDED_MS)
    }
    const acknowledged: string[] = []
    let interrupted = 0
    let betweenParts = 0
    const lives = killedLives({
      program: `${import.meta.dir}/programs/send-chats.ts`,
      args: [orgId],
      env: { ...process.env, ...place },
      kills: KILLS,
      longestLifeMs: MAX_LIFE_MS,
      firstWord: 'ready\n',
      moment: betweenTwoParts,
    })
    for await (const [, ...said] of lives) {
      for (const line of said) {
        const [word = '', parts] = line.split(' ')
        acknowledged.push(...[`${word} 1`, `${word} 2`].slice(0, Number(parts)))
      }
      const sending = await inState('sending')
      interrupted += sending.length
      betweenParts += sending.filter(({ content }) => 'done' in content && content.done.length > 0).length
    }
    expect(acknowledged.length).toBeGreaterThan(0)
    // Otherwise no kill happened at a moment that matters.
    expect([interrupted > 0, betweenParts > 0]).toEqual([true, true])

    const loop = startOutbound(deps)
    await eventually(async () => {
      await Bun.sleep(50)
      return (await inState('sending', 'waiting')).length === 0
    })
    await loop.stop()
    const arrived = chats.map(({ bot, chatId }) =>
      telegram.sent(bot, chatId).map(({ text = '' }) => PART.exec(text)?.[1] ?? text),
    )
    const copies = Map.groupBy(arrived.flat(), (part) => part)
    expect(new Set(acknowledged).difference(new Set(copies.keys())).size).toBe(0)
    expect([...copies.keys()].every((part) => PART.test(part))).toBe(true)
    for (const each of copies.values()) expect(each.length).toBeLessThanOrEqual(1 + KILLS)
    // Only what was on its way at a kill can arrive twice.
    expect(arrived.flat().length - copies.size).toBeLessThanOrEqual(interrupted)
    // And one more for each kill of each chat.
    for (const parts of arrived) expect(parts.length - new Set(parts).size).toBeLessThanOrEqual(KILLS)
    // In the order they were written: no second part before the first one, or after another answer.
    for (const parts of arrived) {
      const inOrder = parts.filter((part, at) => part !== parts[at - 1])
      for (const [at, part] of inOrder.entries()) {
        if (part.endsWith(' 2')) expect(inOrder[at - 1]).toBe(part.replace(/2$/, '1'))
      }
    }
    expect(
      await deps.database.read
        .select()
        .from(sends)
        .where(inArray(sends.state, ['failed'])),
    ).toEqual([])
    await telegram.close()
    await deps.database.close()
  },
  MAX_TEST_MS,
)
