import { afterAll, describe, expect, test } from 'bun:test'
import { createBotApi } from '../../server/channels/telegram/bot-api/bot-api.ts'
import { BotApiError } from '../../server/channels/telegram/bot-api/bot-api-error.ts'
import { systemClock } from '../../server/clock.ts'
import { createManualClock } from '../support/clock.ts'
import { reservePort } from '../support/mail/ports.ts'
import { startTelegram } from '../support/telegram-server/telegram-server.ts'

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

function withFault(...given: Parameters<typeof telegram.fail>): Disposable {
  const fault = telegram.fail(...given)
  return { [Symbol.dispose]: fault.end }
}
