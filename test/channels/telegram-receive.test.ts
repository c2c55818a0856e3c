import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { messages } from '../../server/database/tables/messages.ts'
import { PNG } from '../support/images.ts'
import { storedEvents, subscribe } from '../support/subscription.ts'
import { type BotJson, type Desk, openDesk } from '../support/telegram.ts'
import type { TelegramBot } from '../support/telegram-server/telegram-state.ts'
import { readThread } from '../support/threads.ts'
import { eventually } from '../support/webhooks.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

let desk: Desk
let bot: TelegramBot
let connected: BotJson
beforeAll(async () => {
  desk = await openDesk()
  bot = desk.telegram.addBot({ username: 'parcelbird_bot', name: 'Parcelbird' })
  connected = await desk.connect(bot)
})
afterAll(() => desk[Symbol.asyncDispose]())

let people = 0
/** Someone who has never written. */
function newUser(given: object = {}) {
  people += 1
  return desk.telegram.addUser({ first_name: `Person ${people}`, ...given })
}

/** The ticket whose first message this is. */
async function ticketOf(subject: string) {
  return eventually(async () => {
    const found = (await desk.tickets()).find((ticket) => ticket.subject === subject)
    if (!found) await Bun.sleep(25)
    return found
  })
}

/** What integrations get of a ticket. */
async function webhooksOf(id: string) {
  const events = await storedEvents(desk.bellhop.deps, desk.acme.orgId)
  return events.filter(({ ticketId, body }) => ticketId === id && body !== '')
}

