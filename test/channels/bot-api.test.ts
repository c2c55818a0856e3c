import { afterAll, describe, expect, test } from 'bun:test'
import { createBotApi } from '../../server/channels/telegram/bot-api/bot-api.ts'
import { BotApiError } from '../../server/channels/telegram/bot-api/bot-api-error.ts'
import { systemClock } from '../../server/clock.ts'
import { startTelegram } from '../../server/demo/telegram/telegram-server.ts'
import { createManualClock } from '../support/clock.ts'
import { reservePort } from '../support/mail/ports.ts'

const telegram = await startTelegram({ clock: systemClock, maxPollMs: 2_000 })
const api = createBotApi({ clock: systemClock, root: telegram.root })
afterAll(async () => {
  api.close()
  await telegram.close()
})

const bytes = (size: number) => new Uint8Array(size).map((_, at) => at % 251)

async function failureOf(call: Promise<unknown>): Promise<BotApiError> {
  const failure = await call.then(
    () => undefined,
    (error) => error,
  )
  expect(failure).toBeInstanceOf(BotApiError)
  return failure
}

async function downloaded(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return new Uint8Array(Buffer.concat(parts))
}

/** A root where nothing listens. */
function closedRoot(): string {
  return `http://127.0.0.1:${reservePort()}`
}

describe('a request to the Bot API', () => {
  test('returns what Telegram answers', async () => {
    const bot = telegram.addBot({ username: 'parcelbird_bot' })
    expect(await api.call(bot.token, 'getMe', undefined)).toMatchObject({ username: 'parcelbird_bot' })
  })

  test('sends a message, which the user gets in the same chat', async () => {
    const bot = telegram.addBot()
    const ana = telegram.addUser({ first_name: 'Ana' })
    ana.writes(bot, 'Hello')
    const sent = await api.call(bot.token, 'sendMessage', { chat_id: ana.id, text: 'Hi Ana 👋' })
    expect(telegram.sent(bot, ana.id)).toEqual([sent])
    expect(sent.text).toBe('Hi Ana 👋')
  })

  test('uploads files as they are read, and downloads the same bytes', async () => {
    const bot = telegram.addBot()
    const ana = telegram.addUser()
    ana.writes(bot, 'Hello')
    const content = bytes(3 * 1024 * 1024)
    const open = async function* () {
      for (let start = 0; start < content.length; start += 100_000)
        yield content.subarray(start, start + 100_000)
    }
    const file = { field: 'f0', name: 'Bill "May".pdf', type: 'application/pdf', size: content.length, open }
    const sent = await api.call(
      bot.token,
      'sendDocument',
      { chat_id: ana.id, document: 'attach://f0', caption: 'Your bill' },
      { files: [file] },
    )
    expect(sent.document).toMatchObject({ file_size: content.length, mime_type: 'application/pdf' })
    const found = await api.call(bot.token, 'getFile', { file_id: sent.document?.file_id ?? '' })
    expect(await downloaded(api.download(bot.token, found.file_path ?? ''))).toEqual(content)
  })

  test('that Telegram refuses fails with its code and words', async () => {
    const bot = telegram.addBot()
    const error = await failureOf(api.call(bot.token, 'sendMessage', { chat_id: 1, text: 'Hello' }))
    expect(error).toMatchObject({ kind: 'answered', code: 400, description: 'Bad Request: chat not found' })
    expect(error.message).toBe('Telegram says: Bad Request: chat not found')
  })

  test('that comes too soon says how long to wait', async () => {
    // However long the messages take, no time passes between them.
    const still = await startTelegram({ clock: createManualClock() })
    const stillApi = createBotApi({ clock: systemClock, root: still.root })
    const bot = still.addBot()
    const ana = still.addUser()
    ana.writes(bot, 'Hello')
    const send = () => stillApi.call(bot.token, 'sendMessage', { chat_id: ana.id, text: 'Hi' })
    await send()
    await send()
    const error = await failureOf(send())
    expect(error).toMatchObject({
      code: 429,
      retryAfterMs: 1_000,
      message: 'Telegram asked Bellhop to wait 1 second.',
    })
    stillApi.close()
    await still.close()
  })

  test('is not sent if nothing listens or a name has no address', async () => {
    const { token } = telegram.addBot()
    const nobody = createBotApi({ clock: systemClock, root: closedRoot() })
    expect(await failureOf(nobody.call(token, 'getMe', undefined))).toMatchObject({
      kind: 'not_sent',
      message: "127.0.0.1 can't be reached.",
    })
    const resolve = async () => {
      throw new Error('ENOTFOUND')
    }
    const unknown = createBotApi({ clock: systemClock, root: 'https://api.telegram.example', resolve })
    expect(await failureOf(unknown.call(token, 'getMe', undefined))).toMatchObject({
      kind: 'not_sent',
      message: "api.telegram.example couldn't be resolved.",
    })
  })

  test('without an answer may have been done', async () => {
    const bot = telegram.addBot()
    const ana = telegram.addUser()
    ana.writes(bot, 'Hello')
    for (const fault of ['answer lost', 'hang'] as const) {
      using _fault = withFault(fault, { token: bot.token, method: 'sendMessage' })
      const sent = api.call(bot.token, 'sendMessage', { chat_id: ana.id, text: fault }, { timeoutMs: 2_000 })
      expect((await failureOf(sent)).kind).toBe('unanswered')
    }
    expect(telegram.sent(bot, ana.id).map(({ text }) => text)).toEqual(['answer lost'])
  })

  test('can be ended', async () => {
    const bot = telegram.addBot()
    const abort = new AbortController()
    const polling = api.call(bot.token, 'getUpdates', { timeout: 50 }, { signal: abort.signal })
    abort.abort()
    expect((await failureOf(polling)).kind).toBe('interrupted')
  })

  test('for a file that is cut fails, with its bytes so far', async () => {
    const bot = telegram.addBot()
    const file = telegram.addFile(bytes(400_000), { name: 'a.bin', type: 'application/octet-stream' })
    using _fault = withFault('short', { token: bot.token, method: 'download' })
    expect((await failureOf(downloaded(api.download(bot.token, file.path)))).message).toBe(
      'The connection to Telegram was lost.',
    )
  })

  test('never shows the token in an error, whatever happens', async () => {
    const bot = telegram.addBot()
    const faults = [
      'hang',
      'cut',
      'answer lost',
      { code: 500 },
      { code: 502, description: `at /bot${bot.token}` },
    ]
    const errors: BotApiError[] = []
    for (const fault of faults as Parameters<typeof telegram.fail>[0][]) {
      using _fault = withFault(fault, { token: bot.token })
      errors.push(await failureOf(api.call(bot.token, 'getMe', undefined, { timeoutMs: 200 })))
    }
    const nobody = createBotApi({ clock: systemClock, root: closedRoot() })
    errors.push(await failureOf(nobody.call(bot.token, 'getMe', undefined)))
    errors.push(await failureOf(downloaded(nobody.download(bot.token, 'files/a'))))
    errors.push(await failureOf(api.call(`${bot.token}x`, 'getMe', undefined)))
    errors.push(await failureOf(api.call(`${bot.token}/../x`, 'getMe', undefined)))
    expect(errors).toHaveLength(9)
    const [, secret = ''] = bot.token.split(':')
    for (const error of errors) {
      expect(`${Bun.inspect(error, { depth: 10 })} ${error.stack} ${JSON.stringify(error)}`).not.toContain(
        secret,
      )
    }
  })
})

