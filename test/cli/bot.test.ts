import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import { bots } from '../../server/database/tables/bots.ts'
import type { Deps } from '../../server/deps.ts'
import { openDeps } from '../../server/open-deps.ts'
import { block } from '../docs/page.ts'
import { freshPlace } from '../support/engine.ts'
import { type Place, runProgram } from '../support/program.ts'
import { startTelegram, type TelegramServer } from '../support/telegram-server/telegram-server.ts'
import type { TelegramBot } from '../support/telegram-server/telegram-state.ts'

let telegram: TelegramServer
let place: Place
let deps: Deps
let bot: TelegramBot
let tokenFile: string

beforeAll(async () => {
  telegram = await startTelegram({ clock: systemClock })
  place = { ...(await freshPlace()), BELLHOP_TELEGRAM_API: telegram.root }
  deps = await openDeps(readConfig(place))
  bot = telegram.addBot({ username: 'acme_bot' })
  tokenFile = join(place.BELLHOP_DATA ?? '', 'bot-token.txt')
  writeFileSync(tokenFile, `${bot.token}\n`)
  await bellhop('setup', '--org', 'Acme', '--name', 'Ana', '--email', 'ana@example.com')
})

afterAll(async () => {
  // The administrator's own, which they delete: no token may be left anywhere.
  rmSync(tokenFile)
  await deps.database.close()
  await telegram.close()
})

function bellhop(...args: string[]) {
  return runProgram(place, args)
}

test('the guide’s command adds a bot, which is listed, shown, paused, resumed and removed', async () => {
  const example = block('sh', 'bellhop bot add').trim().replace('bot-token.txt', tokenFile)
  const [, ...args] = example.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? []
  const added = await bellhop(...args)
  expect(added).toEqual({ code: 0, out: expect.stringMatching(/^bot_\w{26}\n$/), err: '' })
  const id = added.out.trim()
  const [stored] = await deps.database.read.select().from(bots).where(eq(bots.id, id))
  expect(stored).toMatchObject({ name: 'Acme Support', username: 'acme_bot', state: 'active' })
  expect(deps.encryption.decrypt(stored?.token ?? new Uint8Array(), id)).toBe(bot.token)

  const listed = JSON.parse((await bellhop('bot', 'list', '--org', 'Acme', '--json')).out)
  expect(listed).toEqual([
    expect.objectContaining({ id, state: 'connecting', detail: expect.stringMatching(/\.$/) }),
  ])
  expect((await bellhop('bot', 'list', '--org', 'Acme')).out).toContain('@acme_bot')
  const shown = await bellhop('bot', 'show', id)
  expect(shown.out).toContain('@acme_bot')
  expect(shown.out).toContain('0 to process, 0 to send')
  const text = `${added.out}${JSON.stringify(listed)}${shown.out}`
  expect(text).not.toContain(bot.token)

  expect((await bellhop('bot', 'pause', id)).out).toBe(`${id} is paused.\n`)
  expect(JSON.parse((await bellhop('bot', 'show', id, '--json')).out).state).toBe('paused')
  expect((await bellhop('bot', 'resume', id)).out).toBe(`${id} is active.\n`)
  expect((await bellhop('bot', 'remove', id)).out).toBe(`Removed ${id}.\n`)
  expect((await bellhop('bot', 'list', '--org', 'Acme')).out).toContain('No bots yet.')
  // A removed bot can be added again.
  const again = await bellhop(...args, '--json')
  expect(JSON.parse(again.out)).toMatchObject({ username: 'acme_bot', state: 'connecting' })
})

test('a file that is missing, empty, or holds no token is refused without its content', async () => {
  const add = (file: string) => bellhop('bot', 'add', '--org', 'Acme', '--name', 'X', '--token-file', file)
  expect(await add('/nowhere')).toMatchObject({ code: 2, err: 'Can\'t read the token file "/nowhere".\n' })
  const empty = join(place.BELLHOP_DATA ?? '', 'empty')
  writeFileSync(empty, '\n')
  expect(await add(empty)).toMatchObject({ code: 2, err: `The token file "${empty}" is empty.\n` })
  const wrong = join(place.BELLHOP_DATA ?? '', 'wrong')
  const secret = '7000000099:AAHsecretsecretsecretsecretsecretse'
  writeFileSync(wrong, secret)
  const refused = await add(wrong)
  expect(refused.code).toBe(1)
  expect(refused.err).not.toContain(secret)
  expect(refused.err).toStartWith('--token-file: ')
  // One bot belongs to one organization.
  await bellhop('setup', '--org', 'Beta', '--name', 'Bo', '--email', 'bo@example.com')
  const taken = await bellhop('bot', 'add', '--org', 'Beta', '--name', 'X', '--token-file', tokenFile)
  expect(taken).toMatchObject({ code: 1, err: expect.stringContaining('in another organization') })
  expect(refused.err.trim().split('\n')).toHaveLength(1)
})