describe('a message to the bot', () => {
  beforeAll(() => subscribe(desk.bellhop.deps, desk.acme.orgId))

  test('opens a ticket of the channel telegram, in the name that Telegram shows', async () => {
    // The name would turn what stands beside it.
    const ana = desk.telegram.addUser({
      first_name: '\u202eAna',
      last_name: 'Petrova\u2067',
      username: 'ana_p',
    })
    ana.writes(bot, 'Where is my parcel?\nIt should have come on Monday.')
    const ticket = await ticketOf('Where is my parcel?')
    expect(ticket).toMatchObject({ channel: 'telegram', status: 'open', customer: { name: 'Ana Petrova' } })
    const [message] = await desk.messages(ticket.id, 1)
    expect(message).toMatchObject({
      role: 'customer',
      text: 'Where is my parcel?\nIt should have come on Monday.',
      format: 'plain',
    })
    ana.writes(bot, 'Hello?')
    await desk.messages(ticket.id, 2)
    const events = await webhooksOf(ticket.id)
    expect(events.map(({ type }) => type)).toEqual(['ticket.created', 'message.sent', 'message.sent'])
    for (const { body } of events) expect(body).toContain('"channel":"telegram"')
  })

  test('keeps its formatting', async () => {
    newUser().sends(bot, {
      text: 'Formatted: bold, italic, code, a link, 5*3*2',
      entities: [
        { type: 'bold', offset: 11, length: 4 },
        { type: 'italic', offset: 17, length: 6 },
        { type: 'code', offset: 25, length: 4 },
        { type: 'text_link', offset: 31, length: 6, url: 'https://example.com/a_b' },
      ],
    })
    const ticket = await ticketOf('Formatted: bold, italic, code, a link (https://example.com/a_b), 5*3*2')
    const [message] = await desk.messages(ticket.id, 1)
    expect(message).toMatchObject({
      format: 'markdown',
      text: 'Formatted: **bold**, *italic*, `code`, [a link](https://example.com/a_b), 5\\*3\\*2',
    })
  })

  test('brings its photo, file, voice message and video', async () => {
    const ana = newUser()
    const photo = desk.telegram.addFile(PNG, { name: 'a.png', type: 'image/png' })
    const file = desk.telegram.addFile(bytes('Invoice 42'), { name: 'invoice.txt', type: 'text/plain' })
    const voice = desk.telegram.addFile(bytes('OggS voice'), { name: 'a.oga', type: 'audio/ogg' })
    const video = desk.telegram.addFile(bytes('\0\0\0\0ftypisom'), { name: 'a.mp4', type: 'video/mp4' })
    const about = ({ id, bytes: content }: typeof photo) => ({
      file_id: id,
      file_unique_id: id,
      file_size: content.byteLength,
    })
    ana.sends(bot, { caption: 'A broken cup', photo: [{ ...about(photo), width: 1, height: 1 }] })
    ana.sends(bot, { document: { ...about(file), file_name: '../invoice.txt', mime_type: 'text/plain' } })
    ana.sends(bot, { voice: { ...about(voice), duration: 3 } })
    ana.sends(bot, { video: { ...about(video), duration: 3, width: 1, height: 1 } })
    const ticket = await ticketOf('A broken cup')
    const messages = await desk.messages(ticket.id, 4)
    expect(messages.map(({ text, attachments = [] }) => [text, attachments.map(({ type }) => type)])).toEqual(
      [
        ['A broken cup', ['image/png']],
        ['', ['text/plain']],
        ['', ['audio/ogg']],
        ['', ['video/mp4']],
      ],
    )
    const [invoice] = messages[1]?.attachments ?? []
    expect(invoice).toMatchObject({ name: 'invoice.txt', size: 10 })
    const downloaded = await desk.admin.call('GET', `/v1/attachments/${invoice?.id}`)
    expect(downloaded.text).toBe('Invoice 42')
  })

  test('is one message for all parts of an album', async () => {
    const ana = newUser()
    const parts = [1, 2, 3].map((at) => {
      const { id } = desk.telegram.addFile(PNG, { name: `${at}.png`, type: 'image/png' })
      return { file_id: id, file_unique_id: id, file_size: PNG.byteLength, width: at, height: at }
    })
    for (const [at, photo] of parts.entries()) {
      ana.sends(bot, {
        media_group_id: 'album-1',
        photo: [photo],
        ...(at === 0 && { caption: 'Three views' }),
      })
    }
    ana.writes(bot, 'That is all')
    const ticket = await ticketOf('Three views')
    const messages = await desk.messages(ticket.id, 2)
    expect(messages.map(({ text, attachments = [] }) => [text, attachments.length])).toEqual([
      ['Three views', 3],
      ['That is all', 0],
    ])
  })

  test('describes content other than text and files in words', async () => {
    const ana = newUser()
    ana.writes(bot, 'Other kinds')
    ana.sends(bot, {
      sticker: {
        file_id: 's',
        file_unique_id: 's',
        type: 'regular',
        width: 1,
        height: 1,
        is_animated: false,
        is_video: false,
        emoji: '👍',
      },
    })
    ana.sends(bot, { contact: { phone_number: '+49 30 1234', first_name: 'Max', last_name: 'Weber' } })
    ana.sends(bot, { location: { latitude: 52.52, longitude: 13.405 } })
    ana.sends(bot, {
      venue: { location: { latitude: 1, longitude: 2 }, title: 'Depot', address: 'Main Street 1' },
      location: { latitude: 1, longitude: 2 },
    })
    ana.sends(bot, {
      pinned_message: { chat: { id: 1, type: 'private', first_name: 'A' }, message_id: 1, date: 0 },
    })
    ana.writes(bot, 'The end')
    const ticket = await ticketOf('Other kinds')
    const messages = await desk.messages(ticket.id, 6)
    expect(messages.map(({ text }) => text?.replace(/https:\S+/, 'MAP'))).toEqual([
      'Other kinds',
      '👍',
      'Contact: Max Weber\n+49 30 1234',
      'Location:\nMAP',
      'Place: Depot\nMain Street 1\nMAP',
      'The end',
    ])
  })

  test('shows what it replies to and where it was forwarded from', async () => {
    const ana = newUser()
    const first = ana.writes(bot, 'Which size fits?')
    ana.sends(bot, { text: 'This one', reply_to_message: { ...first, reply_to_message: undefined } })
    ana.sends(bot, {
      text: 'From the news',
      forward_origin: {
        type: 'channel',
        date: 1,
        chat: { id: -1, type: 'channel', title: 'Daily Parcel' },
        message_id: 1,
      },
    })
    const ticket = await ticketOf('Which size fits?')
    const [question, answer, forward] = await desk.messages(ticket.id, 3)
    expect(answer?.chat).toEqual({
      repliesTo: { messageId: question?.id ?? '', text: 'Which size fits?' },
    })
    expect(forward?.chat).toEqual({ forwardedFrom: 'Daily Parcel' })
    expect(question).not.toHaveProperty('telegram')
  })

  test('that is changed shows the new text and keeps the one before', async () => {
    const ana = newUser()
    const { message_id: id } = ana.writes(bot, 'Order 4711')
    const ticket = await ticketOf('Order 4711')
    await desk.admin.call('PATCH', `/v1/tickets/${ticket.id}`, { body: { status: 'resolved' } })
    ana.edits(bot, id, { text: 'Order 4712' })
    const edited = await eventually(async () => {
      const [message] = await desk.messages(ticket.id, 1)
      if (message?.edits === undefined) await Bun.sleep(25)
      return message?.edits === undefined ? undefined : message
    })
    expect(edited).toMatchObject({ text: 'Order 4712', edits: 1 })
    const { json } = await desk.admin.call<{ data: { text: string }[] }>(
      'GET',
      `/console/tickets/${ticket.id}/messages/${edited.id}/edits`,
    )
    expect(json.data).toMatchObject([{ text: 'Order 4711' }])
    expect((await readThread(desk.admin, ticket.id)).ticket.status).toBe('resolved')
    const types = (await webhooksOf(ticket.id)).map(({ type }) => type)
    expect(types).toEqual(['ticket.created', 'message.sent'])
  })

  test('after the ticket was resolved opens it again', async () => {
    const ana = newUser()
    ana.writes(bot, 'Reopen me')
    const { id } = await ticketOf('Reopen me')
    await desk.admin.call('PATCH', `/v1/tickets/${id}`, { body: { status: 'resolved' } })
    ana.writes(bot, 'Still broken')
    await desk.messages(id, 2)
    expect((await readThread(desk.admin, id)).ticket.status).toBe('open')
  })
})