describe('the stand-in for Telegram', () => {
  test('holds a poll until something arrives, and forgets what the next poll confirms', async () => {
    const bot = telegram.addBot({ firstUpdateId: 70 })
    const polling = api.call(bot.token, 'getUpdates', { timeout: 50 })
    telegram.addUser().writes(bot, 'First')
    expect((await polling).map(({ update_id }) => update_id)).toEqual([70])
    expect(await api.call(bot.token, 'getUpdates', {})).toHaveLength(1)
    expect(await api.call(bot.token, 'getUpdates', { offset: 71 })).toEqual([])
    expect(await api.call(bot.token, 'getUpdates', {})).toEqual([])
  })

  test('ends the poll of one program when another one asks', async () => {
    const bot = telegram.addBot()
    const first = failureOf(api.call(bot.token, 'getUpdates', { timeout: 50 }))
    while (!bot.queue.isPolled) await Bun.sleep(1)
    await api.call(bot.token, 'getUpdates', {})
    expect(await first).toMatchObject({
      code: 409,
      message: "Another program is receiving this bot's messages.",
    })
  })

  test('forgets updates after 24 hours', async () => {
    const clock = createManualClock()
    const old = await startTelegram({ clock })
    const oldApi = createBotApi({ clock: systemClock, root: old.root })
    const bot = old.addBot()
    old.addUser().writes(bot, 'Yesterday')
    clock.advance(23 * 3_600_000)
    old.addUser().writes(bot, 'Today')
    clock.advance(2 * 3_600_000)
    const updates = await oldApi.call(bot.token, 'getUpdates', {})
    expect(updates.map(({ message }) => message?.text)).toEqual(['Today'])
    oldApi.close()
    await old.close()
  })

  test('refuses what Telegram refuses', async () => {
    const bot = telegram.addBot()
    const ana = telegram.addUser()
    ana.writes(bot, 'Hello')
    const descriptionOf = async (text: string, more: object = {}) =>
      (await failureOf(api.call(bot.token, 'sendMessage', { chat_id: ana.id, text, ...more }))).description
    expect(await descriptionOf(' \n ')).toBe('Bad Request: message text is empty')
    expect(await descriptionOf('x'.repeat(4_097))).toBe('Bad Request: message is too long')
    const bold = { type: 'bold' as const, offset: 1, length: 1 }
    expect(await descriptionOf('👋', { entities: [bold] })).toContain('ends in a middle of a UTF-16 symbol')
    expect(await descriptionOf('a', { entities: [bold] })).toContain('ends after the end of the text')
    expect(await descriptionOf('a', { reply_parameters: { message_id: 999 } })).toBe(
      'Bad Request: message to be replied not found',
    )
    ana.blocks(bot)
    expect(await descriptionOf('a')).toBe('Forbidden: bot was blocked by the user')
    const revoked = bot.token
    telegram.revokeToken(bot)
    expect(await failureOf(api.call(revoked, 'getMe', undefined))).toMatchObject({ code: 401 })
  })

  test('gives no file over 20 MB away', async () => {
    const bot = telegram.addBot()
    const given = { name: 'film.mp4', type: 'video/mp4', claimedSize: 25 * 1024 * 1024 }
    const file = telegram.addFile(bytes(10), given)
    const error = await failureOf(api.call(bot.token, 'getFile', { file_id: file.id }))
    expect(error.description).toBe('Bad Request: file is too big')
  })
})

function withFault(...given: Parameters<typeof telegram.fail>): Disposable {
  const fault = telegram.fail(...given)
  return { [Symbol.dispose]: fault.end }
}
