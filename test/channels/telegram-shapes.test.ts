import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createBotApi } from '../../server/channels/telegram/bot-api/bot-api.ts'
import { systemClock } from '../../server/clock.ts'
import { startTelegram } from '../../server/demo/telegram/telegram-server.ts'
import { temporaryFolder } from '../support/folder.ts'
import { PNG } from '../support/images.ts'

const MODULES = join(import.meta.dir, '../../node_modules')

/** What the compiler says about values that are to have these types of `@grammyjs/types`. */
async function faultsOf(values: [type: string, value: unknown][]): Promise<string> {
  const folder = temporaryFolder('shapes')
  const lines = values.map(([type, value], at) => `export const v${at}: Api.${type} = ${literalOf(value)}`)
  const types = join(MODULES, '@grammyjs/types/mod.d.ts')
  await Bun.write(join(folder, 'values.ts'), `import type * as Api from '${types}'\n${lines.join('\n')}\n`)
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--allowImportingTsExtensions',
    '--target',
    'esnext',
  ]
  const child = Bun.spawn(
    [process.execPath, join(MODULES, 'typescript/bin/tsc'), ...options, '--types', '', 'values.ts'],
    { cwd: folder, stdout: 'pipe', stderr: 'pipe' },
  )
  return (await new Response(child.stdout).text()) + (await new Response(child.stderr).text())
}

/** As an object of TypeScript. The types want a field that JSON can't have, to say that replies are not nested. */
function literalOf(value: unknown): string {
  const isReply = (name: string, one: unknown) => name === 'reply_to_message' && typeof one === 'object'
  return JSON.stringify(value, (name, one) =>
    isReply(name, one) ? { ...one, reply_to_message: 'UNDEFINED' } : one,
  ).replaceAll('"UNDEFINED"', 'undefined')
}

test('what the stand-in answers and delivers has the documented shapes', async () => {
  const telegram = await startTelegram({ clock: systemClock, limits: NO_LIMITS })
  const api = createBotApi({ clock: systemClock, root: telegram.root })
  const bot = telegram.addBot()
  const { token } = bot
  const ana = telegram.addUser({ first_name: 'Ana', last_name: 'P', username: 'ana_p', language_code: 'de' })
  const chat_id = ana.id
  const written = ana.writes(bot, 'Hello')
  ana.presses(bot)
  ana.edits(bot, written.message_id, { text: 'Hello again' })
  ana.sends(bot, { contact: { phone_number: '1', first_name: 'M' } })
  ana.sendsTo(bot, telegram.addGroup('Group'), { text: 'Hi' })
  ana.blocks(bot)
  ana.unblocks(bot)
  const upload = (field: string, name: string, type: string) => {
    const open = async function* () {
      yield PNG
    }
    return { field, name, type, size: PNG.byteLength, open }
  }
  const [png, pdf] = [upload('a', 'a.png', 'image/png'), upload('b', 'b.pdf', 'application/pdf')]
  const entities = [{ type: 'bold' as const, offset: 0, length: 2 }]
  const text = await api.call(token, 'sendMessage', {
    chat_id,
    text: 'Hi Ana',
    entities,
    reply_parameters: { message_id: written.message_id },
  })
  const file = await api.call(token, 'sendDocument', { chat_id, document: 'attach://b' }, { files: [pdf] })
  const media = [
    { type: 'photo' as const, media: 'attach://a', caption: 'One' },
    { type: 'photo' as const, media: 'attach://b' },
  ]
  const album = await api.call(token, 'sendMediaGroup', { chat_id, media }, { files: [png, pdf] })
  const values: [string, unknown][] = [
    ['UserFromGetMe', await api.call(token, 'getMe', undefined)],
    ['WebhookInfo', await api.call(token, 'getWebhookInfo', undefined)],
    ['Message', text],
    ['Message', file],
    ['Message', await api.call(token, 'sendPhoto', { chat_id, photo: 'attach://a' }, { files: [png] })],
    ['Message', await api.call(token, 'sendVoice', { chat_id, voice: 'attach://b' }, { files: [pdf] })],
    ['Message', await api.call(token, 'sendVideo', { chat_id, video: 'attach://b' }, { files: [pdf] })],
    ['Message', await api.call(token, 'sendAudio', { chat_id, audio: 'attach://b' }, { files: [pdf] })],
    ...album.map((part): [string, unknown] => ['Message', part]),
    ['File', await api.call(token, 'getFile', { file_id: file.document?.file_id ?? '' })],
    [
      'Message',
      await api.call(token, 'editMessageText', { chat_id, message_id: text.message_id, text: 'Hello Ana' }),
    ],
    ['Update[]', await api.call(token, 'getUpdates', {})],
    ['ApiError', await (await fetch(`${telegram.root}/bot1:x/getMe`)).json()],
  ]
  api.close()
  await telegram.close()
  expect(values).toHaveLength(14)
  expect(await faultsOf(values)).toBe('')
  // The compiler would say so.
  expect(
    await faultsOf([['Message', { message_id: 'one', date: 1, chat: { id: 1, type: 'private' }, odd: 1 }]]),
  ).toContain('values.ts')
})

const NO_LIMITS = { perChat: { burst: 100, everyMs: 1 }, perBot: { burst: 100, everyMs: 1 } }