describe('the chat', () => {
  test('is greeted on /start, and has no ticket before something is written', async () => {
    const ana = newUser()
    const before = (await desk.tickets()).length
    ana.presses(bot)
    await eventually(() => desk.telegram.sent(bot, ana.id).length === 1)
    expect(desk.telegram.sent(bot, ana.id)[0]?.text).toBe(
      'Hello! This is Acme. Send us your question here, and we will reply in this chat.',
    )
    ana.presses(bot, 'made-up-token')
    await eventually(() => desk.telegram.sent(bot, ana.id).length === 2)
    expect(await desk.tickets()).toHaveLength(before)
    ana.writes(bot, 'First words')
    await ticketOf('First words')
  })

  test('gets its ticket also when the greeting cannot be sent', async () => {
    const ana = newUser()
    const fault = desk.telegram.fail({ code: 500 }, { method: 'sendMessage', chatId: ana.id })
    ana.presses(bot)
    await eventually(() => fault.count() > 0)
    ana.writes(bot, 'Without a greeting')
    await ticketOf('Without a greeting')
    fault.end()
  })

  test('of a group gets the answer, once, that the bot answers in private chats only', async () => {
    const ana = newUser()
    const group = desk.telegram.addGroup('Friends')
    const before = (await desk.tickets()).length
    for (const text of ['@parcelbird_bot hello', 'anybody?', 'hello?']) ana.sendsTo(bot, group, { text })
    await eventually(() => desk.telegram.sent(bot, group.id).length === 1)
    ana.writes(bot, 'Private then')
    await ticketOf('Private then')
    expect(desk.telegram.sent(bot, group.id).map(({ text }) => text)).toEqual([
      'This bot answers in private chats only. Open its profile and write to it there.',
    ])
    expect(await desk.tickets()).toHaveLength(before + 1)
  })

  test('of someone who blocked the bot says so, until they write again', async () => {
    const ana = newUser()
    ana.writes(bot, 'I am gone')
    const { id } = await ticketOf('I am gone')
    ana.blocks(bot)
    const problem = async () => (await readThread(desk.admin, id)).reply.problem
    await eventually(async () => {
      const found = await problem()
      if (!found) await Bun.sleep(25)
      return found
    })
    expect((await problem())?.reason).toContain('blocked the bot')
    ana.unblocks(bot)
    ana.writes(bot, 'Back again')
    await desk.messages(id, 2)
    expect(await problem()).toBeUndefined()
  })
})

test('without a bot, no request is made to Telegram and no connection is open', async () => {
  await using other = await openDesk()
  const { bellhop, telegram, acme } = other
  await acme.call('POST', '/tickets', {
    body: { subject: 'By the API', customer: { email: 'ana@example.com' }, message: 'Hello' },
  })
  expect(await other.tickets()).toHaveLength(1)
  expect([telegram.requests(), telegram.connections()]).toEqual([0, 0])
  expect(bellhop.logLines.filter((line) => line.includes('telegram'))).toEqual([])
})

