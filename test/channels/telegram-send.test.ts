import { expect, test } from 'bun:test'
import { letRunFast, openChats } from '../support/chats.ts'
import { PNG } from '../support/images.ts'
import { readThread, sendReply } from '../support/threads.ts'
import { upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'

const MEGABYTE = 1024 * 1024
const SECOND = 1_000
const MINUTE = 60 * SECOND
/** Long enough for what must not come. */
const A_MOMENT_MS = 30

test('an answer of an agent and one of the API arrive in the chat, formatted, in order', async () => {
  await using chats = await openChats()
  using _ = letRunFast(chats.clock)
  const chat = await chats.chat()
  expect((await readThread(chats.ben, chat.ticketId)).reply).toEqual({
    by: 'telegram',
    undoSeconds: 0,
    chat: { bot: `@${chats.bot.me.username}`, name: 'Ana', username: 'ana' },
  })
  const text = '👋 **Hi** Ana, see [the guide](https://acme.example/guide).'
  const first = await chats.put(chat, { text, format: 'markdown' })
  const second = await chats.reply(chat, 'It left **today**.')
  expect(await chats.until(chat, second, 'sent')).not.toHaveProperty('sendError')
  expect(await chats.message(chat, first)).toMatchObject({
    sending: 'sent',
    canEdit: true,
    canTakeBack: true,
  })
  expect(chats.sent(chat)).toMatchObject([
    {
      text: '👋 Hi Ana, see the guide.',
      entities: [
        { type: 'bold', offset: 3, length: 2 },
        { type: 'text_link', offset: 15, length: 9, url: 'https://acme.example/guide' },
      ],
    },
    { text: 'It left **today**.' },
  ])
})

test('a long answer arrives in parts, with its files after it', async () => {
  await using chats = await openChats()
  using _ = letRunFast(chats.clock)
  const { acme } = chats
  const chat = await chats.chat()
  const paragraphs = Array.from({ length: 12 }, (_, at) => `${at} ${'word '.repeat(150).trim()}`)
  const attachments = [
    (await upload(chats.ben, 'one.png', PNG)).id,
    (await upload(chats.ben, 'two.png', PNG)).id,
    (await upload(chats.ben, 'terms.txt', 'Terms')).id,
  ]
  const id = await chats.put(chat, { text: paragraphs.join('\n\n'), attachments })
  await chats.until(chat, id, 'sent')
  const [first, second, third, ...files] = chats.sent(chat)
  expect([first?.text, second?.text, third?.text].join('\n\n')).toBe(paragraphs.join('\n\n'))
  const albums = new Set(files.slice(0, 2).map(({ media_group_id }) => media_group_id))
  expect(files).toHaveLength(3)
  expect([files.every(({ caption }) => caption === undefined), albums.size]).toEqual([true, 1])
  expect(files.map(({ photo, document }) => photo !== undefined || document?.file_name)).toEqual([
    true,
    true,
    'terms.txt',
  ])
  // The API tells about it as of any message.
  const { json } = await acme.call<{ messages: { id: string; channel?: string }[] }>(
    'GET',
    `/tickets/${chat.ticketId}`,
  )
  expect(json.messages.at(-1)?.id).toBe(id)
})

test('a short text is shown below its files, and a file alone has none', async () => {
  await using chats = await openChats()
  using _ = letRunFast(chats.clock)
  const chat = await chats.chat()
  const [photo, other] = [await upload(chats.ben, 'one.png', PNG), await upload(chats.ben, 'two.png', PNG)]
  await chats.put(chat, { text: '*This* one', format: 'markdown', attachments: [photo.id] })
  const id = await chats.put(chat, { text: '', attachments: [other.id] })
  await chats.until(chat, id, 'sent')
  const [first, second] = chats.sent(chat)
  expect(first).toMatchObject({
    caption: 'This one',
    caption_entities: [{ type: 'italic', offset: 0, length: 4 }],
  })
  expect(first?.photo).toBeDefined()
  expect(second?.caption).toBeUndefined()
})

test('a photo that Telegram cannot show is sent as a file', async () => {
  await using chats = await openChats()
  const chat = await chats.chat()
  const description = 'Bad Request: PHOTO_INVALID_DIMENSIONS'
  chats.telegram.fail({ code: 400, description }, { method: 'sendPhoto' })
  const { id: photo } = await upload(chats.ben, 'plan.png', PNG)
  const id = await chats.put(chat, { text: 'The plan', attachments: [photo] })
  await chats.until(chat, id, 'sent')
  expect(chats.sent(chat)).toMatchObject([{ caption: 'The plan', document: { file_name: 'plan.png' } }])
})

test('an answer can be undone and scheduled like any other', async () => {
  await using chats = await openChats()
  const { ben, clock } = chats
  const chat = await chats.chat()
  const undone = await sendReply(ben, chat.ticketId, { text: 'Too early' })
  expect((await ben.call('DELETE', `/v1/tickets/${chat.ticketId}/messages/${undone.id}`)).status).toBe(204)
  const sendAt = new Date(clock.now() + 30 * MINUTE).toISOString()
  const scheduled = await chats.put(chat, { text: 'In half an hour', sendAt })
  clock.advance(29 * MINUTE)
  expect(chats.texts(chat)).toEqual([])
  clock.advance(MINUTE)
  await eventually(() => chats.texts(chat).length === 1)
  await chats.until(chat, scheduled, 'sent')
  expect(chats.texts(chat)).toEqual(['In half an hour'])
})

test('one chat gets at most a message each second, a bot sends 25, and Telegram never has to say no', async () => {
  await using chats = await openChats()
  const { clock, telegram } = chats
  const busy = await chats.chat()
  for (let number = 0; number < 5; number++) await chats.reply(busy, `${number}`)
  const many = await Promise.all(Array.from({ length: 40 }, () => chats.chat()))
  for (const chat of many) await chats.reply(chat, 'Hello')
  const startedAt = clock.now()
  const times: number[] = []
  using _ = letRunFast(clock)
  await eventually(() => {
    const seen = telegram.requests('sendMessage')
    while (times.length < seen) times.push(clock.now() - startedAt)
    return seen === 45
  })
  await eventually(() => chats.texts(busy).length === 5)
  expect(chats.texts(busy)).toEqual(['0', '1', '2', '3', '4'])
  expect(many.map((chat) => chats.texts(chat))).toEqual(many.map(() => ['Hello']))
  // Four pauses of a second.
  expect(times.at(-1)).toBeGreaterThanOrEqual(4_000)
})

test('the customer sees that an agent is writing, for as long as that is so and the bot is set to show it', async () => {
  await using chats = await openChats()
  const { ben, bot, botId, clock } = chats
  const chat = await chats.chat()
  const says = (more: object) =>
    ben.call('POST', '/console/presence', {
      body: { pageId: 'p', ticketId: chat.ticketId, state: 'replying', ...more },
    })
  expect((await says({ isTyping: true })).status).toBe(204)
  await eventually(() => bot.actions.length === 1)
  // Two agents at the same time are one to the customer.
  await says({ isTyping: true })
  clock.advance(4 * SECOND)
  await says({ isTyping: true })
  await eventually(() => bot.actions.length === 2)
  expect(bot.actions).toEqual(Array(2).fill({ chatId: chat.chatId, action: 'typing' }))
  // A note, and a reply that was begun and left.
  clock.advance(20 * SECOND)
  await says({})
  await Bun.sleep(A_MOMENT_MS)
  expect(bot.actions).toHaveLength(2)

  const off = await ben.call('PATCH', `/console/bots/${botId}`, { body: { showsTyping: false } })
  expect(off.status, off.text).toBe(200)
  await says({ isTyping: true })
  await Bun.sleep(A_MOMENT_MS)
  expect(bot.actions).toHaveLength(2)
})

test('files of up to 50 MB leave, and a larger one says why it does not', async () => {
  await using chats = await openChats({ settings: { BELLHOP_ATTACHMENT_LIMIT: '60MB' } })
  const { ben } = chats
  const chat = await chats.chat()
  const bytes = new Uint8Array(51 * MEGABYTE).fill(7)
  const [fits, tooLarge] = [
    await upload(ben, 'fits.bin', bytes.subarray(0, 50 * MEGABYTE)),
    await upload(ben, 'video.bin', bytes),
  ]
  const sent = await chats.put(chat, { text: '', attachments: [fits.id] })
  const refused = await chats.put(chat, { text: 'Here', attachments: [tooLarge.id] })
  expect(await chats.until(chat, refused, 'failed')).toMatchObject({
    sendError: '"video.bin" is 51 MB. Telegram accepts files up to 50 MB.',
  })
  await chats.until(chat, sent, 'sent')
  expect(chats.sent(chat).map(({ document }) => document?.file_size)).toEqual([50 * MEGABYTE])
})