describe('what Bellhop does not understand', () => {
  test('is kept, counted, named in the thread where it is a message, and holds nothing up', async () => {
    const ana = newUser()
    const unknown = (await desk.bot(connected.id)).unknownUpdates
    const odd: object[] = [
      { message_of_tomorrow: { chat: { id: ana.id }, text: 'Hello' } },
      { message: 'not an object' },
      { message: { message_id: 'x', chat: { id: ana.id, type: 'private' } } },
      { message: { message_id: 77_777, chat: { id: ana.id, type: 'private' }, from: ana.user, photo: 'x' } },
    ]
    for (const update of odd) desk.telegram.deliver(bot, update)
    ana.sends(bot, { text: 'After the odd ones', ...{ field_of_tomorrow: { a: [1] } } })
    const ticket = await ticketOf(
      "(A type of message that Bellhop can't show. Ask the customer what it says.)",
    )
    const [, later] = await desk.messages(ticket.id, 2)
    expect(later).toMatchObject({ text: 'After the odd ones' })
    expect((await desk.bot(connected.id)).unknownUpdates).toBe(unknown + odd.length)
  })

  test('never keeps a later message of the same chat from being stored, whatever is odd about it', async () => {
    // Fewer than one person may write in a minute.
    const people = Array.from({ length: 10 }, () => newUser())
    const file = desk.telegram.addFile(PNG, { name: 'a.png', type: 'image/png' })
    const photo = [{ file_id: file.id, file_unique_id: 'u', file_size: PNG.byteLength, width: 3, height: 2 }]
    const samplesOf = ({ id, user }: ReturnType<typeof newUser>) => {
      const common = { from: user, chat: { id, type: 'private', first_name: 'A' }, date: 1 }
      return [
        { message: { ...common, text: 'Hi', entities: [{ type: 'bold', offset: 0, length: 2 }] } },
        { message: { ...common, photo, caption: 'Look', media_group_id: 'g' } },
        { message: { ...common, contact: { first_name: 'M', phone_number: '1' } } },
        {
          message: {
            ...common,
            venue: { title: 't', address: 'a', location: { latitude: 1, longitude: 2 } },
          },
        },
        { message: { ...common, text: 'Re', reply_to_message: { ...common, message_id: 1, text: 'Q' } } },
        { edited_message: { ...common, text: 'Edited', edit_date: 2 } },
        { my_chat_member: { ...common, new_chat_member: { status: 'kicked', user: bot.me } } },
      ]
    }
    const random = randomFrom(11)
    for (const [number, person] of people.entries()) {
      const samples = samplesOf(person)
      for (let at = 0; at < 15; at += 1) {
        const sample = structuredClone(samples[at % samples.length] ?? {})
        for (const content of Object.values<object>(sample)) {
          Object.assign(content, { message_id: 50_000 + number * 15 + at })
        }
        desk.telegram.deliver(bot, spoiled(sample, random))
      }
      person.writes(bot, 'After all that was odd')
    }
    const { read } = desk.bellhop.deps.database
    await eventually(async () => {
      const last = await read.select().from(messages).where(eq(messages.text, 'After all that was odd'))
      return last.length === people.length
    })
    expect(await desk.botIn(connected.id, 'active')).toMatchObject({ queue: { incoming: 0 } })
  })

  test('is cut when it is longer than a message may be, and left out when it says nothing', async () => {
    const ana = newUser()
    ana.writes(bot, ' \n\u200b ')
    ana.writes(bot, `Long ${'😀'.repeat(70_000)}`)
    const { id } = await ticketOf(`Long ${'😀'.repeat(74)}…`)
    const [message, ...others] = await desk.messages(id, 1)
    expect(others).toEqual([])
    expect([...(message?.text ?? '')]).toHaveLength(65_536)
  })
})

/** A seeded generator of numbers from 0 to 1 (LCG), so that a failure can be repeated. */
function randomFrom(start: number): () => number {
  let seed = start
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 2_147_483_648
  }
}

const ODD: unknown[] = [null, '', 'text', -1, 1e300, true, [], {}, [null], { id: {} }, '\u0000', '\ud800']

/** The same with one field that is missing, or something else. Ids of updates stay. */
function spoiled(given: object, random: () => number): object {
  const places: [Record<string, unknown>, string][] = []
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    const record = value as Record<string, unknown>
    for (const name of Object.keys(record)) {
      places.push([record, name])
      visit(record[name])
    }
  }
  visit(given)
  const [record, name] = places[Math.floor(random() * places.length)] ?? [{}, '']
  if (random() < 0.3) delete record[name]
  else record[name] = ODD[Math.floor(random() * ODD.length)]
  return given
}
